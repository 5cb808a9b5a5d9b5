/** Every row of the table in docs/testing.md, through the ways in of programs. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createDrover, type DroverError, type DroverOptions, type PromptEvent } from '../src/library/drover.ts'
import { installFakeAgents } from './support/fake-agent.ts'
import { firstOf } from './support/full-counts.ts'
import { temporaryDirectory } from './support/run-drover.ts'
import { until } from './support/until.ts'

const AGENTS = ['claude', 'codex', 'gemini'] as const
const ENV = { PATH: '/usr/bin:/bin', DEMO_AGENT_WORD_MS: '0' }
const PAGE = readFileSync(join(import.meta.dirname, '..', 'docs', 'testing.md'), 'utf8')

function open(options: DroverOptions = {}) {
  const drover = createDrover({ home: temporaryDirectory(), env: ENV, demo: true, configFile: false, ...options })
  onTestFinished(() => drover.close())
  return drover
}

/** The words of a row, which the page shows as they are. */
function words(prompt: string): string {
  if (!PAGE.includes(`| \`${prompt}\``)) throw new Error(`docs/testing.md has no row for ${prompt}`)
  return prompt
}

async function failure(promise: Promise<unknown>): Promise<DroverError> {
  return await promise.then(
    () => {
      throw new Error('it did not fail')
    },
    (error) => error,
  )
}

async function all<E>(events: AsyncIterable<E>): Promise<E[]> {
  const found: E[] = []
  for await (const event of events) found.push(event)
  return found
}

type Choice = {
  finish_reason: string
  message: { content: string | null; tool_calls: { id: string; function: object }[] }
}
type PendingPage = { approvals: { execution_id: string; approval_id: string }[] }

const tested = new Set<string>()
function row(prompt: string): string {
  tested.add(prompt)
  return words(prompt)
}

describe.each(firstOf(AGENTS))('the demo agent as %s', (backend) => {
  it('answers with a chosen text', async () => {
    const { output } = await open().prompt({ prompt: row('please answer: It is windy.'), backend }).result
    expect(output).toBe('It is windy.')
  })

  it('answers in pieces', async () => {
    const run = open().prompt({ prompt: row('please answer in 3 pieces'), backend })
    const messages = (await all<PromptEvent>(run)).filter(({ type }) => type === 'message')
    const partial = messages.filter(({ content }) => 'is_partial' in content && content.is_partial === true)
    expect(partial).toHaveLength(backend === 'codex' ? 0 : 3)
    expect((await run.result).output).toContain('please answer in 3 pieces')
  })

  it('waits, and is ended at the time limit of the prompt', async () => {
    const limited = { prompt: row('please wait 30 seconds'), backend, timeout_secs: 1 }
    expect(await failure(open().prompt(limited).result)).toMatchObject({ code: 'agent_timeout' })
    const started = performance.now()
    await open().prompt({ prompt: 'please wait 1 second', backend }).result
    expect(performance.now() - started).toBeGreaterThan(1000)
  })

  it('waits, and is canceled', async () => {
    const drover = open()
    const run = drover.prompt({ prompt: 'please wait 5 minutes', backend })
    await until(async () => (await drover.executions.list({ state: 'running' })).executions[0])
    run.cancel()
    expect(await failure(run.result)).toMatchObject({ code: 'agent_cancelled' })
  })

  it.each([
    ['please fail', { code: 'agent_service_failed', retryable: false, result: { upstream_status: 500 } }],
    ['please be overloaded', { code: 'agent_overloaded', retryable: true }],
    ['please be logged out', { code: 'agent_auth_failed' }],
    ['please reach your limit for 5 minutes', { code: 'agent_usage_limited' }],
  ])('fails as it is told: %s', async (prompt, expected) => {
    const error = await failure(open().prompt({ prompt: row(prompt), backend }).result)
    const { result: _, ...rest } = expected as { code: string; result?: object }
    expect(error).toMatchObject(rest)
    expect(error.result?.retryable).toBe(error.retryable)
  })

  it('fails after its answer, with what it has written so far', async () => {
    const prompt = `think, then run a command, then ${row('please fail after your answer')}`
    const run = open().prompt({ prompt, backend })
    const types = (await all(run)).map(({ type }) => type)
    expect(types).toEqual(expect.arrayContaining(['tool_use', 'tool_result', 'message', 'error']))
    expect(types.indexOf('message')).toBeLessThan(types.indexOf('error'))
    const error = await failure(run.result)
    expect(error).toMatchObject({ code: 'agent_service_failed' })
    expect(error.result?.output).toContain('Your prompt arrived')
  })

  it('answers in place of an agent that is installed, if the settings name none', async () => {
    const installed = { ...ENV, PATH: `${installFakeAgents(temporaryDirectory())}:${ENV.PATH}` }
    const missing = { command: '/not-installed' }
    const config = { backends: { claude: missing, codex: missing, gemini: missing } }
    const { output } = await open({ env: installed, config }).prompt({ prompt: 'say hello', backend }).result
    expect(output).toContain('built-in demo agent')
  })

  it('says when the limit is lifted', async () => {
    const { result } = await failure(open().prompt({ prompt: 'please reach your limit for 5 minutes', backend }).result)
    expect(result?.retry_after_secs).toBeGreaterThan(280)
    expect(result?.retry_after_secs).toBeLessThanOrEqual(300)
    const byDefault = await failure(open().prompt({ prompt: 'please reach your limit', backend }).result)
    expect(byDefault.result?.retry_after_secs).toBeGreaterThan(3580)
  })

  it('is replaced by the next agent, if the program names one', async () => {
    const [next = ''] = AGENTS.filter((each) => each !== backend)
    const { drover, prompt } = { drover: open(), prompt: 'please reach your limit' }
    expect(await failure(drover.prompt({ prompt, backend, fallback: [next] }).result)).toMatchObject({
      code: 'agent_usage_limited',
      result: { backend: next },
    })
  })

  it('thinks and pretends to run a command', async () => {
    const types = (await all(open().prompt({ prompt: row('think, then run a command'), backend }))).map(
      ({ type }) => type,
    )
    expect(types).toEqual(expect.arrayContaining(['tool_use', 'tool_result']))
    expect(types.includes('thinking')).toBe(backend !== 'gemini')
  })

  it('does so before it answers with a text, too', async () => {
    const run = open().prompt({ prompt: 'think, then run a command, then please answer: hi', backend })
    const types = (await all(run)).map(({ type }) => type)
    expect(types).toEqual(expect.arrayContaining(['tool_use', 'tool_result']))
    expect(types.includes('thinking')).toBe(backend !== 'gemini')
    expect((await run.result).output).toMatch(/hi$/)
  })

  it.skipIf(backend === 'gemini')('fills a schema, also with a text that does not match it', async () => {
    const output_schema = { type: 'object', properties: { knots: { type: 'integer' } }, required: ['knots'] }
    const { output } = await open().prompt({ prompt: 'how windy?', backend, output_schema }).result
    expect(JSON.parse(output)).toEqual({ knots: expect.any(Number) })
    const busy = { prompt: 'think, then run a command: how windy?', backend, output_schema }
    expect(JSON.parse((await open().prompt(busy).result).output)).toEqual({ knots: expect.any(Number) })
    const wrong = { prompt: 'please answer: {"knots": "many"}', backend, output_schema }
    expect(await failure(open().prompt(wrong).result)).toMatchObject({ code: 'agent_output_invalid' })
  })

  it('calls a function of the client by its name, and uses the result', async () => {
    const { url } = await open().serve({ port: 0 })
    const tools = [{ type: 'function', function: { name: 'add', parameters: { type: 'object' } } }]
    const user = { role: 'user', content: row('please call add with {"x": 1}') }
    const post = async (messages: readonly object[]) => {
      const body = JSON.stringify({ model: backend, tools, messages })
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(`${url}/openai/v1/chat/completions`, { method: 'POST', headers, body })
      return ((await answer.json()) as { choices: Choice[] }).choices[0] as Choice
    }
    const { finish_reason: reason, message } = await post([user])
    expect([reason, message.tool_calls[0]?.function]).toEqual(['tool_calls', { name: 'add', arguments: '{"x":1}' }])
    const result = { role: 'tool', tool_call_id: message.tool_calls[0]?.id, content: 'three' }
    const last = await post([user, message, result])
    expect(last.message.content).toContain('The function add returned: three.')
  })

  it('says that there is no such function', async () => {
    const { output } = await open().prompt({ prompt: 'please call sub', backend }).result
    expect(output).toContain('There is no function sub.')
  })
})

describe('the demo agent that asks for permission', () => {
  const ask = { prompt: row('please ask for permission'), backend: 'claude', approval_mode: 'always' } as const

  it.each([
    ['allow' as const, 'The command was permitted'],
    [{ decision: 'deny', message: 'not today' } as const, 'The command was not permitted: not today.'],
  ])('is told what the program decides: %j', async (decision, said) => {
    const drover = open()
    const asked: unknown[] = []
    const run = drover.prompt(ask, {
      onApproval: ({ tool_name, command }) => {
        asked.push([tool_name, command])
        return decision
      },
    })
    const { output, approvals, session_id } = await run.result
    expect(output).toContain(said)
    expect(asked).toEqual([['Bash', 'echo "hello from drover"']])
    expect(approvals).toMatchObject([{ decision: typeof decision === 'string' ? decision : decision.decision }])
    const next = await drover.prompt({ prompt: 'say more', session: session_id }).result
    expect(next.output).toContain(`It continues session`)
  })

  it('waits for a decision over HTTP, and is canceled meanwhile', async () => {
    const { url } = await open().serve({ port: 0 })
    const post = (path: string, body: object) =>
      fetch(`${url}/api/v1${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const pending = async () => ((await (await fetch(`${url}/api/v1/approvals`)).json()) as PendingPage).approvals[0]
    const answer = post('/prompt', ask)
    const { execution_id: id, approval_id: approval } = await until(pending)
    expect((await post(`/executions/${id}/approvals/${approval}`, { decision: 'allow' })).status).toBe(200)
    expect(await (await answer).json()).toMatchObject({ output: expect.stringContaining('The command was permitted') })
    const other = post('/prompt', ask)
    const { execution_id: second } = await until(pending)
    expect((await post(`/executions/${second}/cancel`, {})).status).toBe(202)
    expect(await (await other).json()).toMatchObject({ error_code: 'agent_cancelled' })
  })

  it.each(AGENTS)('is denied if no one can be asked: %s', async (backend) => {
    const { output } = await open().prompt({ ...ask, backend }).result
    expect(output).toContain('The command was not permitted: no one can be asked.')
  })
})

it('every row of the page is tested', () => {
  const rows = [...PAGE.matchAll(/^\| `([^`]+)` \|/gm)].map(([, prompt]) => prompt)
  expect(rows.toSorted()).toEqual([...tested, 'ask me'].toSorted())
})

it('a run does what its goal says: it asks, fails, and reaches limits', async () => {
  const { createRepository } = await import('./support/temporary-repository.ts')
  const { root, write, commit } = createRepository()
  write('wind.txt', 'wind: 42 km/h\n')
  commit()
  const drive = async (goal: string) =>
    await open().drive({ goal, directory: root, backend: 'claude', review: false, on_limit: 'pause' }).result
  expect(await drive(words('ask me'))).toMatchObject({ question: expect.stringContaining('ask you first') })
  expect((await drive('please reach your limit')).verdict).toMatchObject({ word: 'paused by limit' })
  expect((await drive('please be logged out')).verdict).toMatchObject({ word: 'waits for you' })
}, 60_000)
