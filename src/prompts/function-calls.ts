/** The id of a call that a turn waits for names its execution: whatever server gets the result finds the turn. */
import { randomIds } from '../kit/ids.ts'

const EXECUTION = 'exec_'
const WAITING = /^call_([0-9a-f]{24})[0-9a-f]{8}$/
/** Enough for the calls of one turn. */
const WAITING_BYTES = 4
const BYTES = 12

/** Without an execution, no turn waits for the result. */
export function newCallId(executionId?: string): string {
  if (executionId === undefined) return `call_${randomIds.hex(BYTES)}`
  return `call_${executionId.slice(EXECUTION.length)}${randomIds.hex(WAITING_BYTES)}`
}

/** Undefined if no turn waits for the result of the call. */
export function executionOfCall(callId: string): string | undefined {
  const [, execution] = WAITING.exec(callId) ?? []
  return execution && EXECUTION + execution
}
