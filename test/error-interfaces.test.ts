/** The table of the same mistakes in docs/errors.md, each made through every interface. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createDrover, DroverError, type PromptRequest } from '../src/library/drover.ts'
import { runDrover, temporaryDirectory } from './support/run-drover.ts'
import { startServer } from './support/start-server.ts'

const page = readFileSync(join(import.meta.dirname, '..', 'docs', 'errors.md'), 'utf8')
const table = page.split('## The same mistake, by interface')[1]?.split('\n## ')[0] ?? ''

/** The codes of each cell of a row. */
function documented(mistake: string): string[][] {
  const row = table.split('\n').find((line) => line.startsWith(`| ${mistake} |`)) ?? ''
  const cells = row.split('|').slice(2, -1)
  return cells.map((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, code = '']) => code))
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return error instanceof DroverError ? error.code : 'none'
}

const CASES: readonly (readonly [string, { args: readonly string[]; request: object }])[] = [
  ['an unknown flag, option or field', { args: ['prompt', 'x', '--sandbx'], request: { prompt: 'x', sandbx: true } }],
  [
    'a value of the wrong type or out of range',
    { args: ['prompt', 'x', '--max-turns', '-1'], request: { prompt: 'x', max_turns: -1 } },
  ],
  ['no prompt', { args: ['prompt'], request: {} }],
  ['an empty prompt', { args: ['prompt', ''], request: { prompt: '' } }],
  ['a prompt of white space', { args: ['prompt', ' \n'], request: { prompt: ' \n' } }],
]

it('has a case for each row', () => {
  expect(table.match(/^\| an? .*|^\| no .*/gm)?.length).toBe(CASES.length)
})

it.each(CASES)('%s has the documented codes', async (mistake, { args, request }) => {
  const [cli = [], library = [], http = []] = documented(mistake)
  const { stderr } = await runDrover([...args, '--demo', '-o', 'json'])
  expect(cli).toEqual([JSON.parse(stderr).error])

  const drover = createDrover({ home: temporaryDirectory(), demo: true, env: { PATH: '/usr/bin:/bin' } })
  onTestFinished(() => drover.close())
  expect(library.at(-1)).toBe(await codeOf(drover.prompt(request as PromptRequest).result))
  if (library.length > 1) expect(library[0]).toBe(await codeOf(drover.prompt('x', { sandbx: true } as object).result))

  const server = await startServer()
  const answer = await server.request('/api/v1/prompt', { method: 'POST', body: { backend: 'claude', ...request } })
  expect(http).toEqual([(answer.body as { error: string }).error])
  const params = { name: 'prompt', arguments: { backend: 'claude', ...request } }
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  const tool = await server.request('/mcp', {
    method: 'POST',
    headers: { accept: 'application/json, text/event-stream' },
    body,
  })
  expect(tool.text).toContain(http[0])
})
