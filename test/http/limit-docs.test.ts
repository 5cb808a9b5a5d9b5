/** The limits that docs/http-api.md lists, at the limit and one past it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { DRIVEN_STATES } from '../../src/drive/service/driven-run.shape.ts'
import { type ServerOptions, startServer } from '../support/start-server.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/http-api.md'), 'utf8')
const table = page.split('### Sizes and counts')[1]?.split('\n### ')[0] ?? ''
const row = (what: string) =>
  table
    .split('\n')
    .find((line) => line.startsWith(`| ${what} |`))
    ?.split('|') ?? []
const limitOf = (what: string) => Number.parseInt((row(what)[2] ?? '').replaceAll(',', ''), 10)
const codeOf = (what: string) => row(what)[3]?.match(/\w+/)?.[0]

it('docs/http-api.md has every state of a run', () => {
  const states = page.split('| State | |\n')[1]?.split('\n\n')[0] ?? ''
  expect([...states.matchAll(/^\| `(\w+)`/gm)].map(([, state]) => state)).toEqual(DRIVEN_STATES)
})

const texts = (count: number) => Array.from({ length: count }, (_, at) => `/tmp/${at}`)
const prompt = { backend: 'claude', prompt: 'x', dry_run: true }

/** The request with a value of a size. */
const CASES: readonly (readonly [string, string, (size: number) => object])[] = [
  ['`fallback`', '/prompt', (size) => ({ ...prompt, fallback: texts(size).map(() => 'claude') })],
  [
    '`additional_directories`',
    '/prompt',
    (size) => ({ ...prompt, additional_directories: texts(size).map(() => '/tmp') }),
  ],
  ['`mcp_servers`', '/prompt', (size) => ({ ...prompt, mcp_servers: texts(size) })],
  ['`extra`', '/prompt', (size) => ({ ...prompt, extra: texts(size).map(() => '--verbose') })],
  ['name of a model', '/prompt', (size) => ({ ...prompt, model: 'm'.repeat(size) })],
  ['name of an agent', '/prompt', (size) => ({ ...prompt, backend: 'm'.repeat(size) })],
  ['name of an agent', '/compare', (size) => ({ prompt: 'x', backends: ['m'.repeat(size), 'claude'], dry_run: true })],
  ['`max_turns`', '/prompt', (size) => ({ ...prompt, max_turns: size })],
  ['`timeout_secs`', '/prompt', (size) => ({ ...prompt, timeout_secs: size })],
  [
    'tasks of `parallel`, steps of `chain`',
    '/parallel',
    (size) => ({ tasks: texts(size).map(() => prompt), dry_run: true }),
  ],
  [
    'tasks of `parallel`, steps of `chain`',
    '/chain',
    (size) => ({ steps: texts(size).map(() => ({ backend: 'claude', prompt: 'x' })), dry_run: true }),
  ],
  ['`backends` of `compare`', '/compare', (size) => ({ prompt: 'x', backends: texts(size), dry_run: true })],
]

/** No rate limit, and no agent that takes time. */
const OPTIONS: ServerOptions = { agents: 'demo' }

it.each(CASES)('%s is accepted up to its limit by %s', async (what, path, request) => {
  const server = await startServer(OPTIONS)
  const limit = limitOf(what)
  expect(limit).toBeGreaterThan(0)
  const post = async (size: number) => {
    const { status, body } = await server.request(`/api/v1${path}`, { method: 'POST', body: request(size) })
    return { status, code: (body as { error?: string }).error }
  }
  // At the limit, something else may be wrong with the values.
  expect((await post(limit)).code).not.toBe('invalid_request')
  expect(await post(limit + 1)).toEqual({ status: 400, code: codeOf(what) })
})

it('JSON may be nested as deeply as the page says', async () => {
  const server = await startServer(OPTIONS)
  const limit = limitOf('nesting of JSON')
  const post = async (depth: number) => {
    const body = `{"backend":"claude","prompt":"x","output_schema":${'{"a":'.repeat(depth - 1)}1${'}'.repeat(depth)}`
    const answer = await server.request('/api/v1/prompt', { method: 'POST', body })
    return (answer.body as { error?: string }).error
  }
  expect(await post(limit)).toBe('output_schema_invalid')
  expect(await post(limit + 1)).toBe(codeOf('nesting of JSON'))
})
