/** `POST /openai/v1/responses/compact`: the latest turns of a conversation as one item, without asking a model. */
import { carryTurns, type QuotedTurn } from '../../executions/carry-conversation.ts'
import { messageInvalid } from '../../kit/faults.ts'
import { checker } from '../../kit/schema.ts'
import { readTools } from '../compatible/client-tools.ts'
import { bridge } from '../compatible/read-tools.ts'
import type { Exchange } from '../executions/requested-execution.ts'
import { validateCompactRequest } from '../request/checks.generated.js'
import { findPrevious, turnsUpTo } from './continue-response.ts'
import { resolveReferences } from './create-response.ts'
import { readInput, type StoredMessage, toCompacted, toStoredMessages } from './response-input.ts'
import type { CompactedResponse, CompactRequest } from './responses.shape.ts'

const ID_BYTES = 12

export const checkCompactRequest = checker<CompactRequest>('the request', validateCompactRequest)

export async function compactResponse(asked: CompactRequest, exchange: Exchange): Promise<CompactedResponse> {
  const { request, context } = exchange
  const { drover, ids, clock, config } = context
  const { client_tools: clientTools } = config.server
  const { entries } = readInput(asked.input ?? [], { clientTools })
  const said = await resolveReferences(entries, exchange)
  const { messages } = bridge(said, readTools({}, clientTools), { hasCalls: !asked.previous_response_id })
  const turns = toTurns(toStoredMessages(messages))
  const id = asked.previous_response_id
  const earlier = id ? await turnsUpTo(await findPrevious(id, request, context), { request, context }) : undefined
  if (earlier === undefined && turns.length === 0) {
    const rule = 'must have a message, or previous_response_id must be sent'
    throw messageInvalid({ message: 'the request', problems: [{ path: '$.input', rule }] })
  }
  const talk = { kept: [], missing: 0, ...earlier, said: turns }
  const { text } = await carryTurns(talk, drover.opened.executions, ids)
  const random = ids.hex(ID_BYTES)
  return {
    id: `resp_${random}`,
    object: 'response.compaction',
    created_at: Math.floor(clock.now().getTime() / 1000),
    output: [{ type: 'compaction', id: `cmp_${random}`, encrypted_content: toCompacted(text) }],
    usage: {
      input_tokens: 0,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 0,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 0,
    },
  }
}

/** An answer belongs to the message before it. */
function toTurns(messages: readonly StoredMessage[]): QuotedTurn[] {
  const turns: { prompt: string; answer?: string; tools: [] }[] = []
  for (const { role, text } of messages) {
    const last = turns.at(-1)
    if (role === 'user') turns.push({ prompt: text, tools: [] })
    else if (role === 'assistant' && last === undefined) turns.push({ prompt: '', answer: text, tools: [] })
    else if (role === 'assistant' && last !== undefined)
      last.answer = last.answer === undefined ? text : `${last.answer}\n\n${text}`
  }
  return turns.map((turn) => ({ backend: 'assistant', turn }))
}
