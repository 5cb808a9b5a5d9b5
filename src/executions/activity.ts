/** What a running execution does right now, in one line. Pure. */
import type { Usage } from '../agents/adapter/agent.ts'
import { describeToolInput } from '../agents/describe-for-people.ts'
import type { ExecutionEvent } from './store/execution.shape.ts'

/** `text`: the last line of its answer or thoughts, or its last tool call. `open`: the end of a text that is being written, as it is. */
export type CurrentActivity = { text: string; open: string; usage: Usage | undefined }

const MAX_LENGTH = 200

type Content = { text?: string; is_partial?: boolean; tool_name?: string; input?: unknown }

/** Undefined if the event changes nothing. */
export function nextActivity(
  before: CurrentActivity | undefined,
  { type, content }: ExecutionEvent,
): CurrentActivity | undefined {
  const usage = before?.usage
  const { text = '', is_partial: isPartial = false, tool_name: tool = 'tool', input } = content as Content
  switch (type) {
    case 'message':
    case 'thinking': {
      const whole = (before?.open ?? '') + text
      const line = lastLine(whole)
      const open = isPartial ? whole.slice(-2 * MAX_LENGTH) : ''
      return line === '' ? before && { ...before, open } : { text: line, open, usage }
    }
    case 'tool_use':
      return { text: lastLine(`${tool}: ${describeToolInput(input)}`), open: '', usage }
    case 'token_usage':
      return { text: before?.text ?? '', open: before?.open ?? '', usage: content as unknown as Usage }
    default:
      return undefined
  }
}

/** The end of a long line: that is what changes. */
function lastLine(text: string): string {
  const line = text.trimEnd().split('\n').at(-1) ?? ''
  return line.length > MAX_LENGTH ? line.slice(-MAX_LENGTH).toWellFormed() : line
}
