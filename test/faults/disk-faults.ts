/** Sessions that cannot be written: their file is locked by somebody else, or its disk is full. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PromptEvent } from '../../src/prompts/prompt-event.ts'
import type { Script } from '../fake-agent/script.ts'
import { ask, openStream, promptOf } from './client.ts'
import type { ObservedServer, Room } from './room.ts'
import { expectFields, type Scenario, survived } from './scenario.ts'

const LOCKER = join(import.meta.dirname, '..', 'programs', 'session-lock.ts')
const canMount = await withSmallDisk(() => true).catch(() => false)
/** Ends by itself, but not before the trouble has begun. */
const TAKES_TIME: Script = { text: ['one ', 'two'], chunkMs: 3000 }

type Trouble = { end(): Promise<void> }

const withTrouble = (begin: (room: Room) => Promise<Trouble>) => async (server: ObservedServer, room: Room) => {
  const running = await openStream(server, promptOf('claude'))
  await running.next()
  const trouble = await begin(room)
  const refused = ask(server, { body: promptOf('claude', 'json') })
  expectFields(await ask(server, { path: '/health' }), { status: 200 })
  const { status, body } = await refused
  expectFields({ status, ...body }, { status: 503 })
  expectUnsaved(await running.rest())
  await trouble.end()
  // What could not be saved is saved with the next look at the sessions.
  expectFields(await ask(server, { path: '/api/v1/sessions' }), { status: 200 })
}

export const DISK_FAULTS: readonly Scenario[] = [
  survived({
    name: 'sessions locked by another process, when one begins and when one ends',
    times: { gate: 1, full: 5 },
    options: { script: TAKES_TIME },
    leaves: { completed: 1 },
    provoke: withTrouble(lock),
  }),
  onSmallDisk((within) =>
    survived({
      name: 'disk full, when a session begins and when one ends',
      times: { gate: 1, full: 20 },
      options: { script: TAKES_TIME, within },
      leaves: { completed: 1 },
      provoke: withTrouble(async ({ home }) => {
        const filler = join(home, 'filler')
        fill(filler)
        return { end: async () => rmSync(filler) }
      }),
    }),
  ),
]

/** The agent has done its work, so its answer is one; that it could not be kept is said beside it. */
function expectUnsaved(events: readonly PromptEvent[]): void {
  const done = events.at(-1)
  expectFields({ ...done, ...done?.content }, { type: 'done', exit_code: 0 })
  const { warnings = [] } = done?.type === 'done' ? done.content : {}
  if (!warnings.some((warning) => warning.startsWith('the session could not be saved'))) {
    throw new Error(`${JSON.stringify(done)} does not say that the session could not be saved`)
  }
}

async function lock({ home }: Room): Promise<Trouble> {
  const locker = spawn(process.execPath, [LOCKER, join(home, '.drover', 'sessions.db')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  await once(locker.stdout, 'data')
  return {
    async end() {
      const gone = once(locker, 'close')
      locker.stdin.end()
      await gone
    },
  }
}

/** Leaves no room, not even what a failed write gave back. */
function fill(path: string): void {
  for (let bytes = 1 << 20; bytes >= 512; bytes /= 2) {
    try {
      for (;;) writeFileSync(path, Buffer.alloc(bytes), { flag: 'a' })
    } catch {
      // As many as fit; now smaller ones.
    }
  }
}

/** A disk of memory, where the system lets us make one. */
function onSmallDisk(scenarioIn: (directory: string) => Scenario): Scenario {
  return {
    ...scenarioIn(tmpdir()),
    obstacle: canMount ? undefined : 'only root may mount a small disk',
    run: (times, warmUps) => withSmallDisk((disk) => scenarioIn(disk).run(times, warmUps)),
  }
}

async function withSmallDisk<T>(work: (disk: string) => Promise<T> | T): Promise<T> {
  const disk = mkdtempSync(join(tmpdir(), 'drover-disk-'))
  try {
    run('mount', '-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', disk)
    try {
      return await work(disk)
    } finally {
      run('umount', disk)
    }
  } finally {
    rmSync(disk, { recursive: true })
  }
}

function run(command: string, ...args: string[]): void {
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
}
