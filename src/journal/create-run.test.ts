import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  boundHistory,
  faultOf,
  journalRoom,
  RUN_ID,
  type Step,
  takeStep,
  toMaterial,
} from '../../test/support/journal-room.ts'
import { temporaryName } from '../kit/files/temporary-file.ts'
import { createRun } from './create-run.ts'
import { listRunIds } from './list-run-ids.ts'
import { readRunHeader } from './read-header.ts'

const start = boundHistory()[0] as Step
const modeOf = (path: string) => statSync(path).mode & 0o777

describe('createRun', () => {
  it('makes everything that a run is kept in, for its owner alone', async () => {
    const umask = process.umask(0)
    const room = await journalRoom([start])
    process.umask(umask)
    expect(readdirSync(room.directory).toSorted()).toEqual(['journal.jsonl', 'materials', 'run.lock'])
    const runs = dirname(room.directory)
    expect([dirname(runs), runs, room.directory, room.materials].map(modeOf)).toEqual([0o700, 0o700, 0o700, 0o700])
    const texts = readdirSync(room.materials).map((name) => join(room.materials, name))
    expect([room.journal, room.lock, ...texts].map(modeOf)).toEqual([0o600, 0o600, 0o600])
    expect(listRunIds(room.store)).toEqual([RUN_ID])
    const { id, goal, workspace_identity, created_at } = start.run
    expect(readRunHeader(room.store, RUN_ID)).toEqual({ id, goal, workspace_identity, created_at })
  })

  it('does not touch a run, or anything else, that has the id already', async () => {
    const { store, directory } = await journalRoom()
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    const fault = await faultOf(() => takeStep(store, start))
    expect([fault?.code, fault?.details]).toMatchObject([
      'mutation_not_committed',
      { details: { phase: 'directory_create' } },
    ])
    expect(readdirSync(directory)).toEqual([])
    expect(readdirSync(dirname(directory))).toEqual([RUN_ID])
  })

  it.each(['', '..', 'a/b', 'x'.repeat(129)])('makes no run %j', async (runId) => {
    const { store, gitCommonDir } = await journalRoom()
    const fault = await faultOf(() => createRun(store, { runId, event: start.event }))
    expect([fault?.code, fault?.details]).toMatchObject([
      'mutation_not_committed',
      { details: { phase: 'validation' } },
    ])
    expect(readdirSync(gitCommonDir)).toEqual([])
  })

  it('makes no run under the id of another', async () => {
    const { store } = await journalRoom()
    const fault = await faultOf(() => createRun(store, { runId: 'other', event: start.event }))
    expect([fault?.code, fault?.details]).toMatchObject([
      'mutation_not_committed',
      { details: { phase: 'validation' } },
    ])
  })

  it.each([
    ['empty', toMaterial('')],
    ['too long', toMaterial('x'.repeat(262_145))],
    ['not what its digest says', { ...toMaterial('One.\n'), bytes: Buffer.from('Another.\n') }],
  ])('stores no text that is %s', async (_what, material) => {
    const { store } = await journalRoom()
    const fault = await faultOf(() => takeStep(store, { ...start, materials: [...start.materials, material] }))
    expect([fault?.code, fault?.details]).toMatchObject([
      'mutation_not_committed',
      { details: { phase: 'material_write' } },
    ])
    expect(listRunIds(store)).toEqual([])
  })

  it('stores a text as long as it may be, and one that is given twice once', async () => {
    const longest = toMaterial('x'.repeat(262_144))
    const { materials } = await journalRoom([{ ...start, materials: [...start.materials, longest, longest] }])
    expect(readdirSync(materials)).toHaveLength(2)
  })

  it('removes what a killed process left of a run, and nothing of one that is at work', async () => {
    const { store, directory } = await journalRoom()
    const runs = dirname(directory)
    const [atWork, left] = [temporaryName(), temporaryName()]
    const { pid: ended } = spawnSync(process.execPath, ['-e', '0'])
    for (const name of [atWork, left.replace(`-${process.pid}-`, `-${ended}-`)])
      mkdirSync(join(runs, name, 'materials'), { recursive: true })
    await takeStep(store, start)
    expect(readdirSync(runs).toSorted()).toEqual([atWork, RUN_ID])
  })

  it('does not follow a link to a store elsewhere', async () => {
    const { store, gitCommonDir } = await journalRoom()
    mkdirSync(join(gitCommonDir, 'elsewhere'))
    symlinkSync('elsewhere', join(gitCommonDir, 'drover'))
    expect((await faultOf(() => takeStep(store, start)))?.code).toBe('runstore_unavailable')
    expect(readdirSync(join(gitCommonDir, 'elsewhere'))).toEqual([])
  })
})
