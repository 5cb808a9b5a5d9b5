/** Agents call functions of the client, through each compatible API. */
import Anthropic from '@anthropic-ai/sdk'
import type OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { USER } from '../../src/prompts/caller.ts'
import { firstOf, IS_FULL } from '../support/full-counts.ts'
import { PNG } from '../support/sample-files.ts'
import {
  type Asked,
  ask,
  call,
  type Messages,
  newest,
  open,
  statesOf,
  tool,
  tools,
  user,
} from '../support/tool-client.ts'
import { until } from '../support/until.ts'

const tutor = { role: 'system' as const, content: 'You are a tutor.' }

describe('a chat completion with tools', () => {
  it('ends with a call, and continues the same turn with its result', async () => {
    const text = ['It is {{results}}', ' with {{tools}}']
    const { client, server } = await open({ calls: [[call('add', 1)]], text, usage: { input: 100, output: 10 } })
    const first = await ask(client, [user])
    expect([first.reason, first.content]).toEqual(['tool_calls', null])
    const id = expect.stringMatching(/^call_[0-9a-f]{32}$/)
    expect(first.made).toEqual([{ id, type: 'function', function: { name: 'add', arguments: '{"x":1}' } }])
    expect(await statesOf(server)).toEqual(['running'])
    const second = await ask(client, first.next(['three']))
    expect([second.reason, second.content]).toEqual(['stop', 'It is three with add,sub'])
    expect(await statesOf(server)).toEqual(['completed'])
    const total = (first.usage?.total_tokens ?? 0) + (second.usage?.total_tokens ?? 0)
    expect(total).toBe(110)
    // A client that has lost the connection sends the same again.
    expect((await ask(client, first.next(['three']))).content).toBe('It is three with add,sub')
    expect(await statesOf(server)).toEqual(['completed'])
  })

  it('streams several calls at once, and takes their results in any order', async () => {
    const long = 'x'.repeat(100_000)
    const calls = [[call('add', long), call('sub', 2), call('add', 3)]]
    const { client } = await open({ calls, text: ['{{results}}'] })
    const request = { model: 'claude', tools, stream: true as const, stream_options: { include_usage: true } }
    const stream = client.chat.completions.stream({ ...request, messages: [user] })
    const first = await stream.finalChatCompletion()
    const message = first.choices[0]?.message
    const made = message?.tool_calls ?? []
    expect(first.choices[0]?.finish_reason).toBe('tool_calls')
    expect(made.map((each) => each.type === 'function' && JSON.parse(each.function.arguments))).toEqual([
      { x: long },
      { x: 2 },
      { x: 3 },
    ])
    const results = made.map(({ id }, at) => ({ role: 'tool' as const, tool_call_id: id, content: `r${at}` }))
    const messages = [user, message as OpenAI.ChatCompletionMessage, ...results.toReversed()]
    const second = await client.chat.completions.stream({ ...request, messages }).finalChatCompletion()
    expect(second.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'r0|r1|r2' } })
  })

  it('has one call at a time, if the client says so', async () => {
    const calls = [[call('add', 1), call('sub', 2), call('add', 3)]]
    const { client } = await open({ calls, text: ['{{results}}'] })
    const one = { parallel_tool_calls: false }
    let { made, next, content } = await ask(client, [user], one)
    const seen: string[] = []
    for (let messages = next(['r0']); made.length > 0; messages = next([`r${seen.length}`])) {
      seen.push(made.map((each) => each.function.arguments).join('+'))
      const answer = await ask(client, messages, one)
      made = answer.made
      next = answer.next
      content = answer.content
    }
    expect(seen.toSorted()).toEqual(['{"x":1}', '{"x":2}', '{"x":3}'])
    expect(content?.split('|').toSorted()).toEqual(['r0', 'r1', 'r2'])
  })

  it.runIf(IS_FULL)('makes ten calls in a row in one turn', async () => {
    const calls = Array.from({ length: 10 }, (_, at) => [call('add', at)])
    const { client, server } = await open({ calls, text: ['last {{results}}'] })
    let messages: Messages = [user]
    for (let round = 0; round < 10; round += 1) {
      const { made, next } = await ask(client, messages)
      expect(made.map((each) => each.function.arguments)).toEqual([`{"x":${round}}`])
      messages = next([`result ${round}`])
    }
    expect((await ask(client, messages)).content).toBe('last result 9')
    expect(await statesOf(server)).toEqual(['completed'])
  })

  it('refuses results of some calls, and of calls that no one made, and the turn still waits', async () => {
    const { client } = await open({ calls: [[call('add', 1), call('sub', 2)]], text: ['{{results}}'] })
    const { made, next } = await ask(client, [user])
    const messages = next(['a', 'b'])
    await expect(ask(client, messages.slice(0, -1))).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining(`the result of the call ${made[1]?.id} is missing`),
    })
    const stray: Messages = [...messages, { role: 'tool', tool_call_id: 'call_x', content: '' }]
    await expect(ask(client, stray)).rejects.toMatchObject({ status: 400 })
    expect((await ask(client, messages)).content).toBe('a|b')
  })

  it.each<[string, (messages: Messages) => Messages, Asked?]>([
    ['the client has said something else', ([, ...rest]) => [{ role: 'user', content: 'another question' }, ...rest]],
    ['the results differ from those that it got', (messages) => messages],
    [
      'the client offers a function that the turn does not have',
      (messages) => messages,
      { tools: [...tools, tool('mul')] },
    ],
    ['another agent of the client has taken over', ([, ...rest]) => [tutor, user, ...rest], { tools: [] }],
  ])('repeats the conversation in a new session if %s', async (title, change, more = {}) => {
    const { client, server } = await open({ calls: [[call('add', 1)]], text: ['{{results}}'] })
    const { next } = await ask(client, [user])
    if (title.startsWith('the results')) await ask(client, next(['first']))
    const { reason } = await ask(client, change(next(['other'])), more)
    expect(reason).toBe(more.tools?.length === 0 ? 'stop' : 'tool_calls')
    expect(await statesOf(server)).toHaveLength(2)
    const { prompt = '' } = await newest(server)
    expect(prompt).toContain('[calls the tool add, with these arguments]\n{"x":1}')
    expect(prompt).toContain('[result of the tool add]\nother')
  })

  it('continues the turn of a client that offers nothing with the last results, or changes its system prompt', async () => {
    const { client } = await open({ calls: [[call('add', 1)]], text: ['{{results}}'] })
    for (const [more, before] of [
      [{ tools: [] }, []],
      [{}, [tutor]],
    ] satisfies [Asked, Messages][]) {
      const { next } = await ask(client, [user])
      expect((await ask(client, [...before, ...next(['three'])], more)).content).toBe('three')
    }
  })

  it.runIf(IS_FULL)(
    'ends its turn if the client does not come back in time, and then repeats the conversation',
    async () => {
      const script = { calls: [[call('add', 1)]], text: ['{{results}}'] }
      const { client, server } = await open(script, { server: { tool_wait_secs: 1 } })
      const { next } = await ask(client, [user])
      await until(async () => (await statesOf(server))[0] === 'failed')
      expect((await newest(server)).result).toMatchObject({ error_code: 'client_tools_expired' })
      expect((await ask(client, next(['late']))).reason).toBe('tool_calls')
    },
  )

  it('can be cancelled while it waits', async () => {
    const { client, server } = await open({ calls: [[call('add', 1)]] })
    await ask(client, [user])
    const { executions } = server.context.drover
    const [running] = executions.running()
    await executions.cancel(USER, running?.id ?? '')
    await until(async () => (await statesOf(server))[0] === 'cancelled')
  })
})

describe('each agent', () => {
  it.each(['codex', 'gemini'])('gets the functions of the client: %s', async (model) => {
    const { client } = await open({ calls: [[call('add', 1), call('sub', 2)]], text: ['{{results}} of {{tools}}'] })
    const { made, next } = await ask(client, [user], { model })
    expect(made.map((each) => each.function.name).sort()).toEqual(['add', 'sub'])
    const answer = await ask(client, next(made.map((each) => `${each.function.name} done`)), { model })
    expect(answer.content).toBe('add done|sub done of add,sub')
  })

  it.each(firstOf(['3', '[1]', '"a"', 'null']))('can read a result that is JSON and no object: %s', async (result) => {
    const { client } = await open({ calls: [[call('add', 1)]], text: ['{{results}}'] })
    const { next } = await ask(client, [user], { model: 'gemini' })
    expect((await ask(client, next([result]), { model: 'gemini' })).content).toBe(`The result: ${result}`)
  })
})

describe('a message with tools', () => {
  const input_schema = { type: 'object' as const, properties: { x: { type: 'number' } } }
  const offered = ['add', 'sub'].map((name) => ({ name, input_schema }))
  const png = { type: 'base64' as const, media_type: 'image/png' as const, data: PNG.toString('base64') }

  it.each(['whole', 'stream'])('ends with calls, and continues the same turn with their results: %s', async (how) => {
    const { server } = await open({ calls: [[call('add', 1), call('sub', 2)]], text: ['I see {{results}}'] })
    const client = new Anthropic({ baseURL: `${server.url}/anthropic`, apiKey: 'none', maxRetries: 0 })
    const send = async (messages: Anthropic.MessageParam[]) => {
      const request = { model: 'claude', max_tokens: 100, messages, tools: offered }
      return how === 'whole'
        ? await client.messages.create(request)
        : await client.messages.stream(request).finalMessage()
    }
    const first = await send([user])
    expect(first.stop_reason).toBe('tool_use')
    const uses = first.content.flatMap((block) => (block.type === 'tool_use' ? [block] : []))
    expect(uses.map(({ name, input }) => [name, input])).toEqual([
      ['add', { x: 1 }],
      ['sub', { x: 2 }],
    ])
    const [add, sub] = uses.map(({ id }) => ({ type: 'tool_result' as const, tool_use_id: id }))
    const results = [
      { ...add, tool_use_id: add?.tool_use_id ?? '', type: 'tool_result' as const, content: 'no', is_error: true },
      {
        ...{ type: 'tool_result' as const, tool_use_id: sub?.tool_use_id ?? '' },
        content: [{ type: 'image' as const, source: png }],
      },
      { type: 'text' as const, text: 'be quick' },
    ]
    const messages: Anthropic.MessageParam[] = [
      user,
      { role: 'assistant', content: first.content },
      { role: 'user', content: results },
    ]
    const second = await send(messages)
    expect([second.stop_reason, second.content]).toMatchObject([
      'end_turn',
      [{ type: 'text', text: 'I see error: no|<image/png> The user adds:\nbe quick' }],
    ])
    expect(await statesOf(server)).toEqual(['completed'])
  })
})

describe('a tool that takes a text', () => {
  const patch = { type: 'custom' as const, name: 'apply_patch', description: 'Patches files' }
  const format = { type: 'grammar' as const, syntax: 'lark' as const, definition: 'start: "x"' }

  it.each(['whole', 'stream'])('is called by an agent, and its result continues the turn: %s', async (how) => {
    const script = { calls: [[{ name: 'apply_patch', input: { input: '*** Begin' } }]], text: ['It is {{results}}'] }
    const { client, server } = await open(script)
    const send = async (input: OpenAI.Responses.ResponseInput) => {
      const request = { model: 'claude', tools: [{ ...patch, format }], input }
      return how === 'stream'
        ? await client.responses.stream(request).finalResponse()
        : await client.responses.create(request)
    }
    const first = await send([user])
    expect(first.output).toMatchObject([{ type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin' }])
    expect((await client.responses.retrieve(first.id)).output).toMatchObject(first.output)
    const [made] = first.output as OpenAI.Responses.ResponseCustomToolCall[]
    const result = { type: 'custom_tool_call_output' as const, call_id: made?.call_id ?? '', output: 'done' }
    const second = await send([user, made as OpenAI.Responses.ResponseCustomToolCall, result])
    expect(second.output_text).toBe('It is done')
    expect(await statesOf(server)).toEqual(['completed'])
  })
})

describe('a response with tools', () => {
  const offered = ['add', 'sub'].map((name) => ({
    ...{ type: 'function' as const, name, strict: false },
    parameters: { type: 'object', properties: { x: { type: 'number' } } },
  }))

  it.each(['whole input', 'previous_response_id', 'stream'])('continues its turn with results: %s', async (how) => {
    const { client, server } = await open({ calls: [[call('add', 1)], [call('sub', 2)]], text: ['It is {{results}}'] })
    const send = async (input: OpenAI.Responses.ResponseInput, previous?: string) => {
      const request = { model: 'claude', tools: offered, input, ...(previous && { previous_response_id: previous }) }
      return how === 'stream'
        ? await client.responses.stream(request).finalResponse()
        : await client.responses.create(request)
    }
    let input: OpenAI.Responses.ResponseInput = [user]
    let response = await send(input)
    const ids = [response.id]
    for (const [name, x] of [
      ['add', 1],
      ['sub', 2],
    ]) {
      expect(response.output).toMatchObject([{ type: 'function_call', name, arguments: `{"x":${x}}` }])
      const [made] = response.output as OpenAI.Responses.ResponseFunctionToolCall[]
      const result = { type: 'function_call_output' as const, call_id: made?.call_id ?? '', output: `${name} done` }
      input = [...input, made as OpenAI.Responses.ResponseFunctionToolCall, result]
      response = how === 'previous_response_id' ? await send([result], response.id) : await send(input)
      ids.push(response.id)
    }
    expect(response.output_text).toBe('It is sub done')
    expect(ids.map((id) => id.replace(/^resp_[0-9a-f]{24}/, ''))).toEqual(['', '_1', '_2'])
    expect(await statesOf(server)).toEqual(['completed'])
    const stored = await Promise.all(ids.map((id) => client.responses.retrieve(id)))
    expect(stored.map(({ output }) => output[0]?.type)).toEqual(['function_call', 'function_call', 'message'])
    expect(stored[2]?.output_text).toBe('It is sub done')
  })

  it('is streamed to its end if nothing is stored, as Codex CLI asks for', async () => {
    const { client } = await open({ calls: [[call('add', 1)]], text: ['It is {{results}}'] })
    const send = (input: OpenAI.Responses.ResponseInput) =>
      client.responses.stream({ model: 'claude', tools: offered, input, store: false }).finalResponse()
    const [made] = (await send([user])).output as OpenAI.Responses.ResponseFunctionToolCall[]
    const result = { type: 'function_call_output' as const, call_id: made?.call_id ?? '', output: 'three' }
    const last = await send([user, made as OpenAI.Responses.ResponseFunctionToolCall, result])
    expect([last.status, last.output_text]).toEqual(['completed', 'It is three'])
  })
})
