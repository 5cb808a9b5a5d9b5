/** A run store in a temporary directory, and run histories to record in it step by step. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Run } from '../../src/engine/state/run.ts'
import type { RunEvent } from '../../src/engine/state/run-event.shape.ts'
import { createRun } from '../../src/journal/create-run.ts'
import { type Material, materialDigests } from '../../src/journal/materials.ts'
import { readRun } from '../../src/journal/read-run.ts'
import { listRunIds, openRunStore, type RunStore } from '../../src/journal/run-store.ts'
import { updateRun } from '../../src/journal/update-run.ts'
import { digestMaterial } from '../../src/kit/digest.ts'
import { Fault } from '../../src/kit/fault.ts'
import type { Disk } from '../../src/kit/files/disk.ts'
import { readSource } from '../../src/source/read-source.ts'
import { hastyDisk } from './counted-disk.ts'
import { type Driver, driveRun } from './drive-run.ts'
import { amend, candidateOf } from './pinned-sources.ts'
import { temporaryDirectory } from './run-drover.ts'
import { FIVE_SECTIONS, makeBundle } from './source-bundle.ts'

export const RUN_ID = 'run-1'

/** An event, the run after it, and the section texts to store or drop with it. */
export type Step = { event: RunEvent; run: Run; materials: Material[]; dropMaterials: string[] }

const TEXT = 'The same for every section.\n'
const AMENDMENT = 'Knots, and nothing but knots.\n'

/** An issue whose sections share one text, so only one is stored. */
const reading = readSource(makeBundle({ sections: FIVE_SECTIONS.map((section) => ({ ...section, text: TEXT })) }))
if (reading.is === 'rejected') throw new Error(reading.error)
const pinned = reading.source
const amended = amend(pinned, AMENDMENT, 2001)

export const toMaterial = (text: string): Material => ({ digest: digestMaterial(text), bytes: Buffer.from(text) })

export const amendment = toMaterial(AMENDMENT)

/** An issue-bound run: start, outcome, stop, amended issue, amendment rejected. */
export function boundHistory(): Step[] {
  const driver = driveRun({ source: pinned })
  const steps = [toStep(driver, { materials: [toMaterial(TEXT)] })]
  driver.submit({ suggested_actions: [{ kind: 'clarify', brief: 'Ask about the wind.' }] })
  steps.push(toStep(driver))
  driver.stop()
  steps.push(toStep(driver))
  driver.resume({ refreshed: candidateOf(amended) })
  steps.push(toStep(driver, { materials: [amendment] }))
  driver.resume({ choice: 'pinned', candidateId: 'candidate-1' })
  steps.push(toStep(driver, { dropMaterials: [amendment.digest] }))
  return steps
}

/** An ad-hoc run with this many records. */
export function plainHistory(records: number): Step[] {
  const driver = driveRun({ budget: 1000, reviewEnabled: false })
  const steps = [toStep(driver)]
  while (steps.length < records) {
    driver.submit({ suggested_actions: [{ kind: 'clarify', brief: `Ask ${steps.length}.` }] })
    steps.push(toStep(driver))
  }
  return steps
}

function toStep({ run, events }: Driver, texts: Partial<Step> = {}): Step {
  return { event: events.at(-1) as RunEvent, run, materials: [], dropMaterials: [], ...texts }
}

/** Records a step of a history. The first step creates the run. */
export async function takeStep(store: RunStore, { event, materials, dropMaterials }: Step): Promise<void> {
  if (event.type === 'run_started') createRun(store, { runId: RUN_ID, event, materials })
  else await updateRun(store, RUN_ID, async () => ({ event, materials, dropMaterials, result: undefined }))
}

export type JournalFixture = {
  store: RunStore
  gitCommonDir: string
  /** The same store with another disk. */
  through: (disk: Disk) => RunStore
  directory: string
  journal: string
  lock: string
  materials: string
  lines: () => string[]
}

/** A store in which these steps are recorded. */
export async function createJournalFixture(steps: readonly Step[] = []): Promise<JournalFixture> {
  const gitCommonDir = temporaryDirectory()
  const directory = join(gitCommonDir, 'drover', 'runs', RUN_ID)
  const journal = join(directory, 'journal.jsonl')
  const store = openRunStore({ gitCommonDir, disk: hastyDisk, version: '1.0.0', lockWaitMs: 200 })
  for (const step of steps) await takeStep(store, step)
  return {
    store,
    gitCommonDir,
    through: (disk) => ({ ...store, disk }),
    directory,
    journal,
    lock: join(directory, 'run.lock'),
    materials: join(directory, 'materials'),
    lines: () => readFileSync(journal, 'utf8').split('\n').slice(0, -1),
  }
}

/** The run of a fixture, if there is one. Throws if one of its section texts cannot be read. */
export async function findWhole({ store }: JournalFixture): Promise<Run | undefined> {
  if (listRunIds(store).length === 0) return undefined
  return await readRun(store, RUN_ID, (run, read) => {
    for (const digest of materialDigests(run)) read(digest)
    return run
  })
}

/** The code of the fault that `work` throws, or "done". */
export async function codeOf(work: () => unknown): Promise<string> {
  return (await faultOf(work))?.code ?? 'done'
}

export async function faultOf(work: () => unknown): Promise<Fault | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    if (error instanceof Fault) return error
    throw error
  }
}
