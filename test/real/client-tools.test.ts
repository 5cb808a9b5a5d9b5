/** Real agents call functions of a client of the server. The model says which, in a prompt. */
import { setTimeout as sleep } from 'node:timers/promises'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { NO_USAGE } from '../../src/agents/adapter/token-usage.ts'
import type { PromptResult } from '../../src/prompts/prompt-result.shape.ts'
import { countTokens } from '../../src/prompts/tokens.ts'
import { PNG } from '../support/sample-files.ts'
import { portOf, type Serving, serveDrover } from '../support/serve-drover.ts'
import { until } from '../support/until.ts'
import { createAcpSetup, installedAcp } from './acp-agents.ts'
import { type AgentSetup, createAgentSetup, MODELS } from './agent-setup.ts'
import { installed, processesIn, useUpstream } from './real-agents.ts'

const upstream = useUpstream()

/** Those that were seen to call functions of a client. */
const OTHERS = ['opencode', 'goose', 'kimi', 'qwen']
/** Of them, those whose own tools can be switched off. */
const PLAIN = ['claude', 'codex', 'gemini', 'opencode']
/** What codex lists all the same. It can change nothing with them, and its model searches for the functions of the client. */
const LEFT = [
  ...['apply_patch', 'request_user_input', 'tool_search'],
  ...['read_mcp_resource', 'list_mcp_resources', 'list_mcp_resource_templates'],
]

const natives = installed.map(({ backend, path }) => ({
  name: backend as string,
  model: MODELS[backend] as string,
  open: () => createAgentSetup(backend, path, upstream.port()),
}))
const others = installedAcp
  .filter(({ name }) => OTHERS.includes(name))
  .map((agent) => ({
    name: agent.name as string,
    model: agent.name as string,
    open: () => createAcpSetup(agent, upstream.port()),
  }))

type Call = { name: string; args: Record<string, unknown> }
type Messages = OpenAI.ChatCompletionMessageParam[]

type Executed = { state: string; backend: string; result?: Pick<PromptResult, 'token_usage'> }

const tool = (name: string) => ({
  type: 'function' as const,
  function: {
    name,
    description: `Does ${name}`,
    parameters: { type: 'object', properties: { x: { type: 'string' } } },
  },
})
const tools = ['add', 'sub', 'mul'].map(tool)
const call = (name: string, x: string): Call => ({ name, args: { x } })
const promptFor = (calls: readonly Call[][]): Messages => [
  { role: 'user', content: `Do it. #calls=${Buffer.from(JSON.stringify(calls)).toString('base64url')}` },
]

describe.each([...natives, ...others])('the real $name', ({ name, model, open }) => {
  let setup: AgentSetup
  let serving: Serving
  let url: string
  let client: OpenAI

  async function serve(env: Record<string, string> = {}): Promise<void> {
    serving = serveDrover(['--port', '0'], { ...setup.env('client'), ...env })
    url = `http://127.0.0.1:${await portOf(serving)}`
    client = new OpenAI({ baseURL: `${url}/openai/v1`, apiKey: 'none', maxRetries: 0 })
  }

  async function stop(signal: NodeJS.Signals): Promise<void> {
    serving.child.kill(signal)
    await serving.ended
  }

  beforeEach(async () => {
    setup = open()
    await serve()
  })

  // No process is left, however the test has ended.
  afterEach(async () => {
    await stop('SIGTERM')
    await until(() => processesIn(setup).length === 0)
    setup.remove()
  })

  async function ask(messages: Messages, agent_tools = 'all') {
    const request = { model, messages, tools, agent_tools }
    const { choices, usage } = await client.chat.completions.create(request)
    const message = choices[0]?.message
    const made = (message?.tool_calls ?? []).flatMap((each) => (each.type === 'function' ? [each] : []))
    const next = (results: readonly string[]): Messages => [
      ...messages,
      message as OpenAI.ChatCompletionMessage,
      ...made.map(({ id }, at) => ({ role: 'tool' as const, tool_call_id: id, content: results[at] ?? '' })),
    ]
    return { content: message?.content, made, next, tokens: usage?.total_tokens ?? 0 }
  }

  /** The newest first. */
  async function executions(): Promise<Executed[]> {
    const { executions: listed } = await getJson<{ executions: { id: string }[] }>(`${url}/api/v1/executions`)
    return await Promise.all(listed.map(({ id }) => getJson<Executed>(`${url}/api/v1/executions/${id}`)))
  }

  it('calls one function, and three at once, whose results come in any order and twice', async () => {
    const first = await ask(promptFor([[call('add', 'one')], [call('add', '1'), call('sub', '2'), call('mul', '3')]]))
    expect(first.made.map((each) => each.function)).toEqual([{ name: 'add', arguments: '{"x":"one"}' }])
    const second = await ask(first.next(['the first result']))
    expect(second.made.map((each) => each.function.arguments).sort()).toEqual(['{"x":"1"}', '{"x":"2"}', '{"x":"3"}'])
    const results = second.next(second.made.map(({ function: made }) => `of ${made.arguments}`))
    const turned = [...results.slice(0, -3), ...results.slice(-3).reverse()]
    const last = await ask(turned)
    expect(last.content).toContain('Heard: ')
    for (const x of [1, 2, 3]) expect(last.content).toMatch(new RegExp(`of {[\\\\]*"x[\\\\]*":[\\\\]*"${x}`))
    expect(upstream.received()).toContain('the first result')
    expect((await ask(turned)).content).toBe(last.content)
    expect((await executions()).map(({ state }) => state)).toEqual(['completed'])
  }, 200_000)

  it('makes ten calls in a row, and the token counts of all answers add up', async () => {
    const rounds = Array.from({ length: 10 }, (_, at) => [call('add', `${at}`)])
    let answer = await ask(promptFor(rounds))
    let sum = answer.tokens
    for (const at of rounds.keys()) {
      expect(answer.made.map((each) => each.function.arguments)).toEqual([`{"x":"${at}"}`])
      answer = await ask(answer.next([`result ${at}`]))
      sum += answer.tokens
    }
    expect(answer.content).toContain('result 9')
    const [done, ...rest] = await executions()
    expect(rest).toEqual([])
    expect(sum).toBeGreaterThan(0)
    expect(sum).toBe(countTokens(done?.result?.token_usage ?? NO_USAGE, done?.backend ?? ''))
  }, 300_000)

  it('waits on if the client sends the result of an unknown call', async () => {
    const first = await ask(promptFor([[call('add', 'one')]]))
    const messages = first.next(['the result'])
    const stray = { role: 'tool' as const, tool_call_id: 'call_unknown', content: 'stray' }
    await expect(ask([...messages, stray])).rejects.toMatchObject({ status: 400 })
    expect((await ask(messages)).content).toContain('the result')
    expect(upstream.received()).not.toContain('stray')
  }, 100_000)

  it('hears of a function that failed, and sees the image that another one returned', async () => {
    const messages: Anthropic.MessageParam[] = [
      { role: 'user', content: String(promptFor([[call('add', '1')], [call('sub', '2')]])[0]?.content) },
    ]
    const anthropic = new Anthropic({ baseURL: `${url}/anthropic`, apiKey: 'none', maxRetries: 0 })
    const send = async () => {
      const offered = tools.map(({ function: { name: each, parameters } }) => ({
        name: each,
        input_schema: { ...parameters, type: 'object' as const },
      }))
      const { content } = await anthropic.messages.create({ model, max_tokens: 1000, messages, tools: offered })
      messages.push({ role: 'assistant', content })
      const [use] = content.flatMap((each) => (each.type === 'tool_use' ? [each] : []))
      return { use, text: content.map((each) => ('text' in each ? each.text : '')).join('') }
    }
    const add = await send()
    const failed = { type: 'tool_result' as const, tool_use_id: add.use?.id ?? '', is_error: true }
    messages.push({ role: 'user', content: [{ ...failed, content: 'it is broken' }] })
    const sub = await send()
    expect(sub.use?.name).toBe('sub')
    const source = { type: 'base64' as const, media_type: 'image/png' as const, data: PNG.toString('base64') }
    const seen = { type: 'tool_result' as const, tool_use_id: sub.use?.id ?? '' }
    messages.push({ role: 'user', content: [{ ...seen, content: [{ type: 'image', source }] }] })
    expect((await send()).text).toContain('Heard: ')
    expect(upstream.received()).toContain('it is broken')
    // Without the image in the prompt, only the result can have brought it to the model.
    expect(upstream.received().includes(PNG.toString('base64'))).toBe(true)
  }, 200_000)

  it('ends if the client does not come back, and a late result begins a new turn', async () => {
    await stop('SIGTERM')
    await serve({ DROVER_SERVER_TOOL_WAIT_SECS: '2' })
    const server = processesIn(setup)
    const first = await ask(promptFor([[call('add', 'one')]]))
    await until(async () => (await executions())[0]?.state === 'failed')
    await until(() => processesIn(setup).every((pid) => server.includes(pid)))
    const again = await ask(first.next(['the late result']))
    expect(again.made.map(({ id }) => id)).not.toEqual(first.made.map(({ id }) => id))
    expect(upstream.received()).toContain('the late result')
  }, 200_000)

  it('ends if its server is killed, and the next server repeats the conversation', async () => {
    const first = await ask(promptFor([[call('add', 'one')]]))
    await stop('SIGKILL')
    const left = processesIn(setup)
    await serve()
    await until(() => processesIn(setup).every((pid) => !left.includes(pid)))
    const again = await ask(first.next(['the kept result']))
    expect(again.made.map(({ id }) => id)).not.toEqual(first.made.map(({ id }) => id))
    expect((await ask(again.next(['another result']))).content).toContain('another result')
    expect((await executions()).map(({ state }) => state)).toEqual(['completed', 'lost'])
  }, 200_000)

  it('passes on long arguments and results', async () => {
    const first = await ask(promptFor([[call('add', 'a'.repeat(100_000))]]))
    expect(first.made[0]?.function.arguments).toHaveLength(100_000 + '{"x":""}'.length)
    const last = await ask(first.next([`start ${'r'.repeat(1_000_000)}`]))
    expect(last.content).toContain('Heard: ')
  }, 100_000)

  it('waits longer than a minute for its client', async () => {
    const first = await ask(promptFor([[call('add', 'one')]]))
    await sleep(75_000)
    expect((await ask(first.next(['the late result']))).content).toContain('the late result')
  }, 200_000)

  it.runIf(PLAIN.includes(name))(
    'is a plain model with agent_tools: none: it has only the functions of the client',
    async () => {
      const before = upstream.received().length
      const first = await ask(promptFor([[call('add', 'one')]]), 'none')
      expect(first.made.map((each) => each.function)).toEqual([{ name: 'add', arguments: '{"x":"one"}' }])
      expect((await ask(first.next(['the result']), 'none')).content).toContain('Heard: ')
      const lines = upstream.received().slice(before).trim().split('\n')
      const seen = new Set(
        lines.flatMap((line) => toolNames(JSON.parse(line).body ?? {})).filter((each) => !LEFT.includes(each)),
      )
      expect([...seen].map((each) => each.replace(/^.*client_+/, '')).sort()).toEqual(
        name === 'codex' ? [] : ['add', 'mul', 'sub'],
      )
    },
    100_000,
  )

  it.skipIf(PLAIN.includes(name))(
    'says that its tools cannot be switched off',
    async () => {
      const message = expect.stringContaining(`the tools of ${name} cannot be switched off`)
      await expect(ask(promptFor([[call('add', 'one')]]), 'none')).rejects.toMatchObject({ status: 400, message })
    },
    100_000,
  )
})

async function getJson<T>(address: string): Promise<T> {
  return (await (await fetch(address)).json()) as T
}

type Named = { name?: string; type?: string; function?: Named; functionDeclarations?: Named[]; tools?: Named[] }

/** The tools that a request to the model has, in each dialect. */
function toolNames({ tools = [] }: { tools?: Named[] }): string[] {
  return tools.flatMap((tool) => {
    const inner = tool.functionDeclarations ?? tool.tools
    if (inner !== undefined) return toolNames({ tools: inner }).map((each) => (tool.name ?? '') + each)
    return tool.function?.name ?? tool.name ?? tool.type ?? ''
  })
}
