import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PromptResult } from '../../prompts/prompt-result.ts'
import type { OutputItem } from './response-object.shape.ts'
import type { ResponseRecord } from './response-record.ts'
import { type AnyEvent, type NumberedEvent, type ResponseEnd, ResponseWriter } from './response-writer.ts'

const RECORD: ResponseRecord = {
  api: 'responses',
  model: 'claude',
  store: true,
  background: false,
  stream: true,
  metadata: {},
  summary: 'auto',
  owns_session: true,
}
const execution = { id: `exec_${'a'.repeat(24)}`, createdAt: '2026-01-31T09:30:00.000Z' }
const token_usage = { input_tokens: 10, output_tokens: 4, cached_tokens: 0, reasoning_tokens: 1 }
const result: PromptResult = {
  ...{ session_id: '', backend: 'codex', exit_code: 0, duration_ms: 1, output: 'the answer', token_usage },
}
const completed: ResponseEnd = { status: 'completed', result, prompt: 'x' }

const said = (text: string, isPartial = true): AnyEvent => ({
  type: 'message',
  content: { text, is_partial: isPartial },
})
const thought = (text: string, isPartial = true): AnyEvent => ({
  type: 'thinking',
  content: { text, is_partial: isPartial },
})
const tool: AnyEvent = { type: 'tool_use', content: {} }

function write(events: readonly AnyEvent[], end: ResponseEnd = completed, over: object = {}, isWhole = false) {
  const writer = new ResponseWriter({ execution, record: { ...RECORD, ...over }, isWhole })
  const sent = [...writer.begin(), ...events.flatMap((event) => writer.event(event)), ...writer.end(end)]
  return { sent, response: writer.response() }
}

const textOf = (item: OutputItem) => {
  if (item.type === 'function_call') return item.arguments
  if (item.type === 'custom_tool_call') return item.input
  return item.type === 'message' ? item.content[0]?.text : item.summary[0]?.text
}

const texts = ({ response }: ReturnType<typeof write>) => response.output.map((item) => `${item.type}: ${textOf(item)}`)

describe('the output of a response', () => {
  it.each<[string, AnyEvent[], string[]]>([
    ['an answer in pieces', [said('Hel'), said('lo')], ['message: Hello']],
    ['no text', [], ['message: the answer']],
    ['a thought', [thought('hm'), thought('m'), said('yes')], ['reasoning: hmm', 'message: yes']],
    ['whole messages', [said('one', false), said('two', false)], ['message: one\n\ntwo']],
    ['text around a tool', [said('look'), tool, said('done')], ['message: look', 'message: \n\ndone']],
    [
      'thoughts in between',
      [thought('a'), said('one'), thought('b'), tool, thought('c'), said('two')],
      ['reasoning: a', 'message: one', 'reasoning: b\n\nc', 'message: \n\ntwo'],
    ],
    ['only a thought', [thought('hm')], ['reasoning: hm', 'message: the answer']],
  ])('has items for %s', (_, events, items) => {
    expect(texts(write(events))).toEqual(items)
  })

  it.each<[string, AnyEvent[], (string | undefined)[]]>([
    ['one message', [said('yes')], ['final_answer']],
    ['no text', [], ['final_answer']],
    ['text around a tool', [said('look'), tool, said('done')], ['commentary', 'final_answer']],
    ['a tool after the last words', [said('done'), tool], ['final_answer']],
    ['a thought in between', [said('one'), thought('b'), said('two')], ['commentary', undefined, 'final_answer']],
  ])('says which message is the answer: %s', (_, events, phases) => {
    const phaseOf = (item: OutputItem) => (item.type === 'message' ? item.phase : undefined)
    expect(write(events).response.output.map(phaseOf)).toEqual(phases)
  })

  it('has only commentary before calls of functions of the client', () => {
    const calls = [{ call_id: 'call_1', tool_name: 'add', arguments: '{}' }]
    const { response } = write([said('look')], {
      ...completed,
      result: { ...result, tool_calls: calls },
    } as ResponseEnd)
    expect(response.output).toMatchObject([{ phase: 'commentary' }, { type: 'function_call' }])
  })

  it('has no thoughts unless they are requested, and the final answer if that is requested', () => {
    const events = [thought('hm'), said('look'), tool, said('done')]
    const { summary: _, ...silent } = RECORD
    const writer = new ResponseWriter({ execution, record: silent, isWhole: false })
    for (const event of events) writer.event(event)
    writer.end(completed)
    expect(writer.response().output.map(({ type }) => type)).toEqual(['message', 'message'])
    expect(texts(write(events, completed, {}, true))).toEqual(['reasoning: hm', 'message: the answer'])
  })

  it.each<[ResponseEnd, object, string]>([
    [completed, { status: 'completed', error: null, usage: { total_tokens: 14 } }, 'response.completed'],
    [{ status: 'cancelled' }, { status: 'cancelled', error: null, usage: null }, 'response.incomplete'],
    [
      {
        status: 'failed',
        error: { status: 429, message: 'm', retryable: true, headers: { 'x-drover-error': 'agent_rate_limited' } },
      },
      {
        status: 'failed',
        error: { code: 'rate_limit_exceeded', message: 'm', agent_error: 'agent_rate_limited', retryable: true },
      },
      'response.failed',
    ],
    [
      { status: 'failed', error: { status: 402, message: 'm', retryable: false } },
      { error: { code: 'insufficient_quota' } },
      'response.failed',
    ],
    [
      { status: 'failed', error: { status: 400, message: 'm', retryable: false } },
      { error: { code: 'invalid_prompt' } },
      'response.failed',
    ],
    [
      { status: 'failed', error: { status: 502, message: 'm', retryable: false } },
      { error: { code: 'server_error' } },
      'response.failed',
    ],
  ])('ends as %j', (end, fields, type) => {
    const { sent, response } = write([said('part')], end)
    expect(response).toMatchObject(fields)
    expect(sent.at(-1)).toEqual({ type, sequence_number: sent.length - 1, response })
    expect(response.output[0]?.status).toBe(end.status === 'completed' ? 'completed' : 'incomplete')
  })
})

/** What a client builds from the deltas, by the id of the item. */
function joinDeltas(events: readonly NumberedEvent[]): Record<string, string> {
  const joined: Record<string, string> = {}
  for (const { type, item_id: id, delta } of events) {
    if (type.endsWith('.delta')) joined[String(id)] = (joined[String(id)] ?? '') + String(delta)
  }
  return joined
}

describe('the events of a response', () => {
  const text = fc.string({ minLength: 1, maxLength: 5 })
  const event = fc.oneof(
    fc.tuple(text, fc.boolean()).map(([each, isPartial]) => said(each, isPartial)),
    fc.tuple(text, fc.boolean()).map(([each, isPartial]) => thought(each, isPartial)),
    fc.constantFrom<AnyEvent>(tool, { type: 'token_usage', content: {} }, { type: 'init', content: {} }),
  )

  it('are numbered, open and close each item once, and build the response', () => {
    fc.assert(
      fc.property(fc.array(event), fc.boolean(), (events, isWhole) => {
        const { sent, response } = write(events, completed, {}, isWhole)
        expect(sent.map(({ sequence_number: number }) => number)).toEqual(sent.map((_, at) => at))
        const indexes = (type: string) => sent.filter((each) => each.type === type).map((each) => each['output_index'])
        const all = response.output.map((_, at) => at)
        expect(indexes('response.output_item.added')).toEqual(all)
        expect(indexes('response.output_item.done')).toEqual(all)
        const built = response.output.map((item) => [item.id, textOf(item)])
        expect(joinDeltas(sent)).toEqual(Object.fromEntries(built))
      }),
    )
  })

  it('are the same whenever they are written again', () => {
    fc.assert(
      fc.property(fc.array(event), (events) => {
        expect(write(events)).toEqual(write(structuredClone(events)))
      }),
    )
  })
})

describe('calls of functions of the client', () => {
  it('are items after the text, with their arguments in pieces', () => {
    const long = JSON.stringify({ x: 'y'.repeat(5000) })
    const calls = [
      { call_id: 'call_1', tool_name: 'add', arguments: '{}' },
      { call_id: 'call_2', tool_name: 'sub', arguments: long },
    ]
    const { sent, response } = write([], { ...completed, result: { ...result, tool_calls: calls } } as ResponseEnd)
    expect(response.output).toEqual([
      { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'add', arguments: '{}', status: 'completed' },
      { type: 'function_call', id: 'fc_2', call_id: 'call_2', name: 'sub', arguments: long, status: 'completed' },
    ])
    expect(joinDeltas(sent)).toEqual({ fc_1: '{}', fc_2: long })
    expect(sent.map(({ sequence_number: number }) => number)).toEqual(sent.map((_, at) => at))
  })
})
