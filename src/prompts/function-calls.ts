/** The id of a call that a turn waits for names its execution: whatever server gets the result finds the turn. */

import type { ToolReply } from '../agents/adapter/client-tool.ts'
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

/** Calls of functions and their results, as text for an agent that did not make them. */
export function quoteCall(name: string, input: string): string {
  return `[calls the tool ${name}, with these arguments]\n${input}`
}

export function quoteReply(name: string, { content, isError }: ToolReply): string {
  const texts = content.map((part) => (part.type === 'text' ? part.text : `[an image, ${part.mimeType}]`))
  return [`[${isError ? 'error' : 'result'} of the tool ${name}]`, ...texts].join('\n')
}
