import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  boundHistory,
  codeOf,
  createJournalFixture,
  faultOf,
  RUN_ID,
  type Step,
  takeStep,
} from '../../test/support/journal-fixture.ts'
import { withLock } from '../kit/files/lock.ts'
import { readRun, readRunHeader, readRunState } from './read-run.ts'
import { listRunIds } from './run-store.ts'

const HISTORY = boundHistory()
const step = (index: number) => HISTORY[index] as Step

describe('readRun', () => {
  it('finds no run without a store, and creates none', async () => {
    const { store, gitCommonDir } = await createJournalFixture()
    expect(await codeOf(() => readRun(store, RUN_ID, () => 1))).toBe('run_not_found')
    expect(await codeOf(() => readRunHeader(store, RUN_ID))).toBe('run_not_found')
    expect(await codeOf(() => readRunState(store, RUN_ID))).toBe('run_not_found')
    expect(listRunIds(store)).toEqual([])
    expect(readdirSync(gitCommonDir)).toEqual([])
  })

  it('shares the lock with other readers', async () => {
    const { store, lock } = await createJournalFixture([step(0)])
    expect(await withLock({ path: lock, mode: 'shared' }, () => readRun(store, RUN_ID, (run) => run))).toEqual(
      step(0).run,
    )
  })

  it('waits for writers, and reports run_busy after the wait limit', async () => {
    const { store, lock } = await createJournalFixture([step(0)])
    const fault = await withLock({ path: lock, mode: 'exclusive' }, () =>
      faultOf(() => readRun({ ...store, lockWaitMs: 50 }, RUN_ID, () => 1)),
    )
    expect([fault?.code, fault?.details]).toEqual(['run_busy', { run_id: RUN_ID, waitMs: 50 }])
  })

  it('keeps writers out until the work is done', async () => {
    const { store } = await createJournalFixture([step(0)])
    const fault = await readRun(store, RUN_ID, () => faultOf(() => takeStep({ ...store, lockWaitMs: 50 }, step(1))))
    expect(fault?.code).toBe('run_busy')
  })

  it('reads again if a writer created the missing lock file', async () => {
    const { store, lock } = await createJournalFixture([step(0)])
    rmSync(lock)
    const seen: string[] = []
    const last = await readRun(store, RUN_ID, async (run) => {
      seen.push(run.updated_at)
      if (seen.length === 1) await takeStep(store, step(1))
      return run
    })
    expect(last).toEqual(step(1).run)
    expect(seen).toEqual([step(0).run.updated_at, step(1).run.updated_at])
  })

  it('refuses anything but a file that is created in place of the lock file', async () => {
    const { store, lock } = await createJournalFixture([step(0)])
    rmSync(lock)
    expect(await codeOf(() => readRun(store, RUN_ID, () => mkdirSync(lock)))).toBe('run_unavailable')
  })
})

describe('reading without a lock', () => {
  it('works while another process changes the run', async () => {
    const { store, lock } = await createJournalFixture(HISTORY.slice(0, 3))
    const told = await withLock({ path: lock, mode: 'exclusive' }, () => [
      readRunHeader(store, RUN_ID).id,
      readRunState(store, RUN_ID),
    ])
    expect(told).toEqual([RUN_ID, 'stopped'])
  })
})

describe('listRunIds', () => {
  it('lists every entry that is named like a run, in order, and nothing else', async () => {
    const { store, directory } = await createJournalFixture([step(0)])
    const runs = dirname(directory)
    for (const name of ['Z', '.drover-tmp-unknown-1-0123456789abcdef', 'no run', 'x'.repeat(129)])
      mkdirSync(join(runs, name))
    writeFileSync(join(runs, 'a-file'), '')
    expect(listRunIds(store)).toEqual(['Z', 'a-file', RUN_ID])
  })
})
