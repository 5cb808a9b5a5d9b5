/**
 * The public compliance cases of Open Responses (openresponses.org, document version 2026-04-24), in our own words: what is sent, and what
 * the answer must have. The values of fields that no case reads are checked by their type.
 */
import { expect } from 'vitest'
import { z } from 'zod'
import { PDF, PNG } from './sample-files.ts'

const text = z.string()
const whole = z.int()
const [nullableText, nullableWhole] = [text.nullable(), whole.nullable()]
const status = z.enum(['in_progress', 'completed', 'incomplete'])
const phase = z.enum(['commentary', 'final_answer'])

const Part = z.discriminatedUnion('type', [
  z.object({ type: z.literal('output_text'), text, annotations: z.array(z.unknown()) }),
  z.object({ type: z.literal('summary_text'), text }),
])

const Item = z.discriminatedUnion('type', [
  z.object({
    ...{ type: z.literal('message'), id: text, status, content: z.array(Part), phase: phase.optional() },
    role: z.literal('assistant'),
  }),
  z.object({ type: z.literal('function_call'), id: text, call_id: text, name: text, arguments: text, status }),
  z.object({ type: z.literal('reasoning'), id: text, summary: z.array(Part) }),
  z.object({ type: z.literal('compaction'), id: text, encrypted_content: text }),
])

const Usage = z.object({
  ...{ input_tokens: whole, output_tokens: whole, total_tokens: whole },
  input_tokens_details: z.object({ cached_tokens: whole }),
  output_tokens_details: z.object({ reasoning_tokens: whole }),
})

const Resource = z.object({
  ...{ id: text, object: z.literal('response'), created_at: whole, completed_at: nullableWhole, status: text },
  ...{ model: text, previous_response_id: nullableText, instructions: nullableText, output: z.array(Item) },
  incomplete_details: z.object({ reason: text }).nullable(),
  error: z.object({ code: text, message: text }).nullable(),
  tools: z.array(z.object({ type: text })),
  tool_choice: z.union([z.enum(['none', 'auto', 'required']), z.object({ type: text })]),
  truncation: z.enum(['auto', 'disabled']),
  text: z.object({ format: z.object({ type: text }) }),
  ...{ top_p: z.number(), temperature: z.number(), presence_penalty: z.number(), frequency_penalty: z.number() },
  ...{ top_logprobs: whole, max_output_tokens: nullableWhole, max_tool_calls: nullableWhole },
  reasoning: z.object({ effort: nullableText, summary: nullableText }).nullable(),
  usage: Usage.nullable(),
  ...{ parallel_tool_calls: z.boolean(), store: z.boolean(), background: z.boolean(), service_tier: text },
  ...{ metadata: z.record(text, text), safety_identifier: nullableText, prompt_cache_key: nullableText },
})
type Resource = z.infer<typeof Resource>

const Compacted = z.object({
  ...{ id: text, object: z.literal('response.compaction'), created_at: whole, output: z.array(Item), usage: Usage },
})

const event = <T extends string>(type: T, fields: Record<string, z.ZodType> = {}) =>
  z.object({ type: z.literal(type), sequence_number: whole, ...fields })
const ofItem = { output_index: whole, item: Item }
const ofPart = { item_id: text, output_index: whole, content_index: whole }
const ofSummary = { item_id: text, output_index: whole, summary_index: whole }
const ofCall = { item_id: text, output_index: whole }

const Event = z.discriminatedUnion('type', [
  event('response.created', { response: Resource }),
  event('response.in_progress', { response: Resource }),
  event('response.output_item.added', ofItem),
  event('response.output_item.done', ofItem),
  event('response.content_part.added', { ...ofPart, part: Part }),
  event('response.content_part.done', { ...ofPart, part: Part }),
  event('response.output_text.delta', { ...ofPart, delta: text }),
  event('response.output_text.done', { ...ofPart, text }),
  event('response.reasoning_summary_part.added', { ...ofSummary, part: Part }),
  event('response.reasoning_summary_part.done', { ...ofSummary, part: Part }),
  event('response.reasoning_summary_text.delta', { ...ofSummary, delta: text }),
  event('response.reasoning_summary_text.done', { ...ofSummary, text }),
  event('response.function_call_arguments.delta', { ...ofCall, delta: text }),
  event('response.function_call_arguments.done', { ...ofCall, arguments: text }),
  event('response.completed', { response: Resource }),
  event('response.failed', { response: Resource }),
  event('response.incomplete', { response: Resource }),
])

/** `url` ends before `/responses`. */
export type Target = {
  url: string
  model: string
  /** How the model is brought to call the function: what is added to the prompt and to the request. */
  toCall: (call: { name: string; args: object }) => { prompt?: string; request?: object }
}

const NO_WEBSOCKET = 'drover serves the API by HTTP only'
const NO_STORES = 'drover has no such tool of a vendor'

/** The cases that are left out, with the reason. */
export const SKIPPED: readonly { title: string; reason: string }[] = [
  { title: 'Response Output Phase Schema', reason: 'it checks a text of the suite itself and sends nothing' },
  ...[
    ...['WebSocket Response', 'WebSocket Sequential Responses', 'WebSocket Continuation'],
    ...['WebSocket Store False Reconnect Recovery', 'WebSocket Missing Previous Response'],
    ...['WebSocket Failed Continuation Evicts Cache', 'WebSocket Compact New Chain'],
  ].map((title) => ({ title, reason: NO_WEBSOCKET })),
  ...['File Search', 'Offline Web Search'].map((title) => ({ title, reason: NO_STORES })),
]

export const CASES: readonly { title: string; run(target: Target): Promise<unknown> }[] = [
  { title: 'Basic Text Response', run: (target) => answer(target, [user('Greet me in three words.')]) },
  {
    title: 'Assistant Message Phase',
    run: (target) =>
      answer(target, [
        { ...assistant('I look for the number that was saved.'), phase: 'commentary' },
        { ...assistant('It is seven.'), phase: 'final_answer' },
        user('Say the number again.'),
      ]),
  },
  {
    title: 'Streaming Response',
    run: async (target) => completed((await stream(target, { input: [user('Count to five.')] })).response),
  },
  {
    title: 'System Prompt',
    run: (target) => answer(target, [{ ...user('Talk like a sailor.'), role: 'system' }, user('Greet me.')]),
  },
  { title: 'Tool Calling', run: async (target) => callIn(await create(target, weather(target))) },
  {
    title: 'Tool Calling (Streaming)',
    async run(target) {
      const { events, response } = await stream(target, weather(target))
      const call = callIn(response)
      const of = (type: string) => events.filter((each) => each.type === type) as unknown as CallEvent[]
      const itemsOf = (type: string) => of(type).filter(({ item }) => item?.type === 'function_call')
      expect(itemsOf('response.output_item.added')).toHaveLength(1)
      const deltas = of('response.function_call_arguments.delta')
      expect(deltas.map(({ delta }) => delta).join('')).toBe(call.arguments)
      expect(of('response.function_call_arguments.done')).toMatchObject([{ arguments: call.arguments }])
      expect(itemsOf('response.output_item.done')).toMatchObject([{ item: call }])
    },
  },
  {
    title: 'Function Call Round Trip',
    async run(target) {
      const request = weather(target)
      const first = await create(target, request)
      const { id: _, status: __, ...call } = callIn(first)
      const result = { type: 'function_call_output', call_id: call.call_id, output: '{"celsius":18}' }
      const { tool_choice: ___, ...rest } = request
      completed(await create(target, { ...rest, input: [...request.input, call, result] }))
    },
  },
  {
    title: 'Image Input',
    run: (target) => answer(target, [withFile({ type: 'input_image', image_url: dataUrl('image/png', PNG) })]),
  },
  {
    title: 'File Input',
    run: (target) =>
      answer(target, [
        withFile({ type: 'input_file', filename: 'page.pdf', file_data: dataUrl('application/pdf', PDF) }),
      ]),
  },
  {
    title: 'Multi-turn Conversation',
    run: (target) =>
      answer(target, [user('I am called Ada.'), assistant('Good morning, Ada.'), user('What am I called?')]),
  },
  {
    title: 'Previous Response ID',
    async run(target) {
      const first = await create(target, { input: 'Keep this word: mango. Say only OK.' })
      const next = await create(target, { input: 'Which word was it?', previous_response_id: first.id })
      expect(completed(next).previous_response_id).toBe(first.id)
    },
  },
  {
    title: 'Compaction Endpoint',
    async run(target) {
      const input = [user('We ship on Friday.'), assistant('Noted: Friday.')]
      const response = await post(target, '/responses/compact', { model: target.model, prompt_cache_key: 'key', input })
      expect(response.status).toBe(200)
      expect(Compacted.parse(await response.json()).output.map(({ type }) => type)).toContain('compaction')
    },
  },
  {
    title: 'Compaction Missing Required Model',
    run: async (target) => {
      const response = await post(target, '/responses/compact', { input: [user('Compact this.')] })
      expect([400, 422]).toContain(response.status)
    },
  },
]

type CallEvent = { item?: { type: string }; delta?: string; arguments?: string }

const user = (content: unknown) => ({ type: 'message', role: 'user', content })
const assistant = (content: string) => ({ type: 'message', role: 'assistant', content })
const withFile = (file: object) => user([{ type: 'input_text', text: 'What is this? One sentence.' }, file])
const dataUrl = (type: string, data: Buffer) => `data:${type};base64,${data.toString('base64')}`

function weather({ toCall }: Target) {
  const name = 'read_weather'
  const { prompt = '', request } = toCall({ name, args: { city: 'Oslo' } })
  const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
  const tools = [{ type: 'function', name, description: 'Reads the weather of a city', parameters }]
  return { input: [user(`How is the weather in Oslo? ${prompt}`)], tools, ...request } as {
    input: object[]
    tool_choice?: unknown
  }
}

async function answer(target: Target, input: object[]): Promise<void> {
  expect(completed(await create(target, { input })).output).not.toEqual([])
}

function completed(response: Resource): Resource {
  expect(response.status).toBe('completed')
  expect(response.completed_at).toBeGreaterThanOrEqual(response.created_at)
  return response
}

function callIn({ output }: Resource) {
  const call = output.find((item) => item.type === 'function_call')
  if (call === undefined) throw new Error(`the answer calls no function: ${JSON.stringify(output)}`)
  expect(call.name).toBe('read_weather')
  return call
}

function post({ url }: Target, path: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json', authorization: 'Bearer none' }
  return fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
}

async function create(target: Target, body: object): Promise<Resource> {
  const response = await post(target, '/responses', { model: target.model, ...body })
  const read = await response.json()
  expect([response.status, response.status === 200 ? '' : read]).toEqual([200, ''])
  return Resource.parse(read)
}

/** Every event must have a known type and all fields of it, in unbroken order; the last one has the response. */
async function stream(target: Target, body: object) {
  const response = await post(target, '/responses', { model: target.model, ...body, stream: true })
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  const frames = (await response.text()).split('\n\n').filter((frame) => frame.includes('data: '))
  const events = frames.map((frame) => {
    const { event: name, data } = Object.fromEntries(frame.split('\n').map((line) => line.split(/: (.*)/s)))
    const read = Event.parse(JSON.parse(data ?? ''))
    expect(name).toBe(read.type)
    return read
  })
  expect(events.map((each) => each.sequence_number)).toEqual(events.map((_, at) => at))
  const last = events.at(-1) as { response?: unknown } | undefined
  return { events, response: Resource.parse(last?.response) }
}
