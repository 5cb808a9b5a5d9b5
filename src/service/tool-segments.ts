/**
 * A turn in which an agent calls functions of its client has several parts: each ends with calls, and the last one with the
 * result. Every part is what one request of the client gets.
 */
import type { Usage } from '../agents/adapter/agent.ts'
import { withoutPrior } from '../agents/adapter/token-usage.ts'
import type { PromptEvent } from '../prompts/prompt-event.ts'
import type { PartResult } from '../prompts/prompt-result.ts'
import type { PromptStream } from '../prompts/prompt-run.ts'
import type { Running } from './drover-service.ts'

type Segment = {
  id: string
  part: number
  /** What the turn had used when the part began. */
  before: Usage
  /** The events of the turn from the beginning of the part on. */
  events: () => PromptStream
}

/** Reading ends with the first calls. The turn waits then. */
export function runSegment({ id, part, before, events }: Segment): Running<PartResult> {
  const read = () => untilCalls(events(), before)
  return {
    id,
    part,
    events: read,
    result: async (onEvent) => {
      const run = read()
      let next = await run.next()
      for (; next.done !== true; next = await run.next()) onEvent?.(next.value)
      return next.value
    },
  }
}

async function* untilCalls(events: PromptStream, before: Usage): AsyncGenerator<PromptEvent, PartResult, undefined> {
  try {
    let next = await events.next()
    for (; next.done !== true; next = await events.next()) {
      if (next.value.type === 'tool_request') return toPart(next.value, before)
      yield next.value
    }
    const { token_usage: usage } = next.value
    return { ...next.value, token_usage: withoutPrior(usage, before) }
  } finally {
    await events.return(undefined as never)
  }
}

function toPart(promptEvent: Extract<PromptEvent, { type: 'tool_request' }>, before: Usage): PartResult {
  const { backend, session_id: sessionId, content } = promptEvent
  const { calls, token_usage: usage = before } = content
  return {
    ...{ session_id: sessionId, backend, exit_code: 0, duration_ms: 0, output: '' },
    token_usage: withoutPrior(usage, before),
    tool_calls: calls,
  }
}
