import type { Digest } from '../kit/digest.ts'
import { type FoundFile, isBlocked } from './found-files.ts'

/**
 * How a file stands to what drover generates:
 * - `pristine`: claimed, and what this release generates;
 * - `earlier`: claimed, and what an earlier release generated;
 * - `missing`: claimed, and not there;
 * - `modified`: claimed, and something else by now;
 * - `stale`: there, but the claim names bytes that no release generated, so it proves nothing;
 * - `unclaimed`: there, and not claimed, whatever it holds;
 * - `new`: neither there nor claimed;
 * - `blocked`: nobody can say.
 */
export type Standing = 'pristine' | 'earlier' | 'missing' | 'modified' | 'stale' | 'unclaimed' | 'new' | 'blocked'

export type FileFacts = {
  readonly found: FoundFile
  /** The digest in the manifest. */
  readonly claim: Digest | undefined
  /** What this release generates; undefined for a path that only an earlier one had. */
  readonly current: Digest | undefined
  /** What earlier releases generated at this path. */
  readonly earlier: readonly Digest[]
}

export function classifyFile({ found, claim, current, earlier }: FileFacts): Standing {
  if (isBlocked(found)) return 'blocked'
  if (found.is === 'absent') return claim === undefined ? 'new' : 'missing'
  if (claim === undefined) return 'unclaimed'
  if (claim !== current && !earlier.includes(claim)) return 'stale'
  if (found.is !== 'regular') return 'modified'
  if (found.digest === current) return 'pristine'
  return earlier.includes(found.digest) ? 'earlier' : 'modified'
}
