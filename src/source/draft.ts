/** Templates for an issue that drover can pin: the comments, and the body with the manifest. */
import { MARKDOWN } from '../contract/control-characters.ts'
import { findDuplicates } from '../contract/duplicates.ts'
import { LIMITS, ROLES, type Role } from '../contract/limits.ts'
import { isFault } from '../kit/fault.ts'
import { messageInvalid } from '../kit/faults.ts'
import { writeIndentedJson } from '../kit/json/write-json.ts'
import type { Problem } from '../kit/schema.ts'
import { draftInvalid, issueCommentUnusable } from './faults.ts'
import { firstHeading } from './find-fenced-code.ts'
import { LEVEL_MARKER, MANIFEST_END, MANIFEST_OPENING } from './read-issue-body.ts'
import { checkManifest } from './read-manifest.ts'
import { readSection, sectionMarker } from './read-section.ts'
import { digestCommentBody } from './revisions.ts'
import type { ManifestSection, SourceManifest } from './source-manifest.shape.ts'
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

/** The template of one comment. */
export function draftComment(role: Role): string {
  return `${sectionMarker(role)}\n## ${ROLE_TITLES[role]}\n\n${PROMPTS[role]}\n`
}

/** All templates, with the steps to publish an issue. */
export function draftBundle({ title }: { title: string }): string {
  const comments = ROLES.map((role, at) => `=== comment ${at + 1} of ${ROLES.length} ===\n${draftComment(role)}`)
  return [
    `Title: ${title}\n`,
    '1. Create an issue with this title; its body comes last.',
    '2. Fill in each text below and post it as a separate comment, without the line of equals signs.',
    '3. Print the body, with the URL of each comment:',
    '     drover source draft --comment URL --comment URL …',
    '4. Make its output the body of the issue, and check the result:',
    '     drover source fetch ISSUE-URL | drover source check -\n',
    comments.join('\n'),
  ].join('\n')
}

export type DraftComment = { node_id: string; database_id: number; url: string; body: string }

/** The body of an issue with these comments as its sections, in this order. */
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
  const role = findRole(key)
  const flaw = findFlaw(body, text)
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

/** A key starts with its role: `requirements`, `requirements-2`, `acceptance-examples.api`. */
function findRole(key: string): Role | undefined {
  const plain = key.replaceAll('-', '_')
  return ROLES.find((role) => plain === role || plain.startsWith(`${role}_`) || plain.startsWith(`${role}.`))
}

/** Why a text cannot be a section, independent of the manifest. */
function findFlaw(body: string, text: string): 'blank' | 'too_large' | 'control_characters' | undefined {
  if (MARKDOWN.hasControls(body)) return 'control_characters'
  if (isBlank(text)) return 'blank'
  return Buffer.byteLength(text) > LIMITS.sectionBytes ? 'too_large' : undefined
}

/** The first heading of a text, if it is a valid title. */
function titleIn(text: string): string | undefined {
  const title = firstHeading(text)?.replaceAll('\t', ' ')
  const isFit = title !== undefined && title !== '' && Buffer.byteLength(title) <= LIMITS.sectionTitleBytes
  return isFit ? title : undefined
}

/** Names the usual mistakes in terms of comments: the user has not seen the manifest yet. */
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
    if (!isFault(error, messageInvalid)) throw error
    const { problems } = error.details as { problems: readonly Problem[] }
    throw draftInvalid({ problem: problems.map(({ path, rule }) => `${path} ${rule}`).join('; ') }, error)
  }
}
