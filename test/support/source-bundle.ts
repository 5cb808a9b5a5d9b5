/** Issues that drover can pin, made without code of drover: the digests are computed here. */
import { createHash } from 'node:crypto'
import type { RawSourceComment, RawSourceEnvelope } from '../../src/contract/raw-source-envelope.shape.ts'
import type { SourceManifest } from '../../src/source/source-manifest.shape.ts'

export const ISSUE_URL = 'https://github.com/ada/weather/issues/7'
export const ROLES = ['outcome', 'requirements', 'acceptance_examples', 'constraints', 'non_goals'] as const

export type SectionDraft = {
  key: string
  role: (typeof ROLES)[number]
  title: string
  /** Everything below the marker. */
  text: string
}

export const FIVE_SECTIONS: readonly SectionDraft[] = ROLES.map((role) => ({
  key: role,
  role,
  title: `About ${role}`,
  text: `What there is to say about ${role}.\n`,
}))

/** SHA-256 over all fields, each as UTF-8 and preceded by its length as 8 bytes, big-endian. */
export function framedDigest(...fields: readonly string[]): string {
  const hash = createHash('sha256')
  for (const field of fields) {
    const bytes = Buffer.from(field, 'utf8')
    const length = Buffer.alloc(8)
    length.writeUInt32BE(bytes.length, 4)
    hash.update(length).update(bytes)
  }
  return `sha256:${hash.digest('hex')}`
}

export function bodyDigest(body: string): string {
  return framedDigest('drover-comment-body/v1', body.replaceAll('\r\n', '\n').replaceAll('\r', '\n'))
}

export type BundleOptions = {
  sections?: readonly SectionDraft[]
  /** What follows the manifest in the body. */
  trailing?: string
  manifest?: object
  envelope?: Partial<RawSourceEnvelope>
  /** Makes the comment of a section from its draft. */
  toBody?: (draft: SectionDraft) => string
}

export const commentText = ({ key, text }: SectionDraft) => `<!-- drover-section:v1 key=${key} -->\n${text}`

export function makeBundle(options: BundleOptions = {}): RawSourceEnvelope {
  const { sections = FIVE_SECTIONS, trailing = '', toBody = commentText } = options
  const comments = sections.map((draft, index) => commentOf(index, toBody(draft)))
  const manifest = { ...manifestOf(sections, comments), ...options.manifest }
  return {
    source_version: 2,
    provider: 'github',
    host: 'github.com',
    repository_id: 'R_kgDOB5fHzA',
    issue_id: 'I_kwDOB5fHzM5xQ2Yt',
    issue_number: 7,
    canonical_url: ISSUE_URL,
    updated_at: '2026-01-31T10:00:00Z',
    fetched_at: '2026-01-31T11:00:00Z',
    title: 'Show the wind in knots',
    body: bodyOf(JSON.stringify(manifest), trailing),
    labels: ['change'],
    comments,
    ...options.envelope,
  }
}

export function bodyOf(manifest: string, trailing = ''): string {
  return `<!-- drover-level: change/v2 -->\n\`\`\`drover-manifest\n${manifest}\n\`\`\`\n${trailing}`
}

export function commentOf(index: number, body: string): RawSourceComment {
  return {
    node_id: `IC_${index}`,
    database_id: 1900 + index,
    url: `${ISSUE_URL}#issuecomment-${1900 + index}`,
    updated_at: '2026-01-31T09:31:00Z',
    author_id: 'MDQ6VXNlcjE=',
    is_minimized: false,
    body,
  }
}

export function manifestOf(
  sections: readonly SectionDraft[],
  comments: readonly RawSourceComment[] = sections.map((draft, index) => commentOf(index, commentText(draft))),
): SourceManifest {
  return {
    manifest_version: 2,
    profile: 'change/v2',
    sections: sections.map(({ key, role, title }, index) => ({
      key,
      role,
      title,
      comment_node_id: comments[index]?.node_id ?? '',
      comment_database_id: comments[index]?.database_id ?? 0,
      body_sha256: bodyDigest(comments[index]?.body ?? ''),
    })),
  }
}
