/**
 * The digests by which a source is known. Each is over a list of fields, of which the first names the list. What moves
 * what: the title of the issue, or its move to another repository, moves the source revision alone. A comment that is
 * replaced by one with the same text moves the manifest and the source revision. What a section says, its key, role,
 * title or place moves all of them. Times, authors and URLs move none.
 */
import type { RawSourceComment, RawSourceEnvelope } from '../contract/raw-source-envelope.shape.ts'
import { type Digest, digestFields } from '../kit/digest.ts'
import { compareBytes } from '../kit/utf8.ts'
import type { SourceManifest } from './manifest.shape.ts'
import { normalizeLineEnds } from './text-lines.ts'

/** Of the whole comment, with the line that marks it as a section. */
export function digestCommentBody(body: string): Digest {
  return digestFields(['drover-comment-body/v1', normalizeLineEnds(body)])
}

type Heading = { readonly key: string; readonly role: string; readonly title: string }

export function digestSection({ key, role, title }: Heading, text: string): Digest {
  return digestFields(['drover-section/v2', key, role, title, text])
}

export type ManifestFields = Pick<
  SourceManifest,
  'manifest_version' | 'profile' | 'parent_requirements_revision' | 'sections'
>

export function digestManifest(manifest: ManifestFields): Digest {
  const { manifest_version, profile, parent_requirements_revision = '', sections } = manifest
  return digestFields([
    'drover-manifest/v2',
    String(manifest_version),
    profile,
    parent_requirements_revision,
    ...sections.flatMap(({ key, role, title, comment_node_id, comment_database_id, body_sha256 }) => [
      key,
      role,
      title,
      comment_node_id,
      String(comment_database_id),
      body_sha256,
    ]),
  ])
}

type Requirements = {
  readonly profile: string
  readonly sections: readonly (Heading & { readonly section_revision: string })[]
}

export function digestRequirements({ profile, sections }: Requirements): Digest {
  return digestFields([
    'drover-requirements/v2',
    profile,
    ...sections.flatMap(({ key, role, title, section_revision }) => [key, role, title, section_revision]),
  ])
}

type IssueFields = Pick<RawSourceEnvelope, 'host' | 'repository_id' | 'issue_id' | 'title'>

type SourceFields = IssueFields & { readonly source_version: number; readonly manifest_revision: string }

export function digestSource(source: SourceFields): Digest {
  const { source_version, host, repository_id, issue_id, title, manifest_revision } = source
  return digestFields([
    'drover-source/v2',
    String(source_version),
    host,
    repository_id,
    issue_id,
    normalizeLineEnds(title),
    manifest_revision,
  ])
}

type ObservedFields = IssueFields & {
  readonly body: string
  readonly comments: readonly Pick<RawSourceComment, 'node_id' | 'body'>[]
}

/** Of an issue as it was found, whether it is a change or not. The order of its comments means nothing. */
export function digestObservation({ host, repository_id, issue_id, title, body, comments }: ObservedFields): Digest {
  return digestFields([
    'drover-source-observation/v2',
    host,
    repository_id,
    issue_id,
    normalizeLineEnds(title),
    normalizeLineEnds(body),
    ...comments
      .toSorted((one, other) => compareBytes(one.node_id, other.node_id))
      .flatMap((comment) => [comment.node_id, digestCommentBody(comment.body)]),
  ])
}
