import type { Digest } from '../kit/digest.ts'
import { type FoundFile, isBlocked } from './found-files.ts'

/**
 * The status of a file, compared with what drover generates. A file is claimed if the ownership manifest lists it.
 * - `pristine`: claimed, and as this release generates it
 * - `earlier`: claimed, and as an earlier release generated it
 * - `missing`: claimed, and does not exist
 * - `modified`: claimed, and changed since
 * - `stale`: exists, but is claimed with a digest that no release generated, so the claim proves nothing
 * - `unclaimed`: exists and is not claimed, whatever its content
 * - `new`: neither exists nor is claimed
 * - `blocked`: cannot be inspected
 */
export type FileStatus = 'pristine' | 'earlier' | 'missing' | 'modified' | 'stale' | 'unclaimed' | 'new' | 'blocked'

export type FileFacts = {
  readonly found: FoundFile
  /** The digest in the manifest. */
  readonly claim: Digest | undefined
  /** The digest that this release generates; undefined for a path that only an earlier release had. */
  readonly current: Digest | undefined
  /** The digests that earlier releases generated at this path. */
  readonly earlier: readonly Digest[]
}

export function classifyFile({ found, claim, current, earlier }: FileFacts): FileStatus {
  if (isBlocked(found)) return 'blocked'
  if (found.is === 'absent') return claim === undefined ? 'new' : 'missing'
  if (claim === undefined) return 'unclaimed'
  if (claim !== current && !earlier.includes(claim)) return 'stale'
  if (found.is !== 'regular') return 'modified'
  if (found.digest === current) return 'pristine'
  return earlier.includes(found.digest) ? 'earlier' : 'modified'
}
