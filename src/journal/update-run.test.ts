import { existsSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { diskWith, recordingDisk } from '../../test/support/counted-disk.ts'
import {
  amendment,
  boundHistory,
  codeOf,
  createJournalFixture,
  faultOf,
  RUN_ID,
  type Step,
  takeStep,
} from '../../test/support/journal-fixture.ts'
import { withLock } from '../kit/files/lock.ts'
import { readRun } from './read-run.ts'
import { updateRun } from './update-run.ts'

const HISTORY = boundHistory()
const step = (index: number) => HISTORY[index] as Step

const broken = () => Object.assign(new Error('broken'), { code: 'EIO', errno: -5 })

describe('updateRun', () => {
  it.each(['run-2', '', '.', '..', 'a/b', 'ä', 'x'.repeat(129)])('finds no run %j', async (runId) => {
    const { store } = await createJournalFixture(HISTORY.slice(0, 1))
    const fault = await faultOf(() => updateRun(store, runId, async () => ({ result: 1 })))
    expect([fault?.code, fault?.details]).toEqual(['run_not_found', { run_id: runId }])
  })

  it('finds no run without a store, and creates none', async () => {
    const { store, gitCommonDir } = await createJournalFixture()
    expect(await codeOf(() => updateRun(store, RUN_ID, async () => ({ result: 1 })))).toBe('run_not_found')
    expect(readdirSync(gitCommonDir)).toEqual([])
  })

  it('returns the result of the work, and records nothing without an event', async () => {
    const { store, journal } = await createJournalFixture(HISTORY.slice(0, 2))
    const before = readFileSync(journal)
    const result = await updateRun(store, RUN_ID, async (run) => ({ result: run }))
    expect(result).toEqual(step(1).run)
    expect(readFileSync(journal)).toEqual(before)
  })

  it('syncs earlier records even without a new event', async () => {
    const fixture = await createJournalFixture(HISTORY.slice(0, 2))
    const { disk, calls } = recordingDisk()
    await updateRun(fixture.through(disk), RUN_ID, async () => ({ result: 1 }))
    expect(calls).toContainEqual({ operation: 'fsyncSync', file: 'journal.jsonl' })
    const failing = diskWith(({ operation }, perform) => {
      if (operation === 'fsyncSync') throw broken()
      return perform()
    })
    const fault = await faultOf(() => updateRun(fixture.through(failing), RUN_ID, async () => ({ result: 1 })))
    expect([fault?.code, fault?.details]).toMatchObject([
      'mutation_outcome_ambiguous',
      { details: { phase: 'journal_sync' } },
    ])
  })

  it('rethrows what the work throws, and records nothing', async () => {
    const { store, lines } = await createJournalFixture(HISTORY.slice(0, 1))
    const refusal = new Error('refused')
    await expect(updateRun(store, RUN_ID, async () => Promise.reject(refusal))).rejects.toBe(refusal)
    expect(lines()).toHaveLength(1)
  })

  it('stores section texts before the record and syncs everything before it returns', async () => {
    const fixture = await createJournalFixture(HISTORY.slice(0, 3))
    const { disk, calls } = recordingDisk()
    await takeStep(fixture.through(disk), step(3))
    const made = calls.filter(({ operation }) => ['linkSync', 'writeSync', 'fsyncSync'].includes(operation))
    expect(made.map(({ operation, file }) => `${operation} ${file}`)).toEqual([
      'writeSync temporary',
      'writeSync temporary',
      'fsyncSync temporary',
      'linkSync temporary',
      'fsyncSync materials',
      'writeSync journal.jsonl',
      'writeSync journal.jsonl',
      'fsyncSync journal.jsonl',
      'writeSync temporary',
      'writeSync temporary',
    ])
  })

  it('removes dropped section texts after the record, except those that the run needs', async () => {
    const { store, materials } = await createJournalFixture(HISTORY.slice(0, 4))
    const needed = step(0).materials.map(({ digest }) => digest)
    expect(readdirSync(materials)).toContain(amendment.digest.slice(7))
    await takeStep(store, { ...step(4), dropMaterials: [amendment.digest, ...needed, 'sha256:no', '../run.lock'] })
    expect(readdirSync(materials)).toEqual(needed.map((digest) => digest.slice(7)))
  })

  it('removes nothing through a symbolic link in place of the materials directory', async () => {
    const { store, materials } = await createJournalFixture(HISTORY.slice(0, 4))
    renameSync(materials, `${materials}-elsewhere`)
    symlinkSync(`${materials}-elsewhere`, materials)
    await takeStep(store, step(4))
    expect(readdirSync(materials)).toContain(amendment.digest.slice(7))
  })

  it('syncs a section text whose writer died before its sync', async () => {
    const fixture = await createJournalFixture(HISTORY.slice(0, 3))
    writeFileSync(join(fixture.materials, amendment.digest.slice(7)), amendment.bytes)
    const { disk, calls } = recordingDisk()
    await takeStep(fixture.through(disk), step(3))
    const synced = calls.filter(({ operation }) => operation === 'fsyncSync')
    expect(synced.map(({ file }) => file)).toEqual(['materials', 'journal.jsonl'])
  })

  it('names only one remedy', async () => {
    const { store, lock } = await createJournalFixture(HISTORY.slice(0, 1))
    writeFileSync(lock, 'x')
    const fault = await faultOf(() => takeStep(store, step(1)))
    expect([fault?.code, fault?.message.match(/; /g)]).toEqual(['mutation_not_committed', ['; ']])
  })

  it('waits for readers and writers, and reports run_busy after the wait limit', async () => {
    const { store, lock } = await createJournalFixture(HISTORY.slice(0, 1))
    const fault = await withLock({ path: lock, mode: 'shared' }, () =>
      faultOf(() => takeStep({ ...store, lockWaitMs: 50 }, step(1))),
    )
    const details = {
      phase: 'lock_open',
      committed: false,
      projection_stale: false,
      namespace_detached: false,
      ambiguous: false,
    }
    expect([fault?.code, fault?.details]).toEqual(['run_busy', { run_id: RUN_ID, waitMs: 50, details }])
  })

  it('reports an ambiguous result if the directory is moved while it writes', async () => {
    const fixture = await createJournalFixture(HISTORY.slice(0, 1))
    const meddling = diskWith(({ operation, file }, perform) => {
      if (operation === 'fsyncSync' && file === 'journal.jsonl')
        renameSync(fixture.directory, `${fixture.directory}-away`)
      return perform()
    })
    const fault = await faultOf(() => takeStep(fixture.through(meddling), step(1)))
    const details = {
      phase: 'namespace_verify',
      committed: false,
      projection_stale: false,
      namespace_detached: true,
      ambiguous: true,
    }
    expect([fault?.code, fault?.details]).toMatchObject(['mutation_outcome_ambiguous', { details }])
    expect(existsSync(fixture.directory)).toBe(false)
  })

  it('removes half a record if the rest cannot be written', async () => {
    const fixture = await createJournalFixture(HISTORY.slice(0, 1))
    const before = readFileSync(fixture.journal)
    let writes = 0
    const calls: string[] = []
    const full = diskWith(({ operation, file }, perform) => {
      if (file === 'journal.jsonl') calls.push(operation)
      if (operation === 'writeSync' && file === 'journal.jsonl' && ++writes > 1) throw broken()
      return perform()
    })
    const fault = await faultOf(() => takeStep(fixture.through(full), step(1)))
    const problem = 'i/o error (EIO)'
    expect([fault?.code, fault?.details]).toMatchObject([
      'mutation_not_committed',
      { problem, details: { phase: 'journal_write' } },
    ])
    expect(readFileSync(fixture.journal)).toEqual(before)
    const [truncated, synced] = calls.slice(calls.lastIndexOf('writeSync') + 1)
    expect([truncated, synced]).toEqual(['ftruncateSync', 'fsyncSync'])
  })

  it('reports an ambiguous result if half a record can neither be finished nor removed', async () => {
    const fixture = await createJournalFixture(HISTORY.slice(0, 1))
    let writes = 0
    const full = diskWith(({ operation, file }, perform) => {
      if (operation === 'writeSync' && file === 'journal.jsonl' && ++writes > 1) throw broken()
      if (operation === 'ftruncateSync') throw broken()
      return perform()
    })
    const fault = await faultOf(() => takeStep(fixture.through(full), step(1)))
    expect([fault?.code, fault?.details]).toMatchObject([
      'mutation_outcome_ambiguous',
      { details: { phase: 'journal_write' } },
    ])
    expect(await readRun(fixture.store, RUN_ID, (run) => run)).toEqual(step(0).run)
    await takeStep(fixture.store, step(1))
    expect(await readRun(fixture.store, RUN_ID, (run) => run)).toEqual(step(1).run)
  })

  it('refuses an event that could not be read again', async () => {
    const { store, lines } = await createJournalFixture(HISTORY.slice(0, 1))
    const fault = await faultOf(() => takeStep(store, step(4)))
    expect([fault?.code, fault?.details]).toMatchObject([
      'mutation_not_committed',
      { details: { phase: 'validation' } },
    ])
    expect(lines()).toHaveLength(1)
  })
})
