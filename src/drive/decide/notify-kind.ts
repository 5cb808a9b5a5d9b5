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

/** Undefined: no one has to know. Who stops a run knows it. */
export function toNotifyKind(
  { word }: Pick<RunVerdict, 'word'>,
  { paused, isStopped = false }: Pick<DriveState, 'paused'> & { readonly isStopped?: boolean },
): NotifyKind | undefined {
  if (isStopped) return undefined
  if (word === 'paused by limit') return paused?.reason === 'agent_limited' ? 'limit' : 'budget'
  return KINDS[word]
}
