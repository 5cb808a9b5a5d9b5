import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  boundHistory,
  createJournalFixture,
  faultOf,
  RUN_ID,
  type Step,
  takeStep,
  toMaterial,
} from '../../test/support/journal-fixture.ts'
import { temporaryName } from '../kit/files/temporary-file.ts'
import { createRun } from './create-run.ts'
import { readRunHeader } from './read-run.ts'
import { listRunIds } from './run-store.ts'

const start = boundHistory()[0] as Step
const modeOf = (path: string) => statSync(path).mode & 0o777

describe('createRun', () => {
  it('creates all files of a run, readable by their owner only', async () => {
    const umask = process.umask(0)
    const fixture = await createJournalFixture([start])
    process.umask(umask)
    expect(readdirSync(fixture.directory).toSorted()).toEqual(['journal.jsonl', 'materials', 'run.lock'])
    const runs = dirname(fixture.directory)
    expect([dirname(runs), runs, fixture.directory, fixture.materials].map(modeOf)).toEqual([
      0o700, 0o700, 0o700, 0o700,
    ])
    const texts = readdirSync(fixture.materials).map((name) => join(fixture.materials, name))
    expect([fixture.journal, fixture.lock, ...texts].map(modeOf)).toEqual([0o600, 0o600, 0o600])
    expect(listRunIds(fixture.store)).toEqual([RUN_ID])
    const { id, goal, workspace_identity, created_at } = start.run
    expect(readRunHeader(fixture.store, RUN_ID)).toEqual({ id, goal, workspace_identity, created_at })
  })

  it('does not touch a run or file that already has the id', async () => {
    const { store, directory } = await createJournalFixture()
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    const fault = await faultOf(() => takeStep(store, start))
    expect([fault?.code, fault?.details]).toMatchObject([
      'mutation_not_committed',
      { details: { phase: 'directory_create' } },
    ])
    expect(readdirSync(directory)).toEqual([])
    expect(readdirSync(dirname(directory))).toEqual([RUN_ID])
  })

  it.each(['', '..', 'a/b', 'x'.repeat(129)])('refuses the run id %j', async (runId) => {
    const { store, gitCommonDir } = await createJournalFixture()
    const fault = await faultOf(() => createRun(store, { runId, event: start.event }))
    expect([fault?.code, fault?.details]).toMatchObject([
      'mutation_not_committed',
      { details: { phase: 'validation' } },
    ])
    expect(readdirSync(gitCommonDir)).toEqual([])
  })

  it('refuses an event that belongs to another run', async () => {
    const { store } = await createJournalFixture()
    const fault = await faultOf(() => createRun(store, { runId: 'other', event: start.event }))
    expect([fault?.code, fault?.details]).toMatchObject([
      'mutation_not_committed',
      { details: { phase: 'validation' } },
    ])
  })

  it.each([
    ['empty', toMaterial('')],
    ['too long', toMaterial('x'.repeat(262_145))],
    ['not the one of its digest', { ...toMaterial('One.\n'), bytes: Buffer.from('Another.\n') }],
  ])('stores no section text that is %s', async (_what, material) => {
    const { store } = await createJournalFixture()
    const fault = await faultOf(() => takeStep(store, { ...start, materials: [...start.materials, material] }))
    expect([fault?.code, fault?.details]).toMatchObject([
      'mutation_not_committed',
      { details: { phase: 'material_write' } },
    ])
    expect(listRunIds(store)).toEqual([])
  })

  it('stores a section text at the size limit, and a repeated one once', async () => {
    const longest = toMaterial('x'.repeat(262_144))
    const { materials } = await createJournalFixture([{ ...start, materials: [...start.materials, longest, longest] }])
    expect(readdirSync(materials)).toHaveLength(2)
  })

  it('removes the leftovers of a killed process, but not those of a running one', async () => {
    const { store, directory } = await createJournalFixture()
    const runs = dirname(directory)
    const [atWork, left] = [temporaryName(), temporaryName()]
    const { pid: ended } = spawnSync(process.execPath, ['-e', '0'])
    for (const name of [atWork, left.replace(`-${process.pid}-`, `-${ended}-`)])
      mkdirSync(join(runs, name, 'materials'), { recursive: true })
    await takeStep(store, start)
    expect(readdirSync(runs).toSorted()).toEqual([atWork, RUN_ID])
  })

  it('does not follow a symbolic link to another store', async () => {
    const { store, gitCommonDir } = await createJournalFixture()
    mkdirSync(join(gitCommonDir, 'elsewhere'))
    symlinkSync('elsewhere', join(gitCommonDir, 'drover'))
    expect((await faultOf(() => takeStep(store, start)))?.code).toBe('runstore_unavailable')
    expect(readdirSync(join(gitCommonDir, 'elsewhere'))).toEqual([])
  })
})
