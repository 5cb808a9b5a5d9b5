import type { RunVerdict } from '../../contract/run-verdict.shape.ts'

/** What `drover drive` exits with. The other words do not end a drive. */
export const VERDICT_EXIT = {
  delivered: 0,
  'delivered, look first': 5,
  'nothing to change': 0,
  merged: 0,
  'not delivered': 3,
  'waits for you': 4,
  'paused by limit': 4,
} as const satisfies Partial<Record<RunVerdict['word'], number>>
