/** What a client requires of the agent (`tool_choice`), through each compatible API. */
import Anthropic from '@anthropic-ai/sdk'
import type OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { IS_FULL } from '../support/full-counts.ts'
import { ask, call, newest, open, statesOf, tools, user } from '../support/tool-client.ts'

const required = { tool_choice: 'required' } as const

describe('a required call', () => {
  it('is asked for, and the same turn continues', async () => {
    const { client, server } = await open({
      calls: [[call('add', 1)]],
      callsIf: 'Call at least one tool',
      text: ['ok'],
    })
    const first = await ask(client, [user], required)
    expect(first.made.map((each) => each.function.name)).toEqual(['add'])
    expect((await ask(client, first.next(['3']))).content).toBe('ok')
    expect(await statesOf(server)).toEqual(['completed'])
    // What drover tells the agent is not what the user has said.
    expect((await newest(server)).prompt).toBe(user.content)
  })

  it.runIf(IS_FULL)('is asked for once more in the same execution, and the counts of both turns add up', async () => {
    const script = { calls: [[call('add', 1)]], callsIf: 'it answered without a call', text: ['text {{results}}'] }
    const { client, server } = await open({ ...script, usage: { input: 100, output: 10 } })
    const first = await ask(client, [user], required)
    expect([first.reason, first.content, first.made.length]).toEqual(['tool_calls', null, 1])
    const last = await ask(client, first.next(['3']))
    expect(last.content).toBe('text The result: 3')
    expect((first.usage?.total_tokens ?? 0) + (last.usage?.total_tokens ?? 0)).toBe(220)
    expect(await statesOf(server)).toEqual(['completed'])
  })

  it.each([[false], [true]])('that is not made twice is an error, as a stream: %s', async (stream) => {
    const { client, server } = await open({ text: ['just text'] })
    const sent = client.chat.completions.create({ model: 'claude', messages: [user], tools, stream, ...required })
    await expect(sent).rejects.toMatchObject({
      status: 500,
      message: expect.stringContaining('claude was told twice to call a function, as tool_choice requires'),
    })
    expect((await newest(server)).result).toMatchObject({ error_code: 'tool_choice_unmet' })
  })

  it.runIf(IS_FULL)('of a later part is checked too', async () => {
    const script = { calls: [[call('add', 1)]], text: ['text'] }
    const { client } = await open(script)
    const first = await ask(client, [user])
    // The second turn of the script makes the call again, with the first one in its prompt.
    const second = await ask(client, first.next(['3']), required)
    expect([second.reason, second.made.length]).toEqual(['tool_calls', 1])
    expect((await ask(client, second.next(['4']))).content).toBe('text')
  })

  it.runIf(IS_FULL)('may be limited to some functions, and others are refused', async () => {
    const { client } = await open({ calls: [[call('sub', 1)], [call('add', 2)]], text: ['{{results}}'] })
    const allowed = [{ type: 'function', function: { name: 'add' } }]
    const tool_choice = { type: 'allowed_tools' as const, allowed_tools: { mode: 'auto' as const, tools: allowed } }
    const first = await ask(client, [user], { tool_choice })
    expect(first.made.map((each) => each.function.name)).toEqual(['add'])
  })

  it('is not made any more if a later part wants none', async () => {
    const { client } = await open({ calls: [[call('add', 1)], [call('sub', 2)]], text: ['{{results}}'] })
    const first = await ask(client, [user])
    const last = await ask(client, first.next(['3']), { tool_choice: 'none' })
    expect(last.content).toBe('error: no tool of this server may be called now; answer without it')
  })
})

describe('one function that must be called', () => {
  const named = { tool_choice: { type: 'function' as const, function: { name: 'add' } } }
  const args = '{"x":7}'

  it.each(['claude', 'codex'])('is the answer of %s, and no turn waits', async (model) => {
    const { client, server } = await open({ text: [args], usage: { input: 100, output: 10 } })
    const first = await ask(client, [user], { model, ...named })
    expect([first.reason, first.made.map((each) => each.function)]).toEqual([
      'tool_calls',
      [{ name: 'add', arguments: args }],
    ])
    expect(first.usage?.total_tokens).toBe(110)
    expect(await statesOf(server)).toEqual(['completed'])
    // A result of it is a new turn, with the call as text.
    await ask(client, first.next(['8']), { model })
    expect((await newest(server)).prompt).toContain(`[calls the tool add, with these arguments]\n${args}`)
  })

  it('is the only one that is offered, and required', async () => {
    const { client, server } = await open({ text: [args] })
    const first = await ask(client, [user], { ...required, tools: tools.slice(0, 1) })
    expect(first.made.map((each) => each.function.arguments)).toEqual([args])
    expect(await statesOf(server)).toEqual(['completed'])
  })

  it('has arguments that match its schema, or there is an error', async () => {
    const { client } = await open({ text: ['{"x":"seven"}'] })
    await expect(ask(client, [user], named)).rejects.toMatchObject({
      status: 500,
      message: expect.stringContaining('does not match the schema'),
    })
  })

  it.runIf(IS_FULL)('is called by an agent that takes no schema', async () => {
    const { client, server } = await open({
      calls: [[call('add', 1)]],
      callsIf: 'one of these tools (add)',
      text: ['ok'],
    })
    const first = await ask(client, [user], { model: 'gemini', ...named })
    expect(first.made.map((each) => each.function.name)).toEqual(['add'])
    expect(await statesOf(server)).toEqual(['running'])
  })

  it.each([
    ['tool', { type: 'tool', name: 'add' }, ['add', 'sub']],
    ['any', { type: 'any' }, ['add']],
  ] as const)('is chosen in a message by %s', async (_, tool_choice, names) => {
    const { server } = await open({ text: [args] })
    const client = new Anthropic({ baseURL: `${server.url}/anthropic`, apiKey: 'none', maxRetries: 0 })
    const offered = names.map((name) => ({ name, input_schema: { type: 'object' as const } }))
    const request = { model: 'claude', max_tokens: 9, messages: [user], tools: offered, tool_choice }
    for (const message of [await client.messages.create(request), await client.messages.stream(request).finalMessage()])
      expect([message.stop_reason, message.content]).toMatchObject(['tool_use', [{ name: 'add', input: { x: 7 } }]])
  })

  it.each(['whole', 'stream'])('is chosen in a response, which can be read again: %s', async (how) => {
    const { client } = await open({ text: [args] })
    const offered = ['add', 'sub'].map((name) => ({ type: 'function' as const, name, strict: false, parameters: {} }))
    const tool_choice = { type: 'function' as const, name: 'add' }
    const request: OpenAI.Responses.ResponseCreateParamsNonStreaming = {
      ...{ model: 'claude', tools: offered, tool_choice, input: 'add' },
    }
    const response =
      how === 'whole'
        ? await client.responses.create(request)
        : await client.responses.stream({ ...request, stream: true }).finalResponse()
    expect(response.output).toMatchObject([{ type: 'function_call', name: 'add', arguments: args }])
    expect(response.output).toMatchObject((await client.responses.retrieve(response.id)).output)
  })
})

describe('a choice that cannot be made', () => {
  it.each<[string, OpenAI.ChatCompletionToolChoiceOption, string]>([
    ['of an unknown function', { type: 'function', function: { name: 'mul' } }, 'mul is none of them'],
    ['of another kind', { type: 'web_search' } as never, 'must be auto, none, required, or name functions'],
  ])('%s is invalid', async (_, tool_choice, message) => {
    const { client } = await open({})
    await expect(ask(client, [user], { tool_choice })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining(message),
    })
  })

  it('because tools are ignored is refused', async () => {
    const { client } = await open({}, { server: { client_tools: 'ignore' } })
    await expect(ask(client, [user], required)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('tool_choice: not supported: a call that is required'),
    })
  })
})
