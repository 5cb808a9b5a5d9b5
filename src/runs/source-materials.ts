/** The section texts of a source, as materials of the journal. */
import type { Run } from '../engine/state/run.ts'
import type { Material } from '../journal/materials.ts'
import type { Digest } from '../kit/digest.ts'
import { encodeUtf8 } from '../kit/utf8.ts'
import type { SourceReading } from '../source/read-source.ts'

export type PinnedReading = Extract<SourceReading, { is: 'pinned' }>

export function toMaterials(reading: SourceReading | undefined): readonly Material[] {
  if (reading?.is !== 'pinned') return []
  return Array.from(reading.materials, ([digest, text]) => ({ digest: digest as Digest, bytes: encodeUtf8(text) }))
}

/** The section texts that only a rejected candidate used. */
export function rejectedMaterials(before: Run, after: Run): readonly Digest[] {
  const candidate = before.source_candidate?.snapshot
  if (candidate === undefined || after.source_candidate !== undefined) return []
  const accepted = new Set(after.accepted_sections.map(({ material_sha256 }) => material_sha256))
  const texts = new Set(candidate.sections.map(({ material_sha256 }) => material_sha256))
  return [...texts].filter((digest) => !accepted.has(digest)) as Digest[]
}
