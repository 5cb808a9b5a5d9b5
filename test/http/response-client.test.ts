/** Uses the Responses API through the official `openai` package. */

import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import OpenAI, {
  APIError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  InternalServerError,
  NotFoundError,
  RateLimitError,
} from 'openai'
import type { Response, ResponseStreamEvent } from 'openai/resources/responses/responses'
import { describe, expect, it } from 'vitest'
import { digest } from '../../src/kit/digest.ts'
import type { Script } from '../fake-agent/script.ts'
import { readPids } from '../support/fake-agent.ts'
import { firstOf, IS_FULL } from '../support/full-counts.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { type ServerOptions, startServer } from '../support/start-server.ts'
import { isRunning } from '../support/test-command.ts'
import { until } from '../support/until.ts'

type OpenOptions = ServerOptions & { apiKey?: string; maxRetries?: number }

async function open(script: Script = {}, { apiKey = 'none', maxRetries = 0, ...rest }: OpenOptions = {}) {
  const server = await startServer({ ...rest, env: { FAKE_AGENT_SCRIPT: JSON.stringify(script), ...rest.env } })
  const client = new OpenAI({ baseURL: `${server.url}/openai/v1`, apiKey, maxRetries })
  return { server, client, responses: client.responses }
}

/** An agent that prints a piece of its answer whenever `permit` is called. */
async function stepwise(pieces: number, options: OpenOptions = {}) {
  const directory = temporaryDirectory()
  const [permits, pidFile] = [join(directory, 'permits'), join(directory, 'pids')]
  writeFileSync(permits, '')
  const text = Array.from({ length: pieces }, (_, at) => `piece ${at}. `)
  const opened = await open({ text, permits, pidFile }, options)
  return { ...opened, whole: text.join(''), pidFile, permit: (count = 1) => appendFileSync(permits, '.'.repeat(count)) }
}

const hello = { model: 'claude', input: 'say hello' }
const HELLO: Script = { text: ['Hello', ' there'], usage: { input: 12, cached: 2, output: 3 } }

async function collect(stream: AsyncIterable<ResponseStreamEvent>): Promise<ResponseStreamEvent[]> {
  const events: ResponseStreamEvent[] = []
  for await (const event of stream) events.push(event)
  return events
}

const ended = (responses: OpenAI['responses'], id: string) =>
  until(async () => {
    const response = await responses.retrieve(id)
    return response.status !== 'queued' && response.status !== 'in_progress' && response
  })

async function thrown(promise: Promise<unknown>): Promise<APIError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof APIError)) throw new Error(`expected an API error, got ${String(error)}`)
  return error
}

describe('a response', () => {
  it('has the answer, the usage and the fields of the request', async () => {
    const { responses } = await open(HELLO)
    const { data, response } = await responses
      .create({ ...hello, instructions: 'be brief', metadata: { a: 'b' }, max_output_tokens: 9 })
      .withResponse()
    const id = expect.stringMatching(/^resp_[0-9a-f]{24}$/)
    const content = [{ type: 'output_text', text: 'Hello there', annotations: [], logprobs: [] }]
    expect(data).toMatchObject({
      ...{ id, object: 'response', status: 'completed', model: 'claude', output_text: 'Hello there', error: null },
      ...{ instructions: 'be brief', metadata: { a: 'b' }, max_output_tokens: 9, store: true, background: false },
      output: [{ type: 'message', status: 'completed', role: 'assistant', content }],
      usage: {
        input_tokens: 12,
        input_tokens_details: { cached_tokens: 2 },
        output_tokens: 3,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 15,
      },
    })
    expect(response.headers.get('x-drover-backend')).toBe('claude')
    expect(response.headers.get('x-drover-session')).toMatch(/^[0-9a-f]{32}$/)
    expect(response.headers.get('x-drover-warning')).toBe('ignored: max_output_tokens')
    expect(await responses.retrieve(data.id)).toEqual(data)
  })

  const eachOrder = async (responses: OpenAI['responses'], model: string) => {
    const events = await collect(await responses.create({ ...hello, model, stream: true }))
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at))
    const types = events.map(({ type }) => type)
    expect(types.filter((type, at) => type !== types[at - 1])).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ])
    const text = events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : '')).join('')
    expect(text).toBe('Hello there')
    const last = events.at(-1)
    const response = last?.type === 'response.completed' ? last.response : undefined
    expect(await responses.retrieve(response?.id ?? '')).toMatchObject({
      output: response?.output,
      status: 'completed',
    })
  }

  it('is streamed in order, by each agent', async () => {
    const { responses } = await open(HELLO)
    for (const model of firstOf(['claude', 'codex', 'gemini'])) await eachOrder(responses, model)
  })

  it('is built by the stream helper of the package, also later by its id', async () => {
    const { responses } = await open(HELLO)
    const response = await responses.stream(hello).finalResponse()
    expect(response).toMatchObject({ status: 'completed', output_text: 'Hello there' })
    const later = await responses.stream({ response_id: response.id }).finalResponse()
    expect(later.output).toEqual(response.output)
  })

  it.runIf(IS_FULL)('has what the agent thought if that is requested', async () => {
    const { responses } = await open()
    const asked = { model: 'claude', input: 'think', reasoning: { summary: 'auto' as const } }
    for (const response of [await responses.stream(asked).finalResponse(), await responses.create(asked)]) {
      expect(response.output.map(({ type }) => type)).toEqual(['reasoning', 'message'])
      expect(response.output[0]).toMatchObject({
        summary: [{ type: 'summary_text', text: expect.stringMatching(/\w/) }],
      })
      expect((await responses.retrieve(response.id)).output).toMatchObject(response.output.map(({ id }) => ({ id })))
    }
    const { output } = await responses.create({ model: 'claude', input: 'think' })
    expect(output.map(({ type }) => type)).toEqual(['message'])
  })

  it('matches a schema', async () => {
    const model = 'claude'
    const { responses } = await open({ text: ['{"city"', ': "Bern"}'] })
    const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
    const text = { format: { type: 'json_schema' as const, name: 'place', schema } }
    const response = await responses.parse({ model, input: 'where', text })
    expect(JSON.parse(response.output_text)).toEqual({ city: 'Bern' })
    expect(response.text).toMatchObject({ format: text.format })
    const streamed = await responses.stream({ model, input: 'where', text }).finalResponse()
    expect(streamed.output_text).toBe(response.output_text)
  })

  it('is not stored on request, and neither is a session', async () => {
    const { responses, server } = await open(HELLO)
    const { data, response } = await responses.create({ ...hello, store: false }).withResponse()
    expect(data).toMatchObject({ store: false, output_text: 'Hello there' })
    expect(response.headers.get('x-drover-session')).toBeNull()
    expect((await server.context.drover.opened.sessions.list({}, { limit: 1, offset: 0 })).total).toBe(0)
    expect(await thrown(responses.retrieve(data.id))).toBeInstanceOf(NotFoundError)
  })

  it.runIf(IS_FULL)('lists its input in pages', async () => {
    const { responses } = await open(HELLO)
    const { id: single } = await responses.create(hello)
    const [only, ...none] = (await responses.inputItems.list(single)).data
    expect(only).toMatchObject({ role: 'user', content: [{ type: 'input_text', text: 'say hello' }] })
    expect(none).toEqual([])
    const input = Array.from({ length: 5 }, (_, at) => ({ role: 'user' as const, content: `line ${at}` }))
    const { id } = await responses.create({ model: 'claude', input })
    const texts: string[] = []
    for await (const item of responses.inputItems.list(id, { limit: 2, order: 'asc' })) {
      texts.push(item.type === 'message' && item.content[0]?.type === 'input_text' ? item.content[0].text : '')
    }
    expect(texts).toEqual(input.map(({ content }) => content))
    const [last, ...others] = (await responses.inputItems.list(id)).data
    expect(last).toMatchObject({ content: [{ text: 'line 4' }] })
    expect((await responses.inputItems.list(id, { after: others.at(-1)?.id ?? '' })).data).toEqual([])
    for (const after of ['msg_x', only?.id ?? '', 'x'.repeat(128), 'x'.repeat(129)]) {
      expect(await thrown(responses.inputItems.list(id, { after }))).toMatchObject({ status: 400, param: 'after' })
    }
  })

  it('takes items of earlier responses by their ids, from the output and the input', async () => {
    const { responses } = await open(HELLO)
    const { id, output } = await responses.create({ model: 'claude', input: 'the colour is red' })
    const [sent] = (await responses.inputItems.list(id)).data
    const references = [sent?.id, output[0]?.id].map((each) => ({ type: 'item_reference' as const, id: each ?? '' }))
    const input = [...references, { role: 'user' as const, content: 'which colour?' }]
    const dry = { model: 'claude', input, dry_run: true }
    const { output_text } = (await responses.create(dry)) as Response
    expect(output_text).toMatch(/the colour is red[\s\S]*Hello there[\s\S]*which colour\?/)
    const wrong = [{ type: 'item_reference' as const, id: (sent?.id ?? '').replace(/0$/, '1') }]
    const refused = await thrown(responses.create({ model: 'claude', input: wrong }))
    expect(refused).toMatchObject({
      status: 400,
      param: 'input[0].id',
      message: expect.stringContaining('input_items'),
    })
  })

  it('is not stored if it is a dry run', async () => {
    const { responses, server } = await open(HELLO)
    const dry = { ...hello, dry_run: true }
    const response = (await responses.create(dry)) as Response
    expect(response).toMatchObject({ store: false, output_text: expect.stringContaining('Would execute') })
    expect(await thrown(responses.retrieve(response.id))).toBeInstanceOf(NotFoundError)
    const background = await thrown(responses.create({ ...dry, background: true } as typeof hello))
    expect(background).toMatchObject({ status: 400, param: 'background' })
    expect((await server.context.drover.opened.executions.list({}, { limit: 1 })).executions).toEqual([])
  })

  it.runIf(IS_FULL)('works with a base URL that lacks the prefix of the API', async () => {
    const { server } = await open(HELLO)
    const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 })
    const { id } = await client.responses.create(hello)
    expect((await client.responses.retrieve(id)).output_text).toBe('Hello there')
  })
})

describe('previous_response_id', () => {
  it('continues the session of the last response', async () => {
    const { responses, server } = await open(HELLO)
    const first = await responses.create({ ...hello, instructions: 'be brief' })
    const next = { model: 'claude', input: 'second', previous_response_id: first.id }
    const { data, response } = await responses.create(next).withResponse()
    expect(data.previous_response_id).toBe(first.id)
    const session = await server.context.drover.opened.sessions.find(response.headers.get('x-drover-session') ?? '')
    expect(session).toMatchObject({ turn_count: 2, initial_prompt: 'say hello', status: 'completed' })
    const third = await responses.create({ ...next, previous_response_id: data.id, dry_run: true } as typeof next)
    expect(third.output_text).toMatch(new RegExp(`--resume ${session.backend_session_id}\\b.*<<< 'second'`))
    // An unknown model leaves the conversation with its backend.
    const unknown = await responses.create({ ...next, model: 'llama', previous_response_id: data.id }).withResponse()
    expect(unknown.response.headers.get('x-drover-session')).toBe(session.id)
  })

  it('sends the conversation as text to a new session if the old one cannot be resumed', async () => {
    const { responses } = await open(HELLO)
    const first = await responses.create({ ...hello, input: 'the colour is red' })
    const next = { model: 'claude', input: 'which colour?', previous_response_id: first.id }
    await responses.create(next)
    // The session has continued since; another backend; a response that is not stored.
    for (const over of [{}, { model: 'gemini' }, { store: false }]) {
      const asked: typeof next = { ...next, ...over, ...{ dry_run: true } }
      const { data, response } = await responses.create(asked).withResponse()
      expect(data.output_text).not.toContain('--resume')
      expect(data.output_text).toMatch(
        /conversation[\s\S]*> the colour is red[\s\S]*> Hello there[\s\S]*which colour\?/,
      )
      expect(data.output_text.match(/which colour/g)).toHaveLength(1)
      expect(response.headers.get('x-drover-warning')).toContain('were sent to a new session as text')
    }
  })

  it.runIf(IS_FULL)('follows the conversation through several sessions', async () => {
    const { responses } = await open(HELLO)
    const ask = (input: string, previous?: Response, model = 'claude') =>
      responses.create({ model, input, ...(previous && { previous_response_id: previous.id }) }) as Promise<Response>
    const one = await ask('first fact')
    const two = await ask('second fact', one, 'codex')
    const three = await ask('third fact', two, 'codex')
    const asked = { model: 'gemini', input: 'what?', previous_response_id: three.id, dry_run: true }
    const { output_text } = (await responses.create(asked as typeof hello)) as Response
    expect(output_text).toMatch(/> first fact[\s\S]*> second fact[\s\S]*> third fact[\s\S]*what\?/)
  })

  it('is refused if there is no such response, or if it still runs', async () => {
    const { responses, permit } = await stepwise(1)
    const wrong = await thrown(responses.create({ ...hello, previous_response_id: `resp_${'0'.repeat(24)}` }))
    expect(wrong).toBeInstanceOf(BadRequestError)
    expect(wrong).toMatchObject({ code: 'previous_response_not_found', param: 'previous_response_id' })
    const { id } = await responses.create({ ...hello, background: true })
    const running = await thrown(responses.create({ ...hello, previous_response_id: id }))
    expect(running).toBeInstanceOf(ConflictError)
    permit()
    await ended(responses, id)
  })

  it('has at most 128 characters', async () => {
    const { responses } = await open(HELLO)
    for (const [length, code] of [
      [128, 'previous_response_not_found'],
      [129, 'invalid_request'],
    ] as const) {
      const error = await thrown(responses.create({ ...hello, previous_response_id: 'x'.repeat(length) }))
      expect(error).toMatchObject({ status: 400, code, param: 'previous_response_id' })
    }
  })

  it.runIf(IS_FULL)('is refused if it is deleted meanwhile, or was too old', async () => {
    const { responses, server } = await open(HELLO)
    const { sessions: store, executions: executionStore } = server.context.drover.opened
    const reopen = store.reopen.bind(store)
    for (const stream of [false, true]) {
      const { id } = await responses.create(hello)
      store.reopen = async (session) => {
        await responses.delete(id)
        await store.delete(session).catch(() => undefined)
        return await reopen(session)
      }
      const raced = await thrown(responses.create({ ...hello, previous_response_id: id, stream }) as Promise<unknown>)
      expect(raced).toMatchObject({ status: 400, code: 'previous_response_not_found' })
      expect(raced.message).toMatch(/may have been deleted, expired.*send the whole conversation as input/)
    }
    store.reopen = reopen
    const first = await responses.create({ ...hello, input: 'first fact' })
    const second = await responses.create({ ...hello, input: 'second fact', previous_response_id: first.id })
    await server.context.drover.records.save()
    await executionStore.remove(first.id.replace('resp_', 'exec_'))
    const asked = { ...hello, previous_response_id: second.id, store: false }
    const { response } = await responses.create(asked).withResponse()
    expect(response.headers.get('x-drover-warning')).toContain('1 turns of the conversation are not kept')
    const gone = await thrown(responses.create({ ...hello, previous_response_id: first.id }))
    expect(gone).toMatchObject({ status: 400, code: 'previous_response_not_found' })
  })
})

describe('a session of a response', () => {
  it('is chosen by header, and not together with an earlier response', async () => {
    const { responses } = await open(HELLO)
    const first = await responses.create(hello).withResponse()
    const headers = { 'x-drover-session': first.response.headers.get('x-drover-session') ?? '' }
    const second = await responses.create({ ...hello, input: 'again' }, { headers }).withResponse()
    expect(second.response.headers.get('x-drover-session')).toBe(headers['x-drover-session'])
    const both = await thrown(responses.create({ ...hello, previous_response_id: first.data.id }, { headers }))
    expect(both).toMatchObject({ status: 400, param: 'previous_response_id' })
  })
})

describe('a response in the background', () => {
  it('is answered at once and keeps running without its client', async () => {
    const { responses, permit, whole } = await stepwise(3)
    const started = await responses.create({ ...hello, background: true, metadata: { a: 'b' } })
    expect(started).toMatchObject({ background: true, output: [], metadata: { a: 'b' } })
    for (const { status } of [started, await responses.retrieve(started.id)]) {
      expect(['queued', 'in_progress']).toContain(status)
    }
    permit(3)
    expect(await ended(responses, started.id)).toMatchObject({ status: 'completed', output_text: whole })
  })

  it('is followed from any point of a stream that was cut, with the same events', async () => {
    const { responses, permit, whole } = await stepwise(6)
    const stream = await responses.create({ ...hello, background: true, stream: true })
    const before: ResponseStreamEvent[] = []
    permit(3)
    for await (const event of stream) {
      before.push(event)
      if (before.filter(({ type }) => type === 'response.output_text.delta').length === 3) break
    }
    const [created] = before
    const id = created?.type === 'response.created' ? created.response.id : ''
    const after = before.at(-1)?.sequence_number ?? 0
    const rest = collect(await responses.retrieve(id, { stream: true, starting_after: after }))
    permit(3)
    const all = [...before, ...(await rest)]
    expect(all.map(({ sequence_number }) => sequence_number)).toEqual(all.map((_, at) => at))
    expect(all.at(-1)).toMatchObject({ type: 'response.completed', response: { id, output: [{ type: 'message' }] } })
    expect(all.map((event) => (event.type === 'response.output_text.delta' ? event.delta : '')).join('')).toBe(whole)
    expect(await collect(await responses.retrieve(id, { stream: true }))).toEqual(all)
    for (const from of [0, 1, 5, all.length - 2, all.length - 1, all.length]) {
      const again = await collect(await responses.retrieve(id, { stream: true, starting_after: from }))
      expect(again).toEqual(all.slice(from + 1))
    }
    const helper = responses.stream({ response_id: id, starting_after: after })
    expect((await helper.finalResponse()).output_text).toBe(whole)
  })

  it('is cancelled, and its agent is gone', async () => {
    const { responses, permit, pidFile } = await stepwise(3)
    const { id } = await responses.create({ ...hello, background: true })
    const stream = collect(await responses.retrieve(id, { stream: true }))
    permit()
    const agent = await until(() => readPids(pidFile).agent)
    expect(await responses.cancel(id)).toMatchObject({ id, status: 'cancelled', error: null })
    expect(isRunning(agent)).toBe(false)
    expect((await stream).at(-1)).toMatchObject({ type: 'response.incomplete', response: { status: 'cancelled' } })
    expect(await responses.cancel(id)).toMatchObject({ status: 'cancelled' })
    expect(await responses.retrieve(id)).toMatchObject({ status: 'cancelled' })
  })

  it.each([
    [429, 'rate_limit_exceeded', 'agent_rate_limited', true],
    [529, 'server_error', 'agent_overloaded', true],
  ] as const)('has an error if its agent fails: %i', async (fail, code, agent_error, retryable) => {
    const { responses } = await open({ fail })
    const { id } = await responses.create({ ...hello, background: true })
    const error = { code, message: expect.stringContaining('claude failed'), agent_error, retryable }
    expect(await ended(responses, id)).toMatchObject({ status: 'failed', error })
    const events = await collect(await responses.retrieve(id, { stream: true }))
    expect(events.at(-1)).toMatchObject({ type: 'response.failed', response: { error } })
  })

  it.runIf(IS_FULL)(
    'is cut off, and not called failed, when the server stops before the response has ended',
    async () => {
      const { server, responses, permit } = await stepwise(3)
      const { id } = await responses.create({ ...hello, background: true })
      const stream = await responses.retrieve(id, { stream: true })
      const seen: string[] = []
      const followed = (async () => {
        for await (const { type } of stream) seen.push(type)
      })()
      permit()
      await until(() => seen.includes('response.output_text.delta'))
      const cut = expect(followed).rejects.toThrow('terminated')
      server.drainDeadline.abort()
      await cut
      expect(seen.at(-1)).toBe('response.output_text.delta')
      expect(server.logged.map(({ message }) => message)).not.toContain('internal error')
    },
  )

  it('has an end also for a client that has seen more events than a killed server had stored', async () => {
    const { server, responses } = await open(HELLO)
    const { executions, opened } = server.context.drover
    const store = opened.executions
    const completed = await responses.create(hello)
    await executions.save()
    const { result: _, ...execution } = await store.find(completed.id.replace('resp_', 'exec_'))
    const events = await store.events(execution.id, { after: 0, limit: 1 })
    const id = `resp_${'a'.repeat(24)}`
    const lost = { ...execution, id: id.replace('resp_', 'exec_'), state: 'lost' as const, last_seq: 1 }
    await store.save([{ execution: lost, events, keep: 'events', isNew: true }])
    const failed = { type: 'response.failed', response: { id, status: 'failed', error: { code: 'server_error' } } }
    for (const from of [1, 12]) {
      const rest = await collect(await responses.retrieve(id, { stream: true, starting_after: from }))
      expect(rest).toMatchObject([{ ...failed, sequence_number: from + 1 }])
    }
  })

  it('must be stored', async () => {
    const { responses } = await open(HELLO)
    expect(await thrown(responses.create({ ...hello, background: true, store: false }))).toMatchObject({
      status: 400,
      param: 'background',
    })
    const { responses: none } = await open(HELLO, { config: { executions: { keep: 'none' } } })
    expect(await none.create(hello)).toMatchObject({ store: false })
    expect(await thrown(none.create({ ...hello, background: true }))).toMatchObject({
      status: 400,
      param: 'background',
    })
  })
})

describe('a response without its events', () => {
  it('is sent again as a whole, but not from the middle', async () => {
    const { responses } = await open(HELLO, { config: { executions: { keep: 'results' } } })
    const response = await responses.stream(hello).finalResponse()
    expect((await responses.retrieve(response.id)).output_text).toBe('Hello there')
    const events = await collect(await responses.retrieve(response.id, { stream: true }))
    expect(events.at(-1)).toMatchObject({ type: 'response.completed' })
    const gone = await thrown(responses.retrieve(response.id, { stream: true, starting_after: 3 }))
    expect(gone).toMatchObject({ status: 404, code: 'execution_events_gone' })
  })
})

describe('deleting a response', () => {
  it('deletes its session with its last response', async () => {
    const { responses, server } = await open(HELLO)
    const sessions = async () => (await server.context.drover.opened.sessions.list({}, { limit: 1, offset: 0 })).total
    const first = await responses.create(hello)
    const second = await responses.create({ ...hello, previous_response_id: first.id })
    await responses.delete(first.id)
    expect(await thrown(responses.retrieve(first.id))).toBeInstanceOf(NotFoundError)
    expect(await sessions()).toBe(1)
    await responses.delete(second.id)
    expect(await sessions()).toBe(0)
    expect(await thrown(responses.delete(second.id))).toMatchObject({ status: 404, code: 'response_not_found' })
  })

  it.runIf(IS_FULL)('keeps a session that the client brought along, without other stored turns', async () => {
    const { responses, client, server } = await open(HELLO)
    const chat = await client.chat.completions
      .create(
        { model: 'claude', messages: [{ role: 'user', content: 'x' }] },
        { headers: { 'x-drover-session': 'new' } },
      )
      .asResponse()
    const session = chat.headers.get('x-drover-session') ?? ''
    const { executions, opened } = server.context.drover
    const executionStore = opened.executions
    await executions.save()
    const [first] = (await executionStore.list({ session }, { limit: 1 })).executions
    await executionStore.remove(first?.id ?? '')
    const { id } = await responses.create(hello, { headers: { 'x-drover-session': session } })
    const second = await responses.create({ ...hello, previous_response_id: id })
    await responses.delete(id)
    await responses.delete(second.id)
    expect((await executionStore.list({ session }, { limit: 1 })).executions).toEqual([])
    expect((await server.context.drover.opened.sessions.find(session)).id).toBe(session)
  })

  it('waits until the response has ended', async () => {
    const { responses, permit } = await stepwise(1)
    const { id } = await responses.create({ ...hello, background: true })
    expect(await thrown(responses.delete(id))).toMatchObject({ status: 409, code: 'response_running' })
    permit()
    await ended(responses, id)
    await responses.delete(id)
  })
})

describe('a response of another key', () => {
  it('does not exist', async () => {
    const keys = ['one', 'two'].map((name) => ({ name, sha256: digest(`key-${name}`).replace('sha256:', '') }))
    const { server } = await open(HELLO, { server: { keys } })
    const [one, two] = ['one', 'two'].map(
      (name) => new OpenAI({ baseURL: `${server.url}/openai/v1`, apiKey: `key-${name}`, maxRetries: 0 }).responses,
    )
    if (one === undefined || two === undefined) throw new Error('two clients')
    const { id, output } = await one.create(hello)
    expect((await one.retrieve(id)).id).toBe(id)
    const attempts = [
      () => two.retrieve(id),
      () => two.retrieve(id, { stream: true }),
      () => two.cancel(id),
      () => two.delete(id),
      () => two.inputItems.list(id),
    ]
    for (const attempt of attempts) {
      expect(await thrown(attempt() as Promise<unknown>)).toMatchObject({ status: 404, code: 'response_not_found' })
    }
    expect(await thrown(two.create({ ...hello, previous_response_id: id }))).toMatchObject({ status: 400 })
    const reference = { type: 'item_reference' as const, id: output[0]?.id ?? '' }
    const input = [reference, { role: 'user' as const, content: 'x' }]
    expect(await thrown(two.create({ model: 'claude', input }))).toMatchObject({ status: 400, param: 'input[0].id' })
    expect((await one.create({ model: 'claude', input })).status).toBe('completed')
  })
})

describe('an error of a response', () => {
  it.each([
    [500, 500, InternalServerError, 'backend_execution_failed'],
    [429, 429, RateLimitError, 'upstream_rate_limited'],
  ] as const)('of the model service, %i, is a typed error', async (fail, status, type, code) => {
    const { responses } = await open({ fail })
    for (const stream of [false, true]) {
      const error = await thrown(responses.create({ ...hello, stream }) as Promise<unknown>)
      expect(error).toBeInstanceOf(type)
      expect(error).toMatchObject({ status, code })
    }
  })

  it('ends a stream that has begun', async () => {
    const { responses } = await open({ text: ['Hello'], crashAfter: 'text' })
    const events = await collect(await responses.create({ ...hello, stream: true }))
    expect(events.at(-1)).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'server_error' }, output: [{ status: 'incomplete' }] },
    })
  })

  it('is 401 for a wrong key', async () => {
    const { responses } = await open({}, { apiKey: 'wrong', env: { DROVER_API_KEYS: 'right' } })
    expect(await thrown(responses.create(hello))).toBeInstanceOf(AuthenticationError)
    expect(await thrown(responses.retrieve(`resp_${'0'.repeat(24)}`))).toBeInstanceOf(AuthenticationError)
  })

  it('is 404 for an id that no response has', async () => {
    const { responses } = await open()
    const ids = [
      'resp_x',
      'exec_5c1f0a9be34d7c2f81a6d0e4',
      ...[23, 24, 25].map((length) => `resp_${'0'.repeat(length)}`),
    ]
    for (const id of ids) expect(await thrown(responses.retrieve(id))).toBeInstanceOf(NotFoundError)
  })

  it('names an endpoint of the vendor that is not offered', async () => {
    const { client } = await open()
    const error = await thrown(client.post('/responses/input_tokens', { body: { model: 'claude', input: 'x' } }))
    expect(error).toMatchObject({ status: 404, code: 'endpoint_not_offered' })
    expect(error.message).toContain('/openai/v1/responses/input_tokens is not offered: agents')
  })

  it('names the field', async () => {
    const { responses } = await open()
    const tooMany = Object.fromEntries(Array.from({ length: 17 }, (_, at) => [at, 'x']))
    const refused: [object, string][] = [
      [{ input: [{ type: 'hologram' }] }, 'input[0].type'],
      [{ input: [{ role: 'user', content: [{ type: 'input_image' }] }] }, 'input[0].content[0].image_url'],
      [{ input: '' }, 'input'],
      [{ input: [] }, 'input'],
      [{ tools: [{ type: 'function', name: '' }] }, 'tools[0].name'],
      [{ conversation: 'conv_1', previous_response_id: 'resp_1' }, 'conversation'],
      [{ conversation: 'conv_1', store: false }, 'conversation'],
      [{ prompt: { id: 'p' } }, 'prompt'],
      [{ metadata: tooMany }, 'metadata'],
      [{ metadata: { ['n'.repeat(65)]: 'x' } }, 'metadata'],
      [{ metadata: { a: 'x'.repeat(513) } }, 'metadata.a'],
      [{ model: 'gemini', text: { format: { type: 'json_object' } } }, 'text.format'],
    ]
    for (const [over, param] of refused) {
      const error = await thrown(responses.create({ ...hello, ...over } as typeof hello))
      expect(error).toBeInstanceOf(BadRequestError)
      expect([over, error.param]).toEqual([over, param])
    }
  })

  it('does not occur at the limits of metadata', async () => {
    const { responses } = await open(HELLO)
    const names = Array.from({ length: 16 }, (_, at) => String(at).padStart(64, 'n'))
    const metadata = Object.fromEntries(names.map((name) => [name, 'x'.repeat(512)]))
    const { id } = await responses.create({ ...hello, metadata })
    expect((await responses.retrieve(id)).metadata).toEqual(metadata)
  })

  it.runIf(IS_FULL)('ends the agent when the client aborts a stream', async () => {
    const { responses, permit, pidFile, server } = await stepwise(3)
    const stream = await (async () => {
      permit()
      return await responses.create({ ...hello, stream: true })
    })()
    for await (const event of stream) if (event.type === 'response.output_text.delta') break
    const agent = await until(() => readPids(pidFile).agent)
    await until(() => !isRunning(agent))
    await until(() => server.context.drover.slots.load().running === 0)
  })
})

describe('a compacted conversation', () => {
  const model = 'claude'

  it('is an item that stands for it in the next request', async () => {
    const { responses, server } = await open(HELLO)
    const { id } = await responses.create({ ...hello, input: 'the colour is red' })
    const input = [
      { role: 'user' as const, content: 'the number is 7' },
      { role: 'assistant' as const, content: 'noted' },
    ]
    const compacted = await responses.compact({ model, previous_response_id: id, input })
    expect(compacted).toMatchObject({ object: 'response.compaction', usage: { total_tokens: 0 } })
    expect(compacted.output.map(({ type }) => type)).toEqual(['compaction'])
    expect(JSON.stringify(compacted)).not.toContain('red')
    const next = [...(compacted.output as { type: 'compaction'; encrypted_content: string }[]), ...input.slice(0, 1)]
    const dry = (await responses.create({ model, input: next, ...{ dry_run: true } })) as Response
    const whole = /> the colour is red[\s\S]*> Hello there[\s\S]*> the number is 7[\s\S]*> noted[\s\S]*the number is 7/
    expect(dry.output_text).toMatch(whole)
    expect((await server.context.drover.opened.executions.list({}, { limit: 9 })).executions).toHaveLength(1)
  })

  it('has the latest turns only, if it is long', async () => {
    const { responses } = await open(HELLO)
    const input = Array.from({ length: 9 }, (_, at) => ({
      role: 'user' as const,
      content: `${at}.${'x'.repeat(20_000)}`,
    }))
    const item = (await responses.compact({ model, input })).output[0] as { encrypted_content: string }
    expect(item.encrypted_content.length).toBeLessThan(140_000)
    const dry = { model, input: [{ type: 'compaction' as const, ...item }], dry_run: true }
    const { output_text: text } = (await responses.create(dry)) as Response
    expect(text).toContain('> 8.')
    expect(text).not.toContain('> 4.')
  })

  it('is refused without a message, or after a response that is not stored', async () => {
    const { responses } = await open(HELLO)
    expect(await thrown(responses.compact({ model }))).toMatchObject({ status: 400, param: 'input' })
    const missing = responses.compact({ model, previous_response_id: `resp_${'0'.repeat(24)}` })
    expect(await thrown(missing)).toMatchObject({ status: 400, code: 'previous_response_not_found' })
  })
})

describe('a conversation', () => {
  const dry = { ...hello, dry_run: true } as typeof hello

  it('has responses as its turns, in one session', async () => {
    const { client, responses, server } = await open(HELLO)
    const made = await client.conversations.create({ metadata: { ticket: '12' } })
    expect(made).toMatchObject({ object: 'conversation', metadata: { ticket: '12' } })
    const conversation = made.id
    expect(conversation).toMatch(/^conv_[0-9a-f]{32}$/)
    const first = await responses.create({ ...hello, conversation })
    expect(first.conversation).toEqual({ id: conversation })
    const next = await responses.create({ model: 'llama', input: 'second', conversation: { id: conversation } })
    const stored = await responses.retrieve(next.id)
    expect(stored).toMatchObject({ conversation: { id: conversation }, previous_response_id: null })
    const session = await server.context.drover.opened.sessions.find(conversation.slice('conv_'.length))
    expect(session).toMatchObject({ turn_count: 2, initial_prompt: 'say hello', metadata: { ticket: '12' } })
    const third = await responses.create({ ...dry, conversation })
    expect(third.output_text).toMatch(new RegExp(`--resume ${session.backend_session_id}\\b.*<<< 'say hello'`))
    const other = await thrown(responses.create({ ...hello, model: 'codex', conversation }))
    expect(other).toMatchObject({ status: 400, code: 'session_backend_differs' })
    // Its session belongs to the conversation, and not to its responses.
    for (const { id } of [first, next]) await responses.delete(id)
    const read = await client.conversations.update(conversation, { metadata: { ticket: '13' } })
    expect(read).toEqual({ ...made, metadata: { ticket: '13' } })
    expect(await client.conversations.retrieve(conversation)).toEqual(read)
  })

  it('begins with the agent of its first response', async () => {
    const { client, responses } = await open(HELLO)
    const { id: conversation } = await client.conversations.create()
    const { response } = await responses.create({ ...hello, model: 'codex', conversation }).withResponse()
    expect(response.headers.get('x-drover-backend')).toBe('codex')
    expect(response.headers.get('x-drover-session')).toBe(conversation.slice('conv_'.length))
  })

  it('ends with a turn whose session no agent can continue', async () => {
    const { client, responses } = await open({ crashAfter: 'start' })
    const { id: conversation } = await client.conversations.create()
    const { id } = await responses.create({ ...hello, conversation, background: true })
    expect(await ended(responses, id)).toMatchObject({ status: 'failed' })
    const next = await thrown(responses.create({ ...hello, conversation }))
    expect(next).toMatchObject({ status: 409, code: 'session_not_resumable' })
    expect(await responses.retrieve(id)).toMatchObject({ status: 'failed', conversation: { id: conversation } })
  })

  it.runIf(IS_FULL)('has one turn at a time, also the first', async () => {
    const { client, responses, permit } = await stepwise(1)
    const { id: conversation } = await client.conversations.create()
    for (const _ of ['first', 'second']) {
      const { id } = await responses.create({ ...hello, conversation, background: true })
      await until(async () => (await responses.retrieve(id)).status === 'in_progress')
      const busy = await thrown(responses.create({ ...hello, conversation }))
      expect(busy).toMatchObject({ status: 409, code: 'session_active' })
      expect(await thrown(client.conversations.delete(conversation))).toMatchObject({ status: 409 })
      permit()
      await ended(responses, id)
    }
  })

  it('is gone when it is deleted, with its responses', async () => {
    const { client, responses } = await open(HELLO)
    const { id: conversation } = await client.conversations.create()
    const { id } = await responses.create({ ...hello, conversation })
    const deleted = { id: conversation, object: 'conversation.deleted', deleted: true }
    expect(await client.conversations.delete(conversation)).toEqual(deleted)
    for (const missing of [conversation, 'conv_x', 'conv_'])
      for (const attempt of [
        () => client.conversations.retrieve(missing),
        () => client.conversations.update(missing, { metadata: {} }),
        () => client.conversations.delete(missing),
        () => responses.create({ ...hello, conversation: missing }),
      ])
        expect(await thrown(attempt() as Promise<unknown>)).toMatchObject({ status: 404 })
    expect(await thrown(responses.retrieve(id))).toMatchObject({ status: 404 })
  })

  it('is refused with items, with too long names and with another session', async () => {
    const { client, responses } = await open(HELLO)
    const items = [{ role: 'user' as const, content: 'hi' }]
    expect(await thrown(client.conversations.create({ items }))).toMatchObject({ status: 400, param: 'items' })
    const metadata = { ['n'.repeat(65)]: 'x' }
    expect(await thrown(client.conversations.create({ metadata }))).toMatchObject({ status: 400, param: 'metadata' })
    const { id: conversation } = await client.conversations.create({ items: [] })
    const { response } = await responses.create(hello).withResponse()
    const headers = { 'x-drover-session': response.headers.get('x-drover-session') }
    const two = await thrown(responses.create({ ...hello, conversation }, { headers }))
    expect(two).toMatchObject({ status: 400, param: 'conversation' })
  })
})

describe('a repeated request for a response', () => {
  it.each([false, true])('gets the same response, in the background: %s', async (background) => {
    const { responses, server } = await open(HELLO)
    const asked = { ...hello, background, reasoning: { summary: 'auto' as const } }
    const options = { headers: { 'idempotency-key': 'k' } }
    const first = (await responses.create(asked, options)) as Response
    if (background) await ended(responses, first.id)
    const second = (await responses.create(asked, options)) as Response
    expect(second.id).toBe(first.id)
    expect(second.status).toBe('completed')
    expect((await server.context.drover.opened.executions.list({}, { limit: 9 })).executions).toHaveLength(1)
  })
})

describe('tools of the client', () => {
  const history = [
    { role: 'user' as const, content: 'list the files' },
    { type: 'reasoning' as const, id: 'rs_1', summary: [] },
    { type: 'function_call' as const, call_id: 'c', name: 'ls', arguments: '{}' },
    { type: 'function_call_output' as const, call_id: 'c', output: 'a.txt' },
    { role: 'user' as const, content: 'and now?' },
  ]
  const tools = [{ type: 'function' as const, name: 'ls', parameters: {}, strict: false }]

  it('are ignored if the operator says so', async () => {
    const { responses } = await open({}, { server: { client_tools: 'ignore' } })
    const asked = { model: 'claude', input: history, tools, dry_run: true }
    const { data, response } = await responses.create(asked).withResponse()
    expect(data.output_text).toContain('and now?')
    expect(data.tools).toEqual([])
    expect(response.headers.get('x-drover-warning')).toBe('ignored: tools, function_call, function_call_output')
  })

  it('are refused, with their results, if the operator says so', async () => {
    const { responses } = await open({}, { server: { client_tools: 'refuse' } })
    expect(await thrown(responses.create({ model: 'claude', input: history }))).toMatchObject({
      status: 400,
      code: 'unsupported_feature',
      param: 'input[2].type',
    })
  })
})
