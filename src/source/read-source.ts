import { LIMITS } from '../contract/limits.ts'
import type { PinnedSource, PinnedSourceSection } from '../contract/pinned-source.shape.ts'
import type { RawSourceEnvelope } from '../contract/raw-source-envelope.shape.ts'
import { checkRawSourceEnvelope } from '../contract/raw-source-envelope.ts'
import { digestMaterial } from '../kit/digest.ts'
import { readJson } from '../kit/json/read-json.ts'
import { type BoundSection, bindSections } from './bind-sections.ts'
import type { Rejection } from './classification.ts'
import { readBody } from './read-issue-body.ts'
import { readManifest } from './read-manifest.ts'
import { digestManifest, digestObservation, digestRequirements, digestSection, digestSource } from './revisions.ts'
import type { SourceManifest } from './source-manifest.shape.ts'
import { normalizeLineEnds } from './text-lines.ts'

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
