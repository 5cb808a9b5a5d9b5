/** Which kind of notification a run is worth. Pure. */
import type { RunVerdict } from '../../contract/run-verdict.shape.ts'
import type { NotifyKind } from '../../notify/notify-event.ts'
import type { DriveState } from '../record/drive-state.ts'

const KINDS: Partial<Record<RunVerdict['word'], NotifyKind>> = {
  'waits for you': 'question',
  delivered: 'delivered',
  'delivered, look first': 'delivered',
  merged: 'delivered',
  'nothing to change': 'delivered',
  'not delivered': 'failed',
  'waiting for limit': 'limit',
}

/** Undefined: no one has to know. */
export function toNotifyKind(
  { word }: Pick<RunVerdict, 'word'>,
  { paused }: Pick<DriveState, 'paused'>,
): NotifyKind | undefined {
  if (word === 'paused by limit') return paused?.reason === 'agent_limited' ? 'limit' : 'budget'
  return KINDS[word]
}
