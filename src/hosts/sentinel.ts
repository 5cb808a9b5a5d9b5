import { digest } from '../kit/digest.ts'
import type { FoundFile } from './found.ts'

/** Says that drover was here, and nothing about which files are its own. */
export const SENTINEL = 'generated\n'

const SENTINEL_DIGEST = digest(SENTINEL)

export type SentinelState = 'whole' | 'missing' | 'modified' | 'unreadable'

export function sentinelState(found: FoundFile): SentinelState {
  if (found.is === 'unreadable') return 'unreadable'
  if (found.is === 'absent') return 'missing'
  return found.is === 'regular' && found.digest === SENTINEL_DIGEST ? 'whole' : 'modified'
}
