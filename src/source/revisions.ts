/**
 * The digests that identify a source. Each covers a list of fields; the first field names the list.
 * - A new issue title, or a transfer to another repository, changes only the source revision.
 * - A comment replaced by one with the same text changes the manifest revision and the source revision.
 * - A change of the text, key, role, title or position of a section changes all revisions.
 * - Times, authors and URLs change none.
 */
import type { PinnedSource, PinnedSourceSection } from '../contract/pinned-source.shape.ts'
import type { RawSourceComment, RawSourceEnvelope } from '../contract/raw-source-envelope.shape.ts'
import { type Digest, digestFields, digestMaterial } from '../kit/digest.ts'
import type { Problem } from '../kit/schema.ts'
import { compareBytes } from '../kit/utf8.ts'
import type { SourceManifest } from './source-manifest.shape.ts'
import { normalizeLineEnds } from './text-lines.ts'

/** Covers the whole comment, including its marker line. */
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

/** Covers an issue as it was fetched, valid or not. The order of its comments does not matter. */
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

/** One problem for each revision of a stored source that does not match its content. The source must fit the contract. */
export function findRevisionProblems(source: PinnedSource): Problem[] {
  const sections = source.sections.map(({ key, role, title, body_sha256, provenance }) => ({
    key,
    role,
    title,
    comment_node_id: provenance.comment_node_id,
    comment_database_id: provenance.comment_database_id,
    body_sha256,
  }))
  const expected = {
    manifest_revision: digestManifest({ ...source, sections }),
    requirements_revision: digestRequirements(source),
    source_revision: digestSource(source),
  }
  return Object.entries(expected).flatMap(([field, digest]) =>
    source[field as keyof typeof expected] === digest ? [] : [{ path: `$.${field}`, rule: `must be ${digest}` }],
  )
}

/** Whether the section was pinned with this text. */
export function matchesSection(section: PinnedSourceSection, text: string): boolean {
  return (
    Buffer.byteLength(text) === section.bytes &&
    digestMaterial(text) === section.material_sha256 &&
    digestSection(section, text) === section.section_revision
  )
}
