/** Texts for people who write an issue that drover can pin: what to say in each section, and the manifest of it all. */
import { MARKDOWN } from '../contract/control-characters.ts'
import { findDuplicates } from '../contract/duplicates.ts'
import { LIMITS } from '../contract/limits.ts'
import { ROLES, type Role } from '../contract/section-roles.ts'
import { Fault } from '../kit/fault.ts'
import { messageInvalid } from '../kit/faults.ts'
import { writeIndentedJson } from '../kit/json/write-json.ts'
import type { Problem } from '../kit/schema.ts'
import { draftInvalid, issueCommentUnusable } from './faults.ts'
import type { ManifestSection, SourceManifest } from './manifest.shape.ts'
import { firstHeading } from './markdown.ts'
import { LEVEL_MARKER, MANIFEST_END, MANIFEST_OPENING } from './read-body.ts'
import { checkManifest } from './read-manifest.ts'
import { readSection, sectionMarker } from './read-section.ts'
import { digestCommentBody } from './revisions.ts'
import { isBlank } from './text-lines.ts'

/** The title of a section whose comment has no heading. */
const ROLE_TITLES: Readonly<Record<Role, string>> = {
  outcome: 'Outcome',
  requirements: 'Requirements',
  acceptance_examples: 'Acceptance examples',
  constraints: 'Constraints',
  non_goals: 'Non-goals',
}

const PROMPTS: Readonly<Record<Role, string>> = {
  outcome: 'What will be different, and for whom, once this is done.',
  requirements: '- What it must do, one sentence each.\n- What it must do when something goes wrong.',
  acceptance_examples: '- Given …, when …, then …',
  constraints: '- What must stay as it is: interfaces, formats, speed, dependencies.',
  non_goals: '- What this deliberately leaves alone.',
}

/** The text of one comment, to be filled in. */
export function draftComment(role: Role): string {
  return `${sectionMarker(role)}\n## ${ROLE_TITLES[role]}\n\n${PROMPTS[role]}\n`
}

/** All of it with the steps that lead to an issue. */
export function draftBundle({ title }: { title: string }): string {
  const comments = ROLES.map((role, at) => `=== comment ${at + 1} of ${ROLES.length} ===\n${draftComment(role)}`)
  return [
    `Title: ${title}\n`,
    '1. Create an issue with this title; its body comes last.',
    '2. Post each text below as a comment of its own, filled in, without the line of equals signs.',
    '3. Let drover write the body, with the URL of each comment:',
    '     drover source draft --comment URL --comment URL …',
    '4. Make what it prints the body of the issue, and look whether all is well:',
    '     drover source fetch ISSUE-URL | drover source check -\n',
    comments.join('\n'),
  ].join('\n')
}

export type DraftComment = { node_id: string; database_id: number; url: string; body: string }

/** The body of an issue that has these comments as its sections, in this order. */
export function draftBody(comments: readonly DraftComment[], amends: string | undefined): string {
  const manifest = {
    manifest_version: 2,
    profile: 'change/v2',
    ...(amends !== undefined && { parent_requirements_revision: amends }),
    sections: comments.map(toSection),
  } satisfies SourceManifest
  return `${LEVEL_MARKER}\n\n${MANIFEST_OPENING}\n${writeIndentedJson(check(manifest))}\n${MANIFEST_END}\n`
}

function toSection({ node_id, database_id, url, body }: DraftComment): ManifestSection {
  const { key, text } = readSection(body)
  if (key === undefined) throw issueCommentUnusable({ url, reason: 'no_marker' })
  const role = roleOf(key)
  const flaw = flawOf(body, text)
  if (flaw !== undefined) throw issueCommentUnusable({ url, reason: flaw })
  if (role === undefined) throw issueCommentUnusable({ url, reason: 'no_role' })
  return {
    key,
    role,
    title: titleIn(text) ?? ROLE_TITLES[role],
    comment_node_id: node_id,
    comment_database_id: database_id,
    body_sha256: digestCommentBody(body),
  }
}

/** `requirements`, `requirements-2` and `acceptance-examples.api` begin with a role. */
function roleOf(key: string): Role | undefined {
  const plain = key.replaceAll('-', '_')
  return ROLES.find((role) => plain === role || plain.startsWith(`${role}_`) || plain.startsWith(`${role}.`))
}

/** For what no bundle could hold this text, however good its manifest is. */
function flawOf(body: string, text: string): 'blank' | 'too_large' | 'control_characters' | undefined {
  if (MARKDOWN.hasControls(body)) return 'control_characters'
  if (isBlank(text)) return 'blank'
  return Buffer.byteLength(text) > LIMITS.sectionBytes ? 'too_large' : undefined
}

/** The first heading of a text, if it can be a title. */
function titleIn(text: string): string | undefined {
  const title = firstHeading(text)?.replaceAll('\t', ' ')
  const isFit = title !== undefined && title !== '' && Buffer.byteLength(title) <= LIMITS.sectionTitleBytes
  return isFit ? title : undefined
}

/** The usual reasons, in words of comments; nobody who drafts has seen the manifest yet. */
function gapIn({ sections }: SourceManifest): string | undefined {
  const missing = ROLES.filter((role) => !sections.some((section) => section.role === role))
  if (missing.length > 0) return `none of them is for ${missing.join(', ')}`
  const [twin = -1] = findDuplicates(sections, ({ key }) => key)
  return sections[twin] && `two of them have the key ${sections[twin].key}`
}

function check(manifest: SourceManifest): SourceManifest {
  const gap = gapIn(manifest)
  if (gap !== undefined) throw draftInvalid({ problem: gap })
  try {
    return checkManifest(manifest)
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== messageInvalid.code) throw error
    const { problems } = error.details as { problems: readonly Problem[] }
    throw draftInvalid({ problem: problems.map(({ path, rule }) => `${path} ${rule}`).join('; ') }, error)
  }
}
