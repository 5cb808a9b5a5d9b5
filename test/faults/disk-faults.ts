/** Sessions that cannot be written: another process locks their file, or the disk is full. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PromptEvent } from '../../src/prompts/prompt-event.ts'
import type { Script } from '../fake-agent/script.ts'
import { CAN_MOUNT, fill, withSmallDisk } from '../support/small-disk.ts'
import { until } from '../support/until.ts'
import { ask, openStream, promptOf } from './client.ts'
import { expectFields, type Scenario, serverSurvives } from './scenario.ts'
import type { ObservedServer, ServerHome } from './server-home.ts'

const LOCKER = join(import.meta.dirname, '..', 'programs', 'session-lock.ts')
/** Ends by itself, but only after the disk problem has begun. */
const TAKES_TIME: Script = { text: ['one ', 'two'], chunkMs: 3000 }

type DiskProblem = { end(): Promise<void> }

const duringProblem =
  (begin: (home: ServerHome) => Promise<DiskProblem>) => async (server: ObservedServer, home: ServerHome) => {
    const running = await openStream(server, promptOf('claude'))
    await running.next()
    const problem = await begin(home)
    const unsaved = ask(server, { body: promptOf('claude', 'json') })
    // If the check fails, this request fails too, when the server is ended.
    unsaved.catch(() => undefined)
    await healthBecomes(server, 503)
    const { status, body } = await unsaved
    expectFields({ status, ...body }, { status: 200, exit_code: 0, session_id: '' })
    expectWarnings(body.warnings ?? [])
    expectUnsaved(await running.rest())
    await problem.end()
    await healthBecomes(server, 200)
    // The session is saved the next time the sessions are read.
    expectFields(await ask(server, { path: '/api/v1/sessions' }), { status: 200 })
  }

/** A server checks its store once per second at most. */
const healthBecomes = (server: ObservedServer, status: number) =>
  until(async () => (await ask(server, { path: '/health' })).status === status)

export const DISK_FAULTS: readonly Scenario[] = [
  serverSurvives({
    name: 'sessions locked by another process, at the start and at the end of a prompt',
    times: { gate: 0, full: 5 },
    options: { script: TAKES_TIME },
    leaves: { completed: 1 },
    provoke: duringProblem(lock),
  }),
  onSmallDisk((within) =>
    serverSurvives({
      name: 'disk full, at the start and at the end of a prompt',
      times: { gate: 1, full: 20 },
      options: { script: TAKES_TIME, within },
      leaves: { completed: 1 },
      provoke: duringProblem(async ({ path }) => {
        const filler = join(path, 'filler')
        fill(filler)
        return { end: async () => rmSync(filler) }
      }),
    }),
  ),
]

/** The agent answered, so the prompt succeeds; a warning says that the session could not be saved. */
function expectUnsaved(events: readonly PromptEvent[]): void {
  const done = events.at(-1)
  expectFields({ ...done, ...done?.content }, { type: 'done', exit_code: 0 })
  expectWarnings(done?.type === 'done' ? (done.content.warnings ?? []) : [])
}

function expectWarnings(warnings: readonly string[]): void {
  for (const what of ['session', 'execution']) {
    if (warnings.includes(`the ${what} could not be saved; the server log has the reason`)) continue
    throw new Error(`${JSON.stringify(warnings)} do not say that the ${what} could not be saved`)
  }
}

async function lock({ path }: ServerHome): Promise<DiskProblem> {
  const locker = spawn(process.execPath, [LOCKER, join(path, '.drover', 'sessions.db')], {
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

/** Runs the scenario on a small disk in memory, where the system lets us mount one. */
function onSmallDisk(scenarioIn: (directory: string) => Scenario): Scenario {
  return {
    ...scenarioIn(tmpdir()),
    obstacle: CAN_MOUNT ? undefined : 'only root may mount a small disk',
    run: (times, warmUps) => withSmallDisk((disk) => scenarioIn(disk).run(times, warmUps)),
  }
}
