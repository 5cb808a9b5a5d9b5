/** Budgets of keys: refused in the form of each API, shown as they are enforced. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, it } from 'vitest'
import { digest } from '../../src/kit/digest.ts'
import type { BudgetList } from '../../src/prompts/budget-list.shape.ts'
import { installFakeAgent } from '../support/fake-agent.ts'
import { connectClient } from '../support/mcp-client.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { portOf, serveDrover } from '../support/serve-drover.ts'
import { startServer } from '../support/start-server.ts'
import { until } from '../support/until.ts'

const SCRIPT = JSON.stringify({ text: ['Hi'], usage: { input: 12, output: 3 } })
const key = (name: string, more: object) => ({ name, sha256: digest(`${name}-key-0123456789`), ...more })
const as = (name: string) => ({ 'x-api-key': `${name}-key-0123456789` })
const JSON_BODY = { 'content-type': 'application/json' }
const PROMPT = { backend: 'claude', prompt: 'hi' }
const messages = [{ role: 'user', content: 'hi' }]

it('refuses a key whose budget is spent, in the form of each API, and shows it', async () => {
  const keys = [
    key('one', { budgets: ['1requests/once'] }),
    key('two', { budgets: ['1Mtokens/day'] }),
    key('old', { expires_at: '2020-01-01T00:00:00Z' }),
    key('boss', { role: 'operator' }),
  ]
  const server = await startServer({
    config: { budgets: [{ limit: '9requests/day', key: '*' }] },
    server: { keys, metrics_enabled: true },
    env: { FAKE_AGENT_SCRIPT: SCRIPT },
  })
  const post = (path: string, body: object, headers: object) =>
    server.request(path, { method: 'POST', body, headers: { 'anthropic-version': '2023-06-01', ...headers } })
  expect(await post('/api/v1/prompt', PROMPT, as('one'))).toMatchObject({ status: 200 })
  expect(await post('/api/v1/prompt', PROMPT, as('one'))).toMatchObject({
    status: 402,
    body: { error: 'budget_spent', details: { name: 'the key one', unit: 'requests', used: 1, limit: 1, reserved: 0 } },
  })
  const problem = {
    status: 402,
    budget: { name: 'the key one', used: 1 },
    type: expect.stringMatching(/budget-spent$/),
  }
  expect(await post('/openai/v1/chat/completions', { model: 'claude', messages }, as('one'))).toMatchObject({
    status: 402,
    body: { ...problem, error: { type: 'insufficient_quota', code: 'budget_spent' } },
  })
  expect(await post('/openai/v1/responses', { model: 'claude', input: 'hi' }, as('one'))).toMatchObject({ status: 402 })
  const messagesRequest = { model: 'claude', max_tokens: 10, messages }
  expect(await post('/anthropic/v1/messages', messagesRequest, as('one'))).toMatchObject({
    status: 402,
    body: { ...problem, error: { type: 'billing_error' } },
  })
  expect(await post('/api/v1/prompt', PROMPT, as('two'))).toMatchObject({ status: 200 })
  expect(await post('/api/v1/prompt', PROMPT, as('old'))).toMatchObject({ status: 401 })
  const shown = async (name: string) => {
    const { body } = await server.request('/api/v1/budgets', { headers: as(name) })
    return (body as BudgetList).budgets.map(({ name: of, unit, used, reserved }) => `${of} ${used} ${unit} ${reserved}`)
  }
  expect(await shown('two')).toEqual(['the key two 1 requests 0', 'the key two 15 tokens 0'])
  expect(await shown('boss')).toHaveLength(5)
  const exported = async (name: string) => (await server.request('/metrics', { headers: as(name) })).text
  expect(await exported('boss')).toContain('drover_budget{budget="the key two"')
  expect(await exported('two')).not.toContain('drover_budget')
  const { call } = await connectClient(
    new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit: { headers: as('two') } }),
  )
  const { text, view } = await call('budget_list')
  expect(view).toEqual((await server.request('/api/v1/budgets', { headers: as('two') })).body)
  expect(text).toMatch(
    /^the key two: 1 request of 9 requests per day used; resets at .*Z\nthe key two: 15 tokens of 1,000,000/,
  )
})

type Shown = Record<string, { used: number; reserved: number; estimated: number }>

async function startCounting(script: object) {
  const server = await startServer({
    config: { budgets: [{ limit: '9requests/once' }, { limit: '900ktokens/once' }] },
    server: { metrics_enabled: true },
    env: { FAKE_AGENT_SCRIPT: JSON.stringify(script), FAKE_AGENT_STATE: temporaryDirectory() },
  })
  const post = (path: string, body: object, headers = {}) => server.request(path, { method: 'POST', body, headers })
  const list = async () => ((await server.request('/api/v1/budgets')).body as BudgetList).budgets
  const reserved = async () => (await list()).find(({ unit }) => unit === 'requests')?.reserved
  /** What is exported is the same. */
  const shown = async () => {
    const budgets = await list()
    const { text } = await server.request('/metrics')
    for (const { name, unit, period, limit, used, reserved } of budgets) {
      const labels = `budget="${name}",unit="${unit}",period="${period}"`
      for (const [amount, value] of Object.entries({ limit, used, reserved }))
        expect(text).toContain(`drover_budget{${labels},amount="${amount}"} ${value}\n`)
    }
    return Object.fromEntries(budgets.map(({ unit, ...counts }) => [unit, counts])) as Shown
  }
  return { server, post, shown, reserved }
}

it('charges a fallback once, and each turn of a resumed session once', async () => {
  const { server, post, shown } = await startCounting({ text: ['Hi'], usage: { input: 12, output: 3 } })
  installFakeAgent(join(server.home, '..', 'bin'), 'claude', { script: { fail: 429, failText: 'usage limit reached' } })
  const { body } = await post('/api/v1/prompt', { ...PROMPT, fallback: ['codex'] })
  expect(body).toMatchObject({ backend: 'codex', exit_code: 0 })
  expect(await shown()).toMatchObject({
    requests: { used: 1, reserved: 0 },
    tokens: { used: 15, reserved: 0, estimated: 0 },
  })
  const { session_id: session } = body as { session_id: string }
  expect(await post(`/api/v1/sessions/${session}/resume`, { prompt: 'and again' })).toMatchObject({ status: 200 })
  // This agent counts its whole session.
  expect(await shown()).toMatchObject({ requests: { used: 2 }, tokens: { used: 30, estimated: 0 } })
})

it('charges nothing for a prompt whose agent could not be started', async () => {
  const { server, post, shown } = await startCounting({ text: ['Hi'] })
  const path = join(server.home, '..', 'bin', 'claude')
  writeFileSync(path, '#!/no/such/interpreter\n', { mode: 0o755 })
  const refused = [
    [{}, 503, 'program_not_found'],
    [{ backend: 'nope' }, 400, 'backend_not_found'],
    [{ workdir: '/etc' }, 400, 'workdir_not_allowed'],
  ] as const
  for (const [wanted, status, error] of refused)
    expect(await post('/api/v1/prompt', { ...PROMPT, ...wanted })).toMatchObject({ status, body: { error } })
  await post('/api/v1/parallel', { tasks: [PROMPT, { ...PROMPT, workdir: '/etc' }] })
  expect(await shown()).toMatchObject({ requests: { used: 0, reserved: 0 }, tokens: { used: 0, reserved: 0 } })
})

it('charges what was reserved for a prompt that is cancelled, and shows it while it runs', async () => {
  const { post, shown, reserved } = await startCounting({
    text: ['a', 'b'],
    chunkMs: 60_000,
    usage: { input: 12, output: 3 },
  })
  const { body } = await post('/api/v1/prompt', PROMPT, { prefer: 'respond-async' })
  const { execution_id: id } = body as { execution_id: string }
  await until(async () => (await reserved()) === 1)
  expect(await shown()).toMatchObject({ tokens: { used: 0, reserved: 100_000 } })
  await post(`/api/v1/executions/${id}/cancel`, {})
  await until(async () => (await reserved()) === 0)
  expect(await shown()).toMatchObject({
    requests: { used: 1, estimated: 0 },
    tokens: { used: 100_000, reserved: 0, estimated: 100_000 },
  })
})

it('enforces and shows what the config file says now, in a server that runs', async () => {
  const serving = serveDrover(['--demo', '--port', '0'], {
    HOME: temporaryDirectory(),
  })
  const url = `http://127.0.0.1:${await portOf(serving)}`
  const ask = async () =>
    (await fetch(`${url}/api/v1/prompt`, { method: 'POST', body: JSON.stringify(PROMPT), headers: JSON_BODY })).status
  const listed = async () => ((await (await fetch(`${url}/api/v1/budgets`)).json()) as BudgetList).budgets
  const write = (budgets: object[]) =>
    writeFileSync(join(serving.home, '.drover', 'config.yaml'), JSON.stringify({ budgets }))
  expect([await ask(), await listed()]).toEqual([200, []])
  write([{ limit: '1requests/once' }])
  await until(async () => (await listed()).length === 1)
  expect([await ask(), await ask()]).toEqual([200, 402])
  // Another limit of the same budget keeps what was used.
  write([{ limit: '2requests/once' }])
  await until(async () => (await listed())[0]?.limit === 2)
  expect([await ask(), await ask()]).toEqual([200, 402])
  write([])
  await until(async () => (await listed()).length === 0)
  expect(await ask()).toBe(200)
})

it('the demo agent costs no dollars, in the result, the budget and the usage', async () => {
  const server = await startServer({ agents: 'demo', config: { budgets: [{ limit: '0.25usd/once' }] } })
  const ask = async () => await server.request('/api/v1/prompt', { method: 'POST', body: PROMPT })
  const answers = await Promise.all([ask(), ask(), ask()])
  for (const answer of answers)
    expect(answer).toMatchObject({ status: 200, body: { cost_usd: 0, cost_kind: 'reported' } })
  expect((await server.request('/api/v1/budgets')).body).toMatchObject({
    budgets: [{ used: 0, reserved: 0, estimated: 0 }],
  })
  expect((await server.request('/api/v1/usage')).body).toMatchObject({
    totals: { executions: 3, cost_usd: 0, unknown_cost_executions: 0 },
  })
})

it('charges what was reserved for each prompt of a model without a price that the agent chose itself', async () => {
  const server = await startServer({
    config: { budgets: [{ limit: '0.75usd/once' }] },
    env: { FAKE_AGENT_SCRIPT: JSON.stringify({ text: ['Hi'], usage: { input: 12, output: 3 } }) },
  })
  const ask = async (more = {}) =>
    (await server.request('/api/v1/prompt', { method: 'POST', body: { ...PROMPT, backend: 'codex', ...more } })).status
  const list = async () => ((await server.request('/api/v1/budgets')).body as BudgetList).budgets[0]
  expect(await ask({ model: 'nameless' })).toBe(400)
  for (const used of [0.25, 0.5, 0.75]) {
    expect(await ask()).toBe(200)
    expect(await list()).toMatchObject({ used, estimated: used, reserved: 0 })
  }
  expect(await ask()).toBe(402)
})
