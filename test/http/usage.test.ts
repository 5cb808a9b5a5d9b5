import { describe, expect, it } from 'vitest'
import { formatUsageCsv } from '../../src/executions/store/usage-csv.ts'
import type { UsageReport } from '../../src/executions/store/usage-report.shape.ts'
import { digest } from '../../src/kit/digest.ts'
import { type ServerOptions, startServer, type TestServer } from '../support/start-server.ts'

const KEYS = {
  server: {
    keys: [
      { name: 'one', sha256: digest('first-key-0123456789') },
      { name: 'two', sha256: digest('second-key-0123456789') },
      { name: 'boss', sha256: digest('third-key-0123456789'), role: 'operator' },
    ],
  },
}
const SCRIPT = JSON.stringify({ text: ['Hi'], usage: { input: 12, output: 3 } })

const start = (options: ServerOptions = {}) =>
  startServer({ ...options, env: { FAKE_AGENT_SCRIPT: SCRIPT, ...options.env } })

const as = (key: string) => ({ 'x-api-key': `${key}-key-0123456789` })

const post = (server: TestServer, path: string, body: object, headers = {}) =>
  server.request(path, { method: 'POST', body, headers })

async function usageOf(server: TestServer, query = '', headers = {}): Promise<UsageReport> {
  return (await server.request(`/api/v1/usage${query}`, { headers })).body as UsageReport
}

describe('GET /api/v1/usage', () => {
  it('counts the prompts of all APIs and the parts of batches, but no dry run', async () => {
    const server = await start()
    const messages = [{ role: 'user', content: 'hi' }]
    await post(server, '/api/v1/prompt', { backend: 'claude', prompt: 'hi' })
    await post(server, '/api/v1/prompt', { backend: 'claude', prompt: 'hi', ephemeral: true })
    await post(server, '/api/v1/prompt', { backend: 'claude', prompt: 'hi', dry_run: true })
    await post(server, '/openai/v1/chat/completions', { model: 'codex', messages })
    await post(server, '/api/v1/parallel', {
      tasks: [
        { backend: 'codex', prompt: 'a' },
        { backend: 'codex', prompt: 'b' },
      ],
    })
    const today = new Date().toISOString().slice(0, 10)
    const report = await usageOf(server, '?group_by=backend')
    expect(report).toMatchObject({
      until: today,
      group_by: ['backend'],
      rows: [
        { backend: 'claude', executions: 2, completed: 2, input_tokens: 24, output_tokens: 6 },
        { backend: 'codex', executions: 3, completed: 3, input_tokens: 36, output_tokens: 9 },
      ],
      totals: { executions: 5, input_tokens: 60, output_tokens: 15, duration_ms: expect.any(Number) },
    })
    expect(report.totals.duration_ms).toBeGreaterThan(0)
    const all = await usageOf(server)
    expect(all.rows.map(({ day, key }) => [day, key])).toEqual(all.rows.map(() => [today, '']))
    const csv = await server.request('/api/v1/usage?group_by=backend&format=csv')
    expect(csv.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="usage-${report.since}-${today}.csv"`,
    })
    expect(csv).toMatchObject({ status: 200, text: formatUsageCsv(report) })
  })

  it('does not count what was refused before an agent started', async () => {
    const [one] = KEYS.server.keys
    const server = await start({ server: { keys: [{ ...one, budgets: ['1requests/day'] }] } })
    const ask = () => post(server, '/api/v1/prompt', { backend: 'claude', prompt: 'hi' }, as('first'))
    expect([(await ask()).status, (await ask()).status]).toEqual([200, 402])
    expect((await usageOf(server, '', as('first'))).totals).toMatchObject({ executions: 1, completed: 1, failed: 0 })
  })

  it('shows a client its own usage, and an operator that of every key', async () => {
    const server = await start(KEYS)
    for (const key of ['first', 'second', 'second']) {
      await post(server, '/api/v1/prompt', { backend: 'claude', prompt: 'hi' }, as(key))
    }
    const seenBy = async (key: string, query = '?group_by=key') =>
      (await usageOf(server, query, as(key))).rows.map((row) => `${row.key} ${row.executions}`)
    expect(await seenBy('first')).toEqual(['one 1'])
    expect(await seenBy('second')).toEqual(['two 2'])
    expect(await seenBy('first', '?group_by=key&key=two')).toEqual([])
    expect(await seenBy('third')).toEqual(['one 1', 'two 2'])
    expect(await seenBy('third', '?group_by=key&key=two')).toEqual(['two 2'])
    expect((await server.request('/api/v1/usage')).status).toBe(401)
  })

  it('filters by day, backend and model', async () => {
    const server = await start()
    for (const backend of ['claude', 'gemini']) await post(server, '/api/v1/prompt', { backend, prompt: 'hi' })
    const { rows } = await usageOf(server)
    const model = rows.find(({ backend }) => backend === 'gemini')?.model ?? ''
    expect(model).not.toBe('')
    const tomorrow = new Date(Date.now() + 24 * 3600 * 1000).toISOString().slice(0, 10)
    for (const [query, count] of [
      ['?backend=claude', 1],
      [`?model=${encodeURIComponent(model)}&backend=gemini`, 1],
      ['?model=another', 0],
      ['?since=2026-01-01&until=2026-01-31', 0],
      [`?since=${tomorrow}&until=${tomorrow}`, 0],
      [`?since=&until=${tomorrow}`, 2],
    ] as const) {
      expect([query, (await usageOf(server, query)).rows.length]).toEqual([query, count])
    }
  })

  it.each([
    ['since=2026-02-30', '$.since must be a date such as 2026-01-31'],
    ['until=2026-01-31T00:00:00Z', '$.until must be a date such as 2026-01-31'],
    ['since=2026-02-02&until=2026-02-01', 'until (2026-02-01) is before since (2026-02-02)'],
    ['group_by=owner', '$.group_by must be a list of day, key, backend and model'],
    ['group_by=day,', '$.group_by must be a list of day, key, backend and model'],
    ['by=day', 'by'],
  ])('refuses ?%s', async (query, message) => {
    const server = await start()
    const answer = await server.request(`/api/v1/usage?${query}`)
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining(message) } })
  })
})
