import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { serialize } from 'node:v8'
import { describe, expect, it } from 'vitest'
import { bundledProgram } from '../support/bundled-program.ts'
import { type DiskCall, isChange, recordingDisk } from '../support/counted-disk.ts'
import { placesUpTo } from '../support/full-counts.ts'
import {
  boundHistory,
  createJournalFixture,
  findWhole,
  type JournalFixture,
  RUN_ID,
  type Step,
  takeStep,
} from '../support/journal-fixture.ts'
import { temporaryDirectoryForAll } from '../support/run-drover.ts'

const PROGRAM = bundledProgram('programs/journal-step')
const HISTORY = boundHistory()
const AT_ONCE = 4
/** Compile cache, shared by the processes. */
const CACHE = temporaryDirectoryForAll()

/**
 * One step of the history, with a journal that may be damaged before. `commits` is the call that makes it durable; `points`
 * is the number of calls before which the process is killed, as docs/reliability.md says.
 */
type Work = { name: string; step: number; damage?: (journal: string) => void; commits: DiskCall; points: number }

const tear = (journal: string) => appendFileSync(journal, '{"sequence":2,"ty')
const cut = (journal: string) => truncateSync(journal, statSync(journal).size - 1)
const appended: DiskCall = { operation: 'fsyncSync', file: 'journal.jsonl' }

const WORK: Work[] = [
  { name: 'a run is created', step: 0, commits: { operation: 'fsyncSync', file: 'runs' }, points: 49 },
  { name: 'a run is changed, with a stored text', step: 3, commits: appended, points: 22 },
  { name: 'a run is changed, with a removed text', step: 4, commits: appended, points: 11 },
  { name: 'a run with a torn tail is changed', step: 1, damage: tear, commits: appended, points: 19 },
  {
    name: 'a run whose journal lacks its last line feed is changed',
    step: 1,
    damage: cut,
    commits: appended,
    points: 11,
  },
]

async function prepare({ step, damage }: Work): Promise<JournalFixture> {
  const fixture = await createJournalFixture(HISTORY.slice(0, step))
  damage?.(fixture.journal)
  return fixture
}

/** All calls of the step that change the disk, without a kill. */
async function changesOf(work: Work): Promise<DiskCall[]> {
  const fixture = await prepare(work)
  const { disk, calls } = recordingDisk()
  await takeStep(fixture.through(disk), HISTORY[work.step] as Step)
  return calls.filter(isChange)
}

/** Runs the step in a process until it dies; returns its output. */
async function dieAt(point: number, { fixture, step }: { fixture: JournalFixture; step: Step }): Promise<string> {
  const file = join(fixture.gitCommonDir, 'step')
  writeFileSync(file, serialize({ runId: RUN_ID, ...step, run: undefined }))
  const child = spawn(process.execPath, [PROGRAM, fixture.gitCommonDir, file, String(point)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { NODE_COMPILE_CACHE: CACHE },
  })
  const [said, [, signal]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return signal === null ? said : `${said}${signal}`
}

/** Kills a process before the given change, and checks what the next process finds and does. */
async function checkPoint(work: Work, point: number, changes: readonly DiskCall[]): Promise<void> {
  const step = HISTORY[work.step] as Step
  const fixture = await prepare(work)
  expect(await dieAt(point, { fixture, step })).toBe(point > changes.length ? 'done' : 'SIGKILL')
  const found = await findWhole(fixture)
  const isChanged = found?.updated_at === step.run.updated_at
  expect(found).toEqual(isChanged ? step.run : HISTORY[work.step - 1]?.run)
  const committed = changes.findLastIndex(
    ({ operation, file }) => operation === work.commits.operation && file === work.commits.file,
  )
  if (point - 1 > committed) expect(isChanged).toBe(true)
  if (!isChanged) await takeStep(fixture.store, step)
  expect(await findWhole(fixture)).toEqual(step.run)
  expect(await findWhole({ ...fixture, store: { ...fixture.store, version: undefined } })).toEqual(step.run)
  expect(fixture.lines().map((line) => JSON.parse(line).sequence)).toEqual(
    HISTORY.slice(0, work.step + 1).map((_, i) => i + 1),
  )
  if (!isChanged) expect(readdirSync(dirname(fixture.directory))).toEqual([RUN_ID])
}

describe('a process that is killed while', () => {
  it.each(WORK)(
    '$name leaves the run as it was or as it became, wherever that is',
    async (work) => {
      const changes = await changesOf(work)
      expect(changes).toHaveLength(work.points)
      const points = placesUpTo(changes.length + 1, WORK.indexOf(work))
      const one = async () => {
        for (let point = points.shift(); point !== undefined; point = points.shift())
          await checkPoint(work, point, changes)
      }
      await Promise.all(Array.from({ length: AT_ONCE }, one))
    },
    120_000,
  )
})
