/** Which kind of notification a run is worth. Pure. */
import type { RunVerdict } from '../../contract/run-verdict.shape.ts'
import type { NotifyKind } from '../../notify/notify-event.ts'
import type { DriveState } from '../record/drive-state.ts'

/** Undefined: no one has to know. */
export function toNotifyKind(
  { word }: Pick<RunVerdict, 'word'>,
  { paused }: Pick<DriveState, 'paused'>,
): NotifyKind | undefined {
  switch (word) {
    case 'waits for you':
      return 'question'
    case 'delivered':
    case 'delivered, look first':
    case 'merged':
    case 'nothing to change':
      return 'delivered'
    case 'not delivered':
      return 'failed'
    case 'waiting for limit':
      return 'limit'
    case 'paused by limit':
      return paused?.reason === 'agent_limited' ? 'limit' : 'budget'
    default:
      return undefined
  }
}
