import type { GitObservation, PathObservation } from '../contract/git-observation.shape.ts'
import { type Digest, digestSections } from '../kit/digest.ts'

type Section = readonly [name: string, content: string]

/** Covers all paths in order. */
export function fingerprintPaths(observations: readonly PathObservation[]): Digest {
  return digestSections([['path_count', `${observations.length}`], ...observations.flatMap(toSections)])
}

/** Covers a whole observation: two observations with the same hash are equal. */
export function hashSnapshot(observation: Omit<GitObservation, 'snapshot_hash'>): Digest {
  const fields = [
    'version',
    'head',
    'index_fingerprint',
    'status_fingerprint',
    'path_count',
    'path_fingerprint',
    'details_truncated',
    'content_observation_complete',
    'content_bytes_hashed',
    'content_byte_limit',
    'content_byte_limit_exceeded',
    'content_deadline_exceeded',
  ] as const
  const { path_observations } = observation
  return digestSections([
    ...fields.map((field) => [field, `${observation[field]}`] as const),
    ['retained_path_count', `${path_observations.length}`],
    ...path_observations.flatMap(toSections),
  ])
}

function toSections(observation: PathObservation): Section[] {
  return [
    ['path', observation.path],
    ['category', observation.category],
    ['state', observation.state],
    ['observation', observation.observation],
    ['size', `${observation.size ?? 'unknown'}`],
    ['modified_unix_nano', `${observation.modified_unix_nano ?? 'unknown'}`],
    ['content_sha256', observation.content_sha256 ?? ''],
    ['content_fingerprint_kind', observation.content_fingerprint_kind ?? ''],
  ]
}
