/** Real agents call functions of a client of the server. The model says which, in a prompt. */
import { setTimeout as sleep } from 'node:timers/promises'
import OpenAI from 'openai'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
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
  let client: OpenAI

  beforeEach(async () => {
    setup = open()
    serving = serveDrover(['--port', '0'], { ...setup.env('client') })
    client = new OpenAI({
      baseURL: `http://127.0.0.1:${await portOf(serving)}/openai/v1`,
      apiKey: 'none',
      maxRetries: 0,
    })
  })

  afterEach(async () => {
    serving.child.kill('SIGTERM')
    await serving.ended
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

  it('calls one function, and three at once', async () => {
    const first = await ask(promptFor([[call('add', 'one')], [call('add', '1'), call('sub', '2'), call('mul', '3')]]))
    expect(first.made.map((each) => each.function)).toEqual([{ name: 'add', arguments: '{"x":"one"}' }])
    const second = await ask(first.next(['the first result']))
    expect(second.made.map((each) => each.function.arguments).sort()).toEqual(['{"x":"1"}', '{"x":"2"}', '{"x":"3"}'])
    const last = await ask(second.next(['r1', 'r2', 'r3']))
    expect(last.content).toContain('Heard: ')
    expect(upstream.received()).toContain('the first result')
  }, 100_000)

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

type Named = { name?: string; type?: string; function?: Named; functionDeclarations?: Named[]; tools?: Named[] }

/** The tools that a request to the model has, in each dialect. */
function toolNames({ tools = [] }: { tools?: Named[] }): string[] {
  return tools.flatMap((tool) => {
    const inner = tool.functionDeclarations ?? tool.tools
    if (inner !== undefined) return toolNames({ tools: inner }).map((each) => (tool.name ?? '') + each)
    return tool.function?.name ?? tool.name ?? tool.type ?? ''
  })
}
