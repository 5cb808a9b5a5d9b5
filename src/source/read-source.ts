import { LIMITS } from '../contract/limits.ts'
import type { PinnedSource, PinnedSourceSection } from '../contract/pinned-source.shape.ts'
import type { RawSourceComment, RawSourceEnvelope } from '../contract/raw-source-envelope.shape.ts'
import { checkRawSourceEnvelope } from '../contract/raw-source-envelope.ts'
import type { SourceCandidate } from '../contract/source-candidate.shape.ts'
import { checkSourceCandidate } from '../contract/source-candidate.ts'
import { digestMaterial } from '../kit/digest.ts'
import { readJson } from '../kit/json/read-json.ts'
import { excerpt, type InvalidCode, type Rejection, reject } from './classification.ts'
import { readBody } from './read-issue-body.ts'
import { readManifest } from './read-manifest.ts'
import { readSection, sectionMarker } from './read-section.ts'
import {
  digestCommentBody,
  digestManifest,
  digestObservation,
  digestRequirements,
  digestSection,
  digestSource,
} from './revisions.ts'
import type { ManifestSection, SourceManifest } from './source-manifest.shape.ts'
import { isBlank, normalizeLineEnds } from './text-lines.ts'

/** Throws `json_invalid` or `message_invalid` for the first problem. `input` names the source of the bytes in the message. */
export function readEnvelope(bytes: Uint8Array, { input }: { input: string }): RawSourceEnvelope {
  return checkRawSourceEnvelope(readJson(bytes, { input, limitBytes: LIMITS.envelopeBytes }))
}

/** The pinned source with its texts by digest, or the rejection. */
export type SourceReading =
  | { readonly is: 'pinned'; readonly source: PinnedSource; readonly materials: ReadonlyMap<string, string> }
  | (Rejection & { readonly observation_sha256: string })

/** Checks level marker, manifest and sections in this order. The first problem decides the classification. */
export function readSource(envelope: RawSourceEnvelope): SourceReading {
  const read = readBundle(envelope)
  if (read.is === 'rejected') return { ...read, observation_sha256: digestObservation(envelope) }
  const { manifest, sections } = read
  const materials = new Map(sections.map(({ text }) => [digestMaterial(text), text]))
  return { is: 'pinned', source: toPinnedSource(envelope, manifest, sections), materials }
}

type Bundle = { is: 'read'; manifest: SourceManifest; sections: readonly BoundSection[] }

function readBundle({ body, comments }: RawSourceEnvelope): Bundle | Rejection {
  const found = readBody(normalizeLineEnds(body))
  if (found.is === 'rejected') return found
  const read = readManifest(found)
  if (read.is === 'rejected') return read
  const bound = bindSections(read.manifest, comments)
  return bound.is === 'rejected' ? bound : { ...read, sections: bound.sections }
}

function toPinnedSource(
  envelope: RawSourceEnvelope,
  manifest: SourceManifest,
  bound: readonly BoundSection[],
): PinnedSource {
  const { source_version, provider, host, repository_id, issue_id, issue_number, canonical_url, title } = envelope
  const { manifest_version, profile, parent_requirements_revision } = manifest
  const sections = bound.map(toPinnedSection)
  const manifest_revision = digestManifest(manifest)
  return {
    source_version,
    parser_version: 2,
    manifest_version,
    profile,
    provider,
    host,
    repository_id,
    issue_id,
    issue_number,
    canonical_url,
    url_aliases: [],
    source_revision: digestSource({ ...envelope, manifest_revision }),
    manifest_revision,
    requirements_revision: digestRequirements({ profile, sections }),
    ...(parent_requirements_revision !== undefined && { parent_requirements_revision }),
    ...(envelope.parent !== undefined && { parent: envelope.parent }),
    title,
    sections,
  }
}

function toPinnedSection({ section, comment, text, bytes }: BoundSection): PinnedSourceSection {
  const { key, role, title, body_sha256 } = section
  return {
    key,
    role,
    title,
    body_sha256,
    section_revision: digestSection(section, text),
    material_sha256: digestMaterial(text),
    bytes,
    provenance: {
      comment_node_id: comment.node_id,
      comment_database_id: comment.database_id,
      url: comment.url,
      author_id: comment.author_id,
      observed_updated_at: comment.updated_at,
    },
  }
}

/** A section of the manifest, its comment and the text of that comment. */
type BoundSection = { section: ManifestSection; comment: RawSourceComment; text: string; bytes: number }

/** Finds the comment of every section in manifest order. Returns the first rejection. */
export function bindSections(
  { sections }: SourceManifest,
  comments: readonly RawSourceComment[],
): { is: 'bound'; sections: readonly BoundSection[] } | Rejection {
  const left = new Map(comments.map((comment) => [comment.node_id, comment]))
  const bound: BoundSection[] = []
  let totalBytes = 0
  for (const section of sections) {
    const found = bind(section, left.get(section.comment_node_id))
    if ('code' in found) return found
    totalBytes += found.bytes
    if (totalBytes > LIMITS.bundleBytes) {
      return rejectSection(
        section,
        'source_bundle_too_large',
        `the texts up to here have more than ${LIMITS.bundleBytes} bytes together`,
      )
    }
    bound.push(found)
    left.delete(section.comment_node_id)
  }
  const [unexpected] = left.values()
  return unexpected === undefined
    ? { is: 'bound', sections: bound }
    : reject('source_section_unexpected', `the comment ${unexpected.url} is in the envelope but not in the manifest`)
}

function bind(section: ManifestSection, comment: RawSourceComment | undefined): BoundSection | Rejection {
  const { comment_node_id, comment_database_id, key, body_sha256 } = section
  const refuse = (code: InvalidCode, problem: string) => rejectSection(section, code, problem)
  if (comment === undefined) return refuse('source_section_missing', `there is no comment ${comment_node_id}`)
  const { url, database_id, body } = comment
  if (database_id !== comment_database_id) {
    return refuse('source_section_invalid', `${url} has the number ${database_id}, not ${comment_database_id}`)
  }
  if (comment.is_minimized) return refuse('source_section_minimized', `${url} is hidden on the page of the issue`)
  const digest = digestCommentBody(body)
  if (digest !== body_sha256) {
    return refuse('source_section_hash_mismatch', `${url} has the digest ${digest}, the manifest says ${body_sha256}`)
  }
  const { marker, text } = readSection(body)
  if (marker !== sectionMarker(key)) {
    const found = marker === '' ? 'it is empty' : `it is ${excerpt(marker)}`
    return refuse('source_section_invalid', `the first line of ${url} must be ${sectionMarker(key)}, but ${found}`)
  }
  if (isBlank(text)) return refuse('source_section_invalid', `${url} has no text below its marker`)
  const bytes = Buffer.byteLength(text)
  return bytes > LIMITS.sectionBytes
    ? refuse(
        'source_section_too_large',
        `the text of ${url} has ${bytes} bytes, at most ${LIMITS.sectionBytes} are allowed`,
      )
    : { section, comment, text, bytes }
}

function rejectSection({ key }: ManifestSection, code: InvalidCode, problem: string): Rejection {
  return reject(code, `section ${key}: ${problem}`)
}

type CandidateFields = Pick<SourceCandidate, 'candidate_id' | 'created_at'>

/** The source candidate message for an envelope and its classification. */
export function toCandidate(
  envelope: RawSourceEnvelope,
  reading: SourceReading,
  { candidate_id, created_at }: CandidateFields,
): SourceCandidate {
  const { source_version, provider, host, repository_id, issue_id, issue_number, canonical_url, parent } = envelope
  const projection = {
    source_version,
    parser_version: 2,
    provider,
    host,
    repository_id,
    issue_id,
    issue_number,
    canonical_url,
    url_aliases: [],
    ...(parent !== undefined && { parent }),
    created_at,
  } as const
  return checkSourceCandidate({ candidate_id, ...toVerdict(reading), ...projection })
}

function toVerdict(reading: SourceReading) {
  if (reading.is === 'rejected') {
    return {
      valid: false,
      classification: 'invalid',
      classification_code: reading.code,
      classification_error: reading.error,
      observation_sha256: reading.observation_sha256,
    } as const
  }
  const { source } = reading
  return {
    valid: true,
    classification: 'valid',
    classification_code: 'valid_change',
    source_revision: source.source_revision,
    requirements_revision: source.requirements_revision,
    title: source.title,
    snapshot: source,
  } as const
}
