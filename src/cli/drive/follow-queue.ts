/** Follows queued runs until all of them have ended, or wait. Leaving does not stop them. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../../config/config.shape.ts'
import type { DrivenRun } from '../../drive/service/driven-run.shape.ts'
import { toDrivenRun } from '../../drive/service/driven-view.ts'
import { readPlan, readQueue } from '../../drive/service/read-queue.ts'
import { USER } from '../../prompts/caller.ts'
import type { RunContext } from '../../runs/run-context.ts'
import type { Invocation } from '../command.ts'
import { exitCodeOfSignal } from '../interruption.ts'
import { requireServer } from '../local/background-server.ts'
import { overlapLines } from '../output/overlap-text.ts'
import { toPrintable } from '../output/printable.ts'
import { openQueue, type QueuePlaces } from './queue-places.ts'

const LOOK_MS = 500
const SHORT_ID = 8
/** The exit codes of verdicts, the worst first. */
const WORST = [3, 4, 5, 0]

type Followed = { ids: readonly string[]; config: Config; context: RunContext }

/** Returns the exit code of the worst verdict. */
export async function followQueue(invocation: Invocation, { ids, config, context }: Followed): Promise<number> {
  const { signal } = context
  const places = openQueue(invocation, config)
  const shown = new Set<string>()
  while (!signal.aborted) {
    // A server that was killed is started again, and continues.
    await requireServer(invocation, config)
    const runs = (await Promise.all(ids.map((id) => latestRound(places, id)))).filter((each) => each !== undefined)
    await printNews(invocation, { runs, places, shown })
    if (await isOver(places, runs)) return await reportEnds(invocation, runs)
    await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined)
  }
  const left = 'the runs continue in the background; "drover drive --queue" shows them, "drover stop RUN" stops one'
  await invocation.runtime.terminal.err.write(`drover: ${left}\n`)
  return exitCodeOfSignal('SIGINT')
}

async function latestRound(places: QueuePlaces, id: string): Promise<DrivenRun | undefined> {
  const record = places.reader.findHere(id)
  const facts = record && (await places.reader.tryRead(record))
  if (facts === undefined) return undefined
  const { next_run_id: next } = facts.drive
  // It is announced before it is started.
  return (next === undefined ? undefined : await latestRound(places, next)) ?? toDrivenRun(facts)
}

const RUNNING: readonly DrivenRun['state'][] = ['running', 'waiting_for_limit', 'interrupted', 'continued']

/** Also if the queued ones wait for something that does not happen by itself. */
async function isOver(places: QueuePlaces, runs: readonly DrivenRun[]): Promise<boolean> {
  if (runs.some(({ state }) => RUNNING.includes(state))) return false
  const plan = await readPlan(places)
  const isServed = places.reader.list(USER).some(({ is_server_driven: isDriven }) => isDriven)
  return runs
    .filter(({ state }) => state === 'queued')
    .every(({ id }) => {
      // A run that is not in the plan was taken since.
      const waitsFor = plan.find((each) => each.id === id)?.waitsFor ?? 'turn'
      return waitsFor === 'run' ? !isServed : waitsFor !== 'turn'
    })
}

type News = { runs: readonly DrivenRun[]; places: QueuePlaces; shown: Set<string> }

/** One line for each change. */
async function printNews(invocation: Invocation, { runs, places, shown }: News): Promise<void> {
  const { out } = invocation.runtime.terminal
  const isJson = invocation.flags.isOn('json')
  const nameOf = (id: string) => id.slice(0, SHORT_ID)
  const print = async (key: string, line: string) => {
    if (shown.has(key)) return
    shown.add(key)
    await out.write(`${line}\n`)
  }
  for (const { id, title, state, verdict } of runs) {
    const text = `${nameOf(id)} ${toPrintable(title)}: ${verdict.line}`
    const json = JSON.stringify({ type: 'run', run_id: id, state, verdict })
    await print(`${id} ${state} ${verdict.line}`, isJson ? json : text)
  }
  if (isJson) return
  const { runs: listed } = await readQueue(places, USER)
  for (const { id, overlaps = [] } of listed.filter((each) => runs.some((run) => run.id === each.id))) {
    for (const overlap of overlaps) {
      const [line = ''] = overlapLines({ overlaps: [overlap] }, nameOf)
      await print(`both ${[id, overlap.run_id].sort().join(' ')}`, `${nameOf(id)} ${line}`)
    }
  }
}

async function reportEnds(invocation: Invocation, runs: readonly DrivenRun[]): Promise<number> {
  // A run that still waits in the queue waits for the person.
  const codes = runs.map(({ verdict, state }) => verdict.exit_code ?? (state === 'queued' ? 4 : 3))
  const exitCode = WORST.find((code) => codes.includes(code)) ?? 3
  if (invocation.flags.isOn('json')) {
    const ends = runs.map(({ id, verdict }) => ({ run_id: id, verdict }))
    const line = JSON.stringify({ type: 'result', runs: ends, exit_code: exitCode })
    await invocation.runtime.terminal.out.write(`${line}\n`)
  }
  return exitCode
}
