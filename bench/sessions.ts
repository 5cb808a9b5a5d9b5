/** Compares session operations in a store of a thousand and of a hundred thousand. A page must not get slower. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NATIVE_BACKENDS } from '../src/agents/adapter/agent.ts'
import { NO_USAGE } from '../src/agents/adapter/token-usage.ts'
import { openStores } from '../src/executions/store/open-stores.ts'
import { systemClock, toTimestamp } from '../src/kit/clock.ts'
import { randomIds } from '../src/kit/ids.ts'
import type { Session } from '../src/sessions/session.shape.ts'
import { newSessionId } from '../src/sessions/session-id.ts'
import type { SessionFilter, SessionStore } from '../src/sessions/session-store.ts'
import { SqliteSessionTable } from '../src/sessions/sqlite-session-table.ts'
import { openDatabase } from '../src/store/database.ts'
import { measure, type Timing } from './measure.ts'

const SMALL = 1_000
const LARGE = 100_000
const GOAL = 3
const ROUNDS = 60
const PAGE = { limit: 50, offset: 0 }

const STATUSES = ['completed', 'completed', 'completed', 'error', 'paused'] as const
const WORDS = ['fix', 'the', 'failing', 'parser', 'test', 'rename', 'module', 'explain', 'why', 'build', 'slow', 'docs']

/** The goal applies to these; searches and time ranges take longer the more they find. */
const FILTERS: Record<string, SessionFilter> = {
  'page of all': {},
  'page by backend': { backend: 'codex' },
  'page by status': { status: 'error' },
  'page by tag': { tag: 'tag-3' },
  'page by model': { model: 'model-2' },
  'page by directory': { workdir: '/home/user/project-7' },
  'page by backend and status': { backend: 'codex', status: 'paused' },
  'page by all five': {
    backend: 'codex',
    status: 'completed',
    tag: 'tag-1',
    model: 'model-1',
    workdir: '/home/user/project-1',
  },
}
const OTHERS: Record<string, SessionFilter> = {
  'search, one in a thousand': { search: 'Needle' },
  'search, one in three': { search: 'the parser' },
  'search, two letters': { search: 'qx' },
  'page of the last tenth of time': { since: momentOf(0.9) },
}

type Operation = (store: SessionStore) => Promise<unknown>

export async function benchSessions(): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'drover-bench-'))
  try {
    const small = await fill(join(home, 'small', 'sessions.db'), SMALL)
    const large = await fill(join(home, 'large', 'sessions.db'), LARGE)
    const rows = await compare({ small, large })
    await Promise.all([small.close(), large.close()])
    return rows
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

async function compare({ small, large }: { small: SessionStore; large: SessionStore }): Promise<string> {
  const list = (filters: Record<string, SessionFilter>) =>
    Object.entries(filters).map(([name, filter]): [string, Operation] => [name, (store) => store.list(filter, PAGE)])
  const operations = new Map<string, Operation>([
    ['a whole turn: create, record, finish', runTurn],
    ['find by prefix', (store) => store.find('0000').catch(() => undefined)],
    ...list(FILTERS),
    ...list(OTHERS),
  ])
  const timings = await measure(
    [...operations].flatMap(([name, operation]) => [
      { name: `${name} in the small`, once: async () => void (await operation(small)) },
      { name: `${name} in the large`, once: async () => void (await operation(large)) },
    ]),
    ROUNDS,
  )
  return format([...operations.keys()], timings)
}

function format(names: readonly string[], timings: readonly Timing[]): string {
  const width = Math.max(...names.map((name) => name.length))
  const rows = names.map((name, at) => {
    const [small, large] = [timings[at * 2]?.medianMs ?? Number.NaN, timings[at * 2 + 1]?.medianMs ?? Number.NaN]
    const growth = large / small
    const cells = [`${small.toFixed(3)} ms`, `${large.toFixed(3)} ms`, `${growth.toFixed(2)}x`]
    const verdict = name in FILTERS && growth > GOAL ? '  OVER' : ''
    return `  ${name.padEnd(width)}  ${cells.map((cell) => cell.padStart(11)).join('  ')}${verdict}`
  })
  const head = [SMALL, LARGE].map((count) => count.toLocaleString('en').padStart(11)).join('  ')
  return [
    `Sessions, by the number of stored sessions (pages of ${PAGE.limit}, with the total)`,
    `  ${' '.repeat(width)}  ${head}  ${'growth'.padStart(11)}`,
    ...rows,
    `  goal: a page, filtered or not, at most ${GOAL.toFixed(2)}x`,
  ].join('\n')
}

async function runTurn(store: SessionStore): Promise<void> {
  const { id } = await store.create(sessionNumber(7, 10))
  await store.recordAgentSession(id, { backendSessionId: id, model: 'model-1' })
  await store.finishTurn(id, { outcome: 'completed', usage: NO_USAGE })
}

/** Writes rows directly, because the store syncs the disk for each session. */
async function fill(path: string, count: number): Promise<SessionStore> {
  const database = await openDatabase({ path, waitMs: 0 })
  const storeFields = { owner: null, threadUsage: undefined }
  const table = new SqliteSessionTable()
  await database.write(function* () {
    for (let at = 0; at < count; at++) yield* table.add(sessionNumber(at, count), storeFields)
  })
  database.close()
  return (await openStores({ path, clock: systemClock, ids: randomIds })).sessions
}

/** Distributes all filter values evenly, so that both stores have the same shares. */
function sessionNumber(at: number, count: number): Session {
  const moment = momentOf(at / count)
  return {
    id: newSessionId(randomIds),
    backend: NATIVE_BACKENDS[at % NATIVE_BACKENDS.length] ?? 'claude',
    status: STATUSES[at % STATUSES.length] ?? 'completed',
    created_at: moment,
    last_used: moment,
    working_dir: `/home/user/project-${at % 20}`,
    backend_session_id: `agent-${at}`,
    model: `model-${at % 4}`,
    initial_prompt: promptNumber(at),
    turn_count: 1,
    token_usage: NO_USAGE,
    tags: ['api', `tag-${at % 10}`],
    metadata: {},
    policy: { approval_mode: 'default', sandbox_mode: 'default', extra: [] },
  }
}

function promptNumber(at: number): string {
  const words = Array.from({ length: 60 }, (_, place) => WORDS[(at * 7 + place * place * (at % 13)) % WORDS.length])
  return [...(at % 1_000 === 7 ? ['needle'] : []), ...(at % 3 === 0 ? ['the parser'] : []), ...words].join(' ')
}

function momentOf(share: number): string {
  return toTimestamp(new Date(Date.UTC(2026, 0, 1) + Math.floor(share * 100 * 86_400_000)))
}
