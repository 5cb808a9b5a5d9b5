import { digest } from '../kit/digest.ts'
import { type FoundFile, isBlocked } from './found.ts'

/** Says that drover was here, and nothing about which files are its own. */
export const SENTINEL = 'generated\n'

const SENTINEL_DIGEST = digest(SENTINEL)

export type SentinelState = 'whole' | 'missing' | 'modified' | 'blocked'

export function sentinelState(found: FoundFile): SentinelState {
  if (isBlocked(found)) return 'blocked'
  if (found.is === 'absent') return 'missing'
  return found.is === 'regular' && found.digest === SENTINEL_DIGEST ? 'whole' : 'modified'
}
