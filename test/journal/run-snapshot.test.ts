/**
 * A snapshot is used only if it matches its journal. To see which one is read, the snapshots here have another goal than the
 * journal: a reader that returns that goal has used the snapshot.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Run } from '../../src/engine/state/run.ts'
import type { JournalEnd } from '../../src/journal/hash-chain.ts'
import { withJournal } from '../../src/journal/open-journal.ts'
import { readRun, readRunState, readWholeRun } from '../../src/journal/read-run.ts'
import {
  decodeSnapshot,
  encodeSnapshot,
  type RunSnapshot,
  SNAPSHOT_LIMIT_BYTES,
  writeRunSnapshot,
} from '../../src/journal/run-snapshot.ts'
import { findRun, type RunStore, toJournalPath } from '../../src/journal/run-store.ts'
import { updateRun } from '../../src/journal/update-run.ts'
import { digest } from '../../src/kit/digest.ts'
import type { Disk } from '../../src/kit/files/disk.ts'
import { readFileBytes } from '../../src/kit/files/read-file.ts'
import { temporaryName } from '../../src/kit/files/temporary-file.ts'
import { submitOutcome } from '../../src/runs/operations.ts'
import { startRun } from '../../src/runs/start-run.ts'
import { diskWith, recordingDisk } from '../support/counted-disk.ts'
import { createRunContext } from '../support/create-run-context.ts'
import { outcomeFor } from '../support/drive-run.ts'
import { IS_FULL } from '../support/full-counts.ts'
import {
  boundHistory,
  codeOf,
  createJournalFixture,
  faultOf,
  type JournalFixture,
  plainHistory,
  RUN_ID,
  type Step,
  takeStep,
} from '../support/journal-fixture.ts'

const HISTORY = boundHistory()
const RECORDS = 3
const step = (index: number) => HISTORY[index] as Step
const VERSION = '1.0.0'
const FORGED = 'Show the wind in knots, or so it says beside the journal'

const CHUNK_BYTES = 64 * 1024
const ENDING_BYTES = `,"chain":"sha256:${'0'.repeat(64)}"}\n`.length

const fileOf = ({ directory }: JournalFixture) => join(directory, 'run.json')
const stampOf = ({ journal }: JournalFixture) => statSync(journal, { bigint: true })
const endOf = (fixture: JournalFixture, record = fixture.lines().length): JournalEnd => {
  const { sequence, chain } = JSON.parse(fixture.lines()[record - 1] ?? '')
  return { sequence, chain }
}

type Forgery = { version?: string; end?: JournalEnd; run?: Run; fixture?: JournalFixture }

/** A forged snapshot: the run with another goal. */
function forge(fixture: JournalFixture, forgery: Forgery = {}): void {
  const { version = VERSION, end = endOf(fixture), run = { ...step(RECORDS - 1).run, goal: FORGED } } = forgery
  writeFileSync(fileOf(fixture), encodeSnapshot({ run, end }, { version, stamp: stampOf(forgery.fixture ?? fixture) }))
}

async function forgedRoom(): Promise<JournalFixture> {
  const fixture = await createJournalFixture(HISTORY.slice(0, RECORDS))
  forge(fixture)
  return fixture
}

function rewrite(fixture: JournalFixture, change: (bytes: Buffer) => Buffer): void {
  writeFileSync(fileOf(fixture), change(readFileSync(fileOf(fixture))))
}

function flip(at: (bytes: Buffer) => number): (bytes: Buffer) => Buffer {
  return (bytes) => Buffer.from(bytes.with(at(bytes), (bytes[at(bytes)] ?? 0) ^ 1))
}

function replaceBy(make: (path: string, bytes: Buffer) => void): (fixture: JournalFixture) => void {
  return (fixture) => {
    const bytes = readFileSync(fileOf(fixture))
    rmSync(fileOf(fixture))
    make(fileOf(fixture), bytes)
  }
}

/** Some clocks tick a hundred times per second, and all changes within a tick have one time. */
function laterOn({ journal }: JournalFixture): void {
  utimesSync(journal, 1_800_000_000, 1_800_000_000)
}

const WRONG: [name: string, spoil: (fixture: JournalFixture) => void | Promise<void>][] = [
  ['is absent', (fixture) => rmSync(fileOf(fixture))],
  ['is empty', (fixture) => truncateSync(fileOf(fixture))],
  ['has half its bytes', (fixture) => truncateSync(fileOf(fixture), statSync(fileOf(fixture)).size >> 1)],
  [
    'has another bit in its first line',
    (fixture) =>
      rewrite(
        fixture,
        flip((bytes) => bytes.indexOf('"chain":"') + 20),
      ),
  ],
  [
    'has another bit in what git showed',
    (fixture) =>
      rewrite(
        fixture,
        flip((bytes) => bytes.indexOf('"head":"') + 9),
      ),
  ],
  [
    'has another bit in the rest',
    (fixture) =>
      rewrite(
        fixture,
        flip((bytes) => bytes.indexOf('or so it says')),
      ),
  ],
  [
    'has another last byte',
    (fixture) =>
      rewrite(
        fixture,
        flip((bytes) => bytes.length - 1),
      ),
  ],
  ['is from another version of drover', (fixture) => forge(fixture, { version: '1.0.1' })],
  [
    'belongs to another run',
    async (fixture) => forge(fixture, { fixture: await createJournalFixture(HISTORY.slice(0, RECORDS)) }),
  ],
  ['belongs to the journal one record ago', (fixture) => forge(fixture, { end: endOf(fixture, RECORDS - 1) })],
  ['is a directory', replaceBy((path) => mkdirSync(path))],
  [
    'is a link to what it was',
    replaceBy((path, bytes) => {
      writeFileSync(`${path}.real`, bytes)
      symlinkSync(`${path}.real`, path)
    }),
  ],
  ['is a link to nowhere', replaceBy((path) => symlinkSync('nowhere', path))],
  ['is a named pipe', replaceBy((path) => execFileSync('mkfifo', [path]))],
  ['is beside a journal that was touched', laterOn],
  ['is beside a journal whose mode was changed', ({ journal }) => chmodSync(journal, 0o640)],
  [
    'is beside a copy of the journal',
    ({ journal }) => {
      copyFileSync(journal, `${journal}.copy`)
      renameSync(`${journal}.copy`, journal)
    },
  ],
  ['is beside a journal with a blank line more', ({ journal }) => appendFileSync(journal, '\n')],
  ['is beside a journal with a torn tail', ({ journal }) => appendFileSync(journal, '{"sequence":4,"ty')],
  [
    'is beside a journal without its last line feed',
    ({ journal }) => truncateSync(journal, statSync(journal).size - 1),
  ],
]

function keptIn(fixture: JournalFixture): RunSnapshot | undefined {
  const bytes = readFileBytes({ path: fileOf(fixture), limitBytes: SNAPSHOT_LIMIT_BYTES })
  return decodeSnapshot(bytes, { version: VERSION, stamp: stampOf(fixture) })
}

const lookAt = (store: RunStore) => readRun(store, RUN_ID, (run) => run)
const changeNothing = (store: RunStore) => updateRun(store, RUN_ID, async (run) => ({ result: run }))
const replayed = ({ store }: JournalFixture) => lookAt({ ...store, version: undefined })

describe('run.json', () => {
  it('is used if it matches the journal, except to read every action', async () => {
    const { store } = await forgedRoom()
    expect([(await lookAt(store)).goal, (await changeNothing(store)).goal]).toEqual([FORGED, FORGED])
    const whole = await readWholeRun(store, RUN_ID, (run, issued) => ({ run, issued }))
    expect(whole.run).toEqual(step(RECORDS - 1).run)
    expect(whole.issued.map(({ action_id, context }) => [action_id, context !== ''])).toEqual(
      whole.run.actions.map(({ action }) => [action.action_id, true]),
    )
  })

  it('is used to read the state of a run', async () => {
    const fixture = await forgedRoom()
    forge(fixture, { run: { ...step(RECORDS - 1).run, state: 'ended' } })
    expect(readRunState(fixture.store, RUN_ID)).toBe('ended')
  })

  it.each(WRONG)('that %s is ignored', async (_name, spoil) => {
    const fixture = await forgedRoom()
    await spoil(fixture)
    const run = await replayed(fixture)
    expect(run).toEqual(step(RECORDS - 1).run)
    expect([await lookAt(fixture.store), await changeNothing(fixture.store)]).toEqual([run, run])
  })

  it.each(WRONG)('that %s is replaced by the next change, unless it is a directory', async (name, spoil) => {
    const fixture = await forgedRoom()
    await spoil(fixture)
    const code = await codeOf(() => takeStep(fixture.store, step(RECORDS)))
    expect(code).toBe(name === 'is a directory' ? 'mutation_committed_projection_stale' : 'done')
    expect([await lookAt(fixture.store), await replayed(fixture)]).toEqual([step(RECORDS).run, step(RECORDS).run])
    if (code === 'done') expect(keptIn(fixture)?.run).toEqual(step(RECORDS).run)
  })

  it('does not hide that the directory was renamed to another run id', async () => {
    const { store, directory } = await forgedRoom()
    renameSync(directory, join(directory, '..', 'run-2'))
    expect(await codeOf(() => readRun(store, 'run-2', (run) => run))).toBe('run_journal_invalid')
    expect(await codeOf(() => updateRun(store, 'run-2', async () => ({ result: 1 })))).toBe('run_journal_invalid')
    expect(await codeOf(() => readRunState(store, 'run-2'))).toBe('run_journal_invalid')
  })

  it('without read permission is ignored', async () => {
    const fixture = await forgedRoom()
    const closed = diskWith(({ operation, file }, perform) => {
      if (operation === 'openSync' && file === 'run.json') {
        throw Object.assign(new Error('closed'), { code: 'EACCES', errno: -13 })
      }
      return perform()
    })
    expect(await lookAt(fixture.through(closed))).toEqual(step(RECORDS - 1).run)
  })

  it('is read up to its size limit', async () => {
    const fixture = await forgedRoom()
    const isRead = async (length: number) => {
      truncateSync(fileOf(fixture), length)
      const { disk, calls } = recordingDisk()
      expect(await lookAt(fixture.through(disk))).toEqual(step(RECORDS - 1).run)
      return calls.some(({ operation, file }) => operation === 'readSync' && file === 'run.json')
    }
    expect([await isRead(SNAPSHOT_LIMIT_BYTES), await isRead(SNAPSHOT_LIMIT_BYTES + 1)]).toEqual([true, false])
  })

  it('does not hide an invalid journal', async () => {
    const fixture = await forgedRoom()
    const bytes = readFileSync(fixture.journal)
    writeFileSync(fixture.journal, bytes.toString().replace('Ask about the wind', 'Ask about the wing'))
    laterOn(fixture)
    expect(await codeOf(() => lookAt(fixture.store))).toBe('run_journal_invalid')
    expect(await codeOf(() => changeNothing(fixture.store))).toBe('run_journal_invalid')
  })

  it('does not hide a journal with another end and the same times', async () => {
    const fixture = await forgedRoom()
    const text = readFileSync(fixture.journal, 'utf8')
    writeFileSync(
      fixture.journal,
      text.replace(/.(?="\}\n$)/, (last) => (last === '0' ? '1' : '0')),
    )
    forge(fixture, { end: endOf(await createJournalFixture(HISTORY.slice(0, RECORDS))) })
    expect(await codeOf(() => lookAt(fixture.store))).toBe('run_journal_invalid')
  })
})

describe('writing a snapshot', () => {
  it('happens with every change, but not with the first record', async () => {
    const fixture = await createJournalFixture([step(0)])
    expect(existsSync(fileOf(fixture))).toBe(false)
    for (const [index, each] of HISTORY.entries()) {
      if (index === 0) continue
      await takeStep(fixture.store, each)
      expect(keptIn(fixture)).toStrictEqual({ run: await replayed(fixture), end: endOf(fixture) })
      expect(statSync(fileOf(fixture)).mode & 0o777).toBe(0o600)
    }
  })

  it('does not happen without an event or without a version', async () => {
    const fixture = await createJournalFixture(HISTORY.slice(0, 2))
    rmSync(fileOf(fixture))
    await changeNothing(fixture.store)
    await takeStep({ ...fixture.store, version: undefined }, step(2))
    expect(existsSync(fileOf(fixture))).toBe(false)
  })

  it.each([
    ['that exists', (_room: JournalFixture) => undefined],
    ['that does not exist', (fixture: JournalFixture) => rmSync(fileOf(fixture))],
  ])('does not cover a change to the journal since it was read, with a snapshot %s', async (_which, prepare) => {
    const fixture = await createJournalFixture(HISTORY.slice(0, 2))
    prepare(fixture)
    await updateRun(fixture.store, RUN_ID, async () => {
      const text = readFileSync(fixture.journal, 'utf8')
      writeFileSync(fixture.journal, text.replace('Ask about the wind', 'Ask about the wing'))
      laterOn(fixture)
      return { event: step(2).event, result: undefined }
    })
    expect(await codeOf(() => lookAt(fixture.store))).toBe('run_journal_invalid')
    expect(await codeOf(() => takeStep(fixture.store, step(3)))).toBe('run_journal_invalid')
  })

  it('does not happen if the journal was changed while the snapshot was read', async () => {
    const fixture = await createJournalFixture(HISTORY.slice(0, 2))
    const records = await createJournalFixture(HISTORY.slice(0, 3))
    const meddling = diskWith(({ operation, file }, perform) => {
      if (operation === 'closeSync' && file === 'run.json') appendFileSync(fixture.journal, `${records.lines()[2]}\n`)
      return perform()
    })
    const fault = await faultOf(() => takeStep(fixture.through(meddling), step(2)))
    expect([fault?.code, fault?.details]).toMatchObject([
      'mutation_not_committed',
      { details: { phase: 'journal_verify' } },
    ])
    expect(await lookAt(fixture.store)).toEqual(step(2).run)
  })

  it('removes the leftovers of a killed process, but not those of a running one', async () => {
    const fixture = await createJournalFixture(HISTORY.slice(0, 1))
    const [atWork, left] = [temporaryName(), temporaryName()]
    const { pid: ended } = spawnSync(process.execPath, ['-e', '0'])
    for (const name of [atWork, left.replace(`-${process.pid}-`, `-${ended}-`)])
      writeFileSync(join(fixture.directory, name), '')
    await takeStep(fixture.store, step(1))
    expect(readdirSync(fixture.directory).toSorted()).toEqual([
      atWork,
      'journal.jsonl',
      'materials',
      'run.json',
      'run.lock',
    ])
  })

  it('leaves no file behind if it fails, and reports that the change is recorded', async () => {
    const fixture = await createJournalFixture(HISTORY.slice(0, 1))
    mkdirSync(fileOf(fixture))
    const fault = await faultOf(() => takeStep(fixture.store, step(1)))
    expect([fault?.code, fault?.message, fault?.details]).toMatchObject([
      'mutation_committed_projection_stale',
      expect.stringMatching(/is recorded, but its run.json .*\(EISDIR\); .* commands read the whole journal/),
      {
        details: {
          phase: 'projection_write',
          committed: true,
          projection_stale: true,
          namespace_detached: false,
          ambiguous: false,
        },
      },
    ])
    expect(readdirSync(fixture.directory).filter((name) => name.startsWith('.'))).toEqual([])
    expect(await lookAt(fixture.store)).toEqual(step(1).run)
  })

  it.runIf(IS_FULL)('does not happen above the size limit', async () => {
    const fixture = await createJournalFixture([step(0)])
    const keep = (goal: string) => {
      const kept = { run: { ...step(0).run, goal }, end: endOf(fixture) }
      withJournal(findRun(fixture.store, RUN_ID), fixture.store.disk, (journal) =>
        writeRunSnapshot(journal, kept, fixture.store),
      )
      return statSync(fileOf(fixture)).size
    }
    const filling = 'x'.repeat(67_108_864 - keep(''))
    expect(keep(`${filling}x`)).toBe(67_108_864 - filling.length)
    expect(keep(filling)).toBe(67_108_864)
    expect((await lookAt(fixture.store)).goal).toBe(filling)
  })

  it('does not happen for a run above the maximum string length', async () => {
    const fixture = await createJournalFixture(HISTORY.slice(0, 2))
    const before = readFileSync(fileOf(fixture))
    const endless = { toJSON: () => 'x'.repeat(2 ** 29) }
    const kept = { run: { ...step(1).run, summary: endless as unknown as string }, end: endOf(fixture) }
    withJournal(findRun(fixture.store, RUN_ID), fixture.store.disk, (journal) =>
      writeRunSnapshot(journal, kept, fixture.store),
    )
    expect(readFileSync(fileOf(fixture))).toEqual(before)
  })
})

/** A disk that counts the bytes read from each file. */
function countingDisk(disk: Disk): { disk: Disk; readOf: (name: string) => number } {
  const [names, bytes] = [new Map<number, string>(), new Map<string, number>()]
  const counting: Disk = {
    ...disk,
    openSync: (path, ...rest) => {
      const descriptor = disk.openSync(path, ...rest)
      names.set(descriptor, String(path).split('/').at(-1) ?? '')
      return descriptor
    },
    readSync: (descriptor, ...rest) => {
      const count = disk.readSync(descriptor, ...rest)
      const name = names.get(descriptor) ?? ''
      bytes.set(name, (bytes.get(name) ?? 0) + count)
      return count
    },
  }
  return { disk: counting, readOf: (name) => bytes.get(name) ?? 0 }
}

describe('a change to a long run', () => {
  it('reads only the end of the last record', async () => {
    const steps = plainHistory(40)
    const fixture = await createJournalFixture(steps.slice(0, -1))
    const { disk, readOf } = countingDisk(fixture.store.disk)
    await takeStep(fixture.through(disk), steps.at(-1) as Step)
    expect(readOf('journal.jsonl')).toBe(ENDING_BYTES)
    expect(await replayed(fixture)).toEqual(steps.at(-1)?.run)
  })

  it('by a submit also reads the first record once, to check the owner', async () => {
    const context = await createRunContext()
    const { run_id, action } = await startRun(context, { goal: 'A goal', budget: 8, reviewEnabled: false })
    const submit = async (at: typeof context, current: typeof action) => {
      const suggested_actions = [{ kind: 'clarify', brief: 'Continue.' }]
      const outcome = outcomeFor(current, { summary: 'x'.repeat(60_000), suggested_actions })
      const payloadSha256 = digest(outcome.action_id)
      return (await submitOutcome(at, run_id, { actionId: outcome.action_id, outcome, payloadSha256 })).action
    }
    const third = await submit(context, await submit(context, action))
    const journal = toJournalPath(context.store, run_id)
    expect(statSync(journal).size).toBeGreaterThan(2 * CHUNK_BYTES)
    const { disk, readOf } = countingDisk(context.store.disk)
    await submit({ ...context, store: { ...context.store, disk } }, third)
    expect(readOf('journal.jsonl')).toBe(CHUNK_BYTES + ENDING_BYTES)
  })
})
