/** A server with a past: runs in every state, prompts, a comparison, keys, budgets, a month of usage. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { droverPath } from '../../test/support/bundled-program.ts'
import { createDrivenHome } from '../../test/support/driven-home.ts'
import { createRepositoryAt } from '../../test/support/git-repository.ts'
import { CSV_FILES, HOLIDAY_FILES } from './projects.ts'
import { GOAL, GOALS, PROMPTS, STORY } from './story.ts'

const DEADLINE_MS = 120_000

type Named = 'execution' | 'session' | 'comparison' | 'kept' | 'run' | 'merged' | 'asks' | 'paused' | 'works' | 'queued'
export type Ids = Readonly<Record<Named, string>>
export type Scene = { base: string; home: string; ids: Ids }

type Places = { home: string; csv: string; holidays: string; env: Record<string, string> }

/** Shows what it has made, and ends the server afterwards. */
export async function withScene(scratch: string, show: (scene: Scene) => Promise<void>): Promise<void> {
  const places = createPlaces(scratch)
  await withServer(places, async (base) => {
    const ids = await fill(base, places)
    addUsage(join(places.home, '.drover', 'sessions.db'))
    await show({ base, home: places.home, ids })
  })
}

/** The same without a past, and without settings. */
export async function withNewServer(scratch: string, show: (base: string) => Promise<void>): Promise<void> {
  const places = createPlaces(scratch)
  writeFileSync(join(places.home, '.drover', 'config.yaml'), '')
  await withServer(places, show)
}

function createPlaces(scratch: string): Places {
  const { home, env } = createDrivenHome(scratch, STORY)
  const [csv, holidays] = ['tidy-csv', 'holidays'].map((name) => join(home, 'code', name)) as [string, string]
  for (const [root, files] of [
    [csv, CSV_FILES],
    [holidays, HOLIDAY_FILES],
  ] as const) {
    mkdirSync(root, { recursive: true })
    const repository = createRepositoryAt(root)
    for (const [path, content] of Object.entries(files)) repository.write(path, content)
    repository.commit()
    repository.git('config', 'user.name', 'Ada')
    repository.git('config', 'user.email', 'ada@example.com')
  }
  const config = {
    drive: {
      repositories: [csv, holidays],
      checks: ['npm test', 'npm run lint'],
      watch: [
        { repository: csv, schedule: '30 2 * * 1-5', timezone: 'Europe/Berlin', goal_file: '.drover/nightly.md' },
      ],
    },
    budgets: [{ limit: '20usd/day' }, { limit: '150usd/month' }, { limit: '5Mtokens/week', repository: csv }],
  }
  writeFileSync(join(home, '.drover', 'config.yaml'), JSON.stringify(config, null, 2))
  return { home, csv, holidays, env: env as Record<string, string> }
}

async function withServer({ env, csv }: Places, work: (base: string) => Promise<void>): Promise<void> {
  const argv = [droverPath(), 'serve', '-p', '0', '-q']
  const server = spawn(process.execPath, argv, { env, cwd: csv, stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = once(server, 'close')
  try {
    let said = ''
    const address = await new Promise<string>((resolve, reject) => {
      server.stdout.setEncoding('utf8').on('data', (text) => {
        said += text
        const found = /listens on (http:\S+)/.exec(said)?.[1]
        if (found !== undefined) resolve(found)
      })
      void closed.then(() => reject(new Error(`the server has ended: ${said}`)))
    })
    await work(address)
  } finally {
    server.kill('SIGKILL')
    await closed
  }
}

async function send<T = Record<string, string>>(url: string, body?: object): Promise<T> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) })
  const answer = await response.text()
  if (!response.ok) throw new Error(`${url}: ${answer}`)
  return JSON.parse(answer) as T
}

async function fill(base: string, { csv, holidays }: Places): Promise<Ids> {
  const api = `${base}/api/v1`
  const drive = (body: object, state: string) => driveUntil(api, { repository: csv, ...body }, state)
  const prompt = (backend: string, text: string, more: object = {}) =>
    send(`${api}/prompt`, { backend, prompt: text, workdir: csv, ...more })
  for (const [backend, text] of PROMPTS.others) await prompt(backend, text)
  await fetch(`${api}/prompt`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ backend: 'claude', prompt: PROMPTS.fails, workdir: csv }),
  })
  const first = await prompt('claude', PROMPTS.explain)
  const session = first['session_id'] ?? ''
  await send(`${api}/sessions/${session}/resume`, { prompt: PROMPTS.next })
  const compare = async (text: string) => {
    const body = { prompt: text, backends: ['claude', 'codex'], worktrees: true, workdir: csv }
    return (await send(`${api}/compare`, body))['execution_id'] ?? ''
  }
  const [comparison, kept] = [await compare(PROMPTS.compare), await compare(PROMPTS.compare)]
  await send(`${api}/compare/keep`, { comparison: kept, name: 'claude' })
  const run = await drive({ goal: GOAL, review_backend: 'codex' }, 'waiting')
  await send(`${api}/runs/${run}/answer`, { text: 'Keep it as it is. A round trip must not change the file.' })
  await reaches(api, run, 'ended')
  const merged = await drive({ goal: GOALS.merged, review: false }, 'ended')
  await send(`${api}/runs/${merged}/merge`, {})
  await drive({ goal: GOALS.delivered, repository: holidays }, 'ended')
  const asks = await drive({ goal: GOALS.asks }, 'waiting')
  const paused = await drive({ goal: GOALS.costly, max_cost_usd: 0.5 }, 'paused')
  const works = await drive({ goal: GOALS.works, repository: holidays, queue: true }, 'running')
  let queued = ''
  for (const goal of GOALS.queued) queued = await drive({ goal, queue: true }, 'queued')
  for (const [name, more] of Object.entries(KEYS)) await send(`${api}/keys`, { name, ...more })
  await prompt('claude', PROMPTS.asks, { approval_mode: 'always', detach: true })
  const runs = { run, merged, asks, paused, works, queued }
  return { execution: first['execution_id'] ?? '', session, comparison, kept, ...runs }
}

const KEYS = {
  ada: { role: 'admin' },
  ci: { max_sandbox_mode: 'workspace', budgets: ['20usd/day'], expires_at: '2027-06-30T00:00:00Z' },
  reviewer: { max_approval_mode: 'always', max_sandbox_mode: 'read-only' },
}

/** Starts a run and waits until it is in this state. */
async function driveUntil(api: string, body: object, state: string): Promise<string> {
  const { id = '' } = await send(`${api}/runs`, body)
  await reaches(api, id, state)
  return id
}

async function reaches(api: string, id: string, state: string): Promise<void> {
  let seen = ''
  for (const deadline = Date.now() + DEADLINE_MS; Date.now() < deadline; await sleep(200)) {
    const run = await send(`${api}/runs/${id}`)
    seen = run['state'] ?? ''
    if (seen === state) return
  }
  throw new Error(`the run is ${seen}, not ${state}`)
}

const DAYS = 29
const DAY_MS = 86_400_000

/** What others did with the server in the month before: less at weekends. */
function addUsage(path: string): void {
  const store = new DatabaseSync(path)
  store.exec('PRAGMA busy_timeout = 5000')
  const add = store.prepare(
    `INSERT INTO usage (day, key_id, api_key, backend, model, completed, failed, cancelled, lost, input_tokens, output_tokens,
       cached_tokens, reasoning_tokens, cache_write_tokens, cost_usd, duration_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0, ?, ?, ?, 0, 0, ?, ?) ON CONFLICT DO NOTHING`,
  )
  for (let ago = DAYS; ago > 0; ago--) {
    const date = new Date(Date.now() - ago * DAY_MS)
    const isWeekend = [0, 6].includes(date.getUTCDay())
    for (const [at, [backend, model, key]] of USED.entries()) {
      const share = (isWeekend ? 0.12 : 1) * (0.55 + 0.45 * Math.sin(ago * 1.7 + at * 2.1)) * (3 - at)
      const executions = Math.max(0, Math.round(4 * share))
      if (executions === 0) continue
      const tokens = Math.round(31_000 * executions)
      const sums = [executions, ago % 9 === 0 ? 1 : 0, tokens, Math.round(tokens / 14), Math.round(tokens * 0.6)]
      add.run(
        date.toISOString().slice(0, 10),
        key,
        key,
        backend,
        model,
        ...sums,
        executions * 0.21,
        executions * 41_000,
      )
    }
  }
  store.close()
}

const USED = [
  ['claude', 'claude-sonnet', 'ada'],
  ['codex', 'gpt-codex', 'ci'],
  ['gemini', 'gemini-pro', 'reviewer'],
] as const
