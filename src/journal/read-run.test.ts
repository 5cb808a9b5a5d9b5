import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  boundHistory,
  codeOf,
  faultOf,
  journalRoom,
  RUN_ID,
  type Step,
  takeStep,
} from '../../test/support/journal-room.ts'
import { withLock } from '../kit/files/lock.ts'
import { listRunIds } from './list-run-ids.ts'
import { readRunHeader, scanRunState } from './read-header.ts'
import { readRun } from './read-run.ts'

const HISTORY = boundHistory()
const step = (index: number) => HISTORY[index] as Step

describe('readRun', () => {
  it('finds no run where there is no store, and makes none', async () => {
    const { store, gitCommonDir } = await journalRoom()
    expect(await codeOf(() => readRun(store, RUN_ID, () => 1))).toBe('run_not_found')
    expect(await codeOf(() => readRunHeader(store, RUN_ID))).toBe('run_not_found')
    expect(await codeOf(() => scanRunState(store, RUN_ID))).toBe('run_not_found')
    expect(listRunIds(store)).toEqual([])
    expect(readdirSync(gitCommonDir)).toEqual([])
  })

  it('shares the run with others who read it', async () => {
    const { store, lock } = await journalRoom([step(0)])
    expect(await withLock({ path: lock, mode: 'shared' }, () => readRun(store, RUN_ID, (run) => run))).toEqual(
      step(0).run,
    )
  })

  it('waits for those who change it, and says so when that takes too long', async () => {
    const { store, lock } = await journalRoom([step(0)])
    const fault = await withLock({ path: lock, mode: 'exclusive' }, () =>
      faultOf(() => readRun({ ...store, lockWaitMs: 50 }, RUN_ID, () => 1)),
    )
    expect([fault?.code, fault?.details]).toEqual(['run_busy', { run_id: RUN_ID, waitMs: 50 }])
  })

  it('keeps the run as it is until the work is done', async () => {
    const { store } = await journalRoom([step(0)])
    const fault = await readRun(store, RUN_ID, () => faultOf(() => takeStep({ ...store, lockWaitMs: 50 }, step(1))))
    expect(fault?.code).toBe('run_busy')
  })

  it('looks again when somebody made the lock file that was missing', async () => {
    const { store, lock } = await journalRoom([step(0)])
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

  it('does not take for a lock file what is put in its place meanwhile', async () => {
    const { store, lock } = await journalRoom([step(0)])
    rmSync(lock)
    expect(await codeOf(() => readRun(store, RUN_ID, () => mkdirSync(lock)))).toBe('run_unavailable')
  })
})

describe('what needs no lock', () => {
  it('is told while somebody changes the run', async () => {
    const { store, lock } = await journalRoom(HISTORY.slice(0, 3))
    const told = await withLock({ path: lock, mode: 'exclusive' }, () => [
      readRunHeader(store, RUN_ID).id,
      scanRunState(store, RUN_ID),
    ])
    expect(told).toEqual([RUN_ID, 'stopped'])
  })
})

describe('listRunIds', () => {
  it('gives everything that has the name of a run, in order, and nothing else', async () => {
    const { store, directory } = await journalRoom([step(0)])
    const runs = dirname(directory)
    for (const name of ['Z', '.drover-tmp-unknown-1-0123456789abcdef', 'no run', 'x'.repeat(129)])
      mkdirSync(join(runs, name))
    writeFileSync(join(runs, 'a-file'), '')
    expect(listRunIds(store)).toEqual(['Z', 'a-file', RUN_ID])
  })
})
