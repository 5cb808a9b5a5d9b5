/**
 * What stands beside a journal is believed only if it is of that very journal. To see whether it is, it says here that the run
 * has another goal than it has: who believes it tells that goal, and who reads the journal the real one.
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
import { findRun } from '../../src/journal/find-run.ts'
import { withJournal } from '../../src/journal/open-journal.ts'
import { readRun, readRunState, readWholeRun } from '../../src/journal/read-run.ts'
import type { JournalEnd } from '../../src/journal/record.ts'
import { SNAPSHOT_LIMIT_BYTES, writeRunSnapshot } from '../../src/journal/run-snapshot.ts'
import { journalPathOf, type RunStore } from '../../src/journal/run-store.ts'
import { decodeSnapshot, encodeSnapshot, type RunSnapshot } from '../../src/journal/snapshot-format.ts'
import { updateRun } from '../../src/journal/update-run.ts'
import { digest } from '../../src/kit/digest.ts'
import type { Disk } from '../../src/kit/files/disk.ts'
import { readFileBytes } from '../../src/kit/files/read-file.ts'
import { temporaryName } from '../../src/kit/files/temporary-file.ts'
import { submitOutcome } from '../../src/runs/operations.ts'
import { startRun } from '../../src/runs/start-run.ts'
import { diskWith, recordingDisk } from '../support/counted-disk.ts'
import { createRunContext } from '../support/create-run-context.ts'
import {
  boundHistory,
  codeOf,
  faultOf,
  type JournalRoom,
  journalRoom,
  plainHistory,
  RUN_ID,
  type Step,
  takeStep,
} from '../support/journal-room.ts'
import { outcomeFor } from '../support/report-outcome.ts'

const HISTORY = boundHistory()
const RECORDS = 3
const step = (index: number) => HISTORY[index] as Step
const VERSION = '1.0.0'
const FORGED = 'Show the wind in knots, or so it says beside the journal'

const CHUNK_BYTES = 64 * 1024
const ENDING_BYTES = `,"chain":"sha256:${'0'.repeat(64)}"}\n`.length

const fileOf = ({ directory }: JournalRoom) => join(directory, 'run.json')
const stampOf = ({ journal }: JournalRoom) => statSync(journal, { bigint: true })
const endOf = (room: JournalRoom, record = room.lines().length): JournalEnd => {
  const { sequence, chain } = JSON.parse(room.lines()[record - 1] ?? '')
  return { sequence, chain }
}

type Forgery = { version?: string; end?: JournalEnd; run?: Run; room?: JournalRoom }

/** A forged snapshot: the run with another goal. */
function forge(room: JournalRoom, forgery: Forgery = {}): void {
  const { version = VERSION, end = endOf(room), run = { ...step(RECORDS - 1).run, goal: FORGED } } = forgery
  writeFileSync(fileOf(room), encodeSnapshot({ run, end }, { version, stamp: stampOf(forgery.room ?? room) }))
}

async function forgedRoom(): Promise<JournalRoom> {
  const room = await journalRoom(HISTORY.slice(0, RECORDS))
  forge(room)
  return room
}

function rewrite(room: JournalRoom, change: (bytes: Buffer) => Buffer): void {
  writeFileSync(fileOf(room), change(readFileSync(fileOf(room))))
}

function flip(at: (bytes: Buffer) => number): (bytes: Buffer) => Buffer {
  return (bytes) => Buffer.from(bytes.with(at(bytes), (bytes[at(bytes)] ?? 0) ^ 1))
}

function replaceBy(make: (path: string, bytes: Buffer) => void): (room: JournalRoom) => void {
  return (room) => {
    const bytes = readFileSync(fileOf(room))
    rmSync(fileOf(room))
    make(fileOf(room), bytes)
  }
}

/** Some clocks tick a hundred times per second, and all changes within a tick have one time. */
function laterOn({ journal }: JournalRoom): void {
  utimesSync(journal, 1_800_000_000, 1_800_000_000)
}

const WRONG: [name: string, spoil: (room: JournalRoom) => void | Promise<void>][] = [
  ['is absent', (room) => rmSync(fileOf(room))],
  ['is empty', (room) => truncateSync(fileOf(room))],
  ['has half its bytes', (room) => truncateSync(fileOf(room), statSync(fileOf(room)).size >> 1)],
  [
    'has another bit in its first line',
    (room) =>
      rewrite(
        room,
        flip((bytes) => bytes.indexOf('"chain":"') + 20),
      ),
  ],
  [
    'has another bit in what git showed',
    (room) =>
      rewrite(
        room,
        flip((bytes) => bytes.indexOf('"head":"') + 9),
      ),
  ],
  [
    'has another bit in the rest',
    (room) =>
      rewrite(
        room,
        flip((bytes) => bytes.indexOf('or so it says')),
      ),
  ],
  [
    'has another last byte',
    (room) =>
      rewrite(
        room,
        flip((bytes) => bytes.length - 1),
      ),
  ],
  ['is from another version of drover', (room) => forge(room, { version: '1.0.1' })],
  ['belongs to another run', async (room) => forge(room, { room: await journalRoom(HISTORY.slice(0, RECORDS)) })],
  ['belongs to the journal one record ago', (room) => forge(room, { end: endOf(room, RECORDS - 1) })],
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

function keptIn(room: JournalRoom): RunSnapshot | undefined {
  const bytes = readFileBytes({ path: fileOf(room), limitBytes: SNAPSHOT_LIMIT_BYTES })
  return decodeSnapshot(bytes, { version: VERSION, stamp: stampOf(room) })
}

const lookAt = (store: RunStore) => readRun(store, RUN_ID, (run) => run)
const changeNothing = (store: RunStore) => updateRun(store, RUN_ID, async (run) => ({ result: run }))
const replayed = ({ store }: JournalRoom) => lookAt({ ...store, version: undefined })

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
    const room = await forgedRoom()
    forge(room, { run: { ...step(RECORDS - 1).run, state: 'ended' } })
    expect(readRunState(room.store, RUN_ID)).toBe('ended')
  })

  it.each(WRONG)('that %s is ignored', async (_name, spoil) => {
    const room = await forgedRoom()
    await spoil(room)
    const run = await replayed(room)
    expect(run).toEqual(step(RECORDS - 1).run)
    expect([await lookAt(room.store), await changeNothing(room.store)]).toEqual([run, run])
  })

  it.each(WRONG)('that %s is replaced by the next change, unless it is a directory', async (name, spoil) => {
    const room = await forgedRoom()
    await spoil(room)
    const code = await codeOf(() => takeStep(room.store, step(RECORDS)))
    expect(code).toBe(name === 'is a directory' ? 'mutation_committed_projection_stale' : 'done')
    expect([await lookAt(room.store), await replayed(room)]).toEqual([step(RECORDS).run, step(RECORDS).run])
    if (code === 'done') expect(keptIn(room)?.run).toEqual(step(RECORDS).run)
  })

  it('does not hide that the directory was renamed to another run id', async () => {
    const { store, directory } = await forgedRoom()
    renameSync(directory, join(directory, '..', 'run-2'))
    expect(await codeOf(() => readRun(store, 'run-2', (run) => run))).toBe('run_journal_invalid')
    expect(await codeOf(() => updateRun(store, 'run-2', async () => ({ result: 1 })))).toBe('run_journal_invalid')
    expect(await codeOf(() => readRunState(store, 'run-2'))).toBe('run_journal_invalid')
  })

  it('without read permission is ignored', async () => {
    const room = await forgedRoom()
    const closed = diskWith(({ operation, file }, perform) => {
      if (operation === 'openSync' && file === 'run.json') {
        throw Object.assign(new Error('closed'), { code: 'EACCES', errno: -13 })
      }
      return perform()
    })
    expect(await lookAt(room.through(closed))).toEqual(step(RECORDS - 1).run)
  })

  it('is read up to its size limit', async () => {
    const room = await forgedRoom()
    const isRead = async (length: number) => {
      truncateSync(fileOf(room), length)
      const { disk, calls } = recordingDisk()
      expect(await lookAt(room.through(disk))).toEqual(step(RECORDS - 1).run)
      return calls.some(({ operation, file }) => operation === 'readSync' && file === 'run.json')
    }
    expect([await isRead(SNAPSHOT_LIMIT_BYTES), await isRead(SNAPSHOT_LIMIT_BYTES + 1)]).toEqual([true, false])
  })

  it('does not hide an invalid journal', async () => {
    const room = await forgedRoom()
    const bytes = readFileSync(room.journal)
    writeFileSync(room.journal, bytes.toString().replace('Ask about the wind', 'Ask about the wing'))
    laterOn(room)
    expect(await codeOf(() => lookAt(room.store))).toBe('run_journal_invalid')
    expect(await codeOf(() => changeNothing(room.store))).toBe('run_journal_invalid')
  })

  it('does not hide a journal with another end and the same times', async () => {
    const room = await forgedRoom()
    const text = readFileSync(room.journal, 'utf8')
    writeFileSync(
      room.journal,
      text.replace(/.(?="\}\n$)/, (last) => (last === '0' ? '1' : '0')),
    )
    forge(room, { end: endOf(await journalRoom(HISTORY.slice(0, RECORDS))) })
    expect(await codeOf(() => lookAt(room.store))).toBe('run_journal_invalid')
  })
})

describe('writing a snapshot', () => {
  it('happens with every change, but not with the first record', async () => {
    const room = await journalRoom([step(0)])
    expect(existsSync(fileOf(room))).toBe(false)
    for (const [index, each] of HISTORY.entries()) {
      if (index === 0) continue
      await takeStep(room.store, each)
      expect(keptIn(room)).toStrictEqual({ run: await replayed(room), end: endOf(room) })
      expect(statSync(fileOf(room)).mode & 0o777).toBe(0o600)
    }
  })

  it('does not happen without an event or without a version', async () => {
    const room = await journalRoom(HISTORY.slice(0, 2))
    rmSync(fileOf(room))
    await changeNothing(room.store)
    await takeStep({ ...room.store, version: undefined }, step(2))
    expect(existsSync(fileOf(room))).toBe(false)
  })

  it.each([
    ['that exists', (_room: JournalRoom) => undefined],
    ['that does not exist', (room: JournalRoom) => rmSync(fileOf(room))],
  ])('does not cover a change to the journal since it was read, with a snapshot %s', async (_which, prepare) => {
    const room = await journalRoom(HISTORY.slice(0, 2))
    prepare(room)
    await updateRun(room.store, RUN_ID, async () => {
      const text = readFileSync(room.journal, 'utf8')
      writeFileSync(room.journal, text.replace('Ask about the wind', 'Ask about the wing'))
      laterOn(room)
      return { event: step(2).event, result: undefined }
    })
    expect(await codeOf(() => lookAt(room.store))).toBe('run_journal_invalid')
    expect(await codeOf(() => takeStep(room.store, step(3)))).toBe('run_journal_invalid')
  })

  it('does not happen if the journal was changed while the snapshot was read', async () => {
    const room = await journalRoom(HISTORY.slice(0, 2))
    const records = await journalRoom(HISTORY.slice(0, 3))
    const meddling = diskWith(({ operation, file }, perform) => {
      if (operation === 'closeSync' && file === 'run.json') appendFileSync(room.journal, `${records.lines()[2]}\n`)
      return perform()
    })
    const fault = await faultOf(() => takeStep(room.through(meddling), step(2)))
    expect([fault?.code, fault?.details]).toMatchObject([
      'mutation_not_committed',
      { details: { phase: 'journal_verify' } },
    ])
    expect(await lookAt(room.store)).toEqual(step(2).run)
  })

  it('removes the leftovers of a killed process, but not those of a running one', async () => {
    const room = await journalRoom(HISTORY.slice(0, 1))
    const [atWork, left] = [temporaryName(), temporaryName()]
    const { pid: ended } = spawnSync(process.execPath, ['-e', '0'])
    for (const name of [atWork, left.replace(`-${process.pid}-`, `-${ended}-`)])
      writeFileSync(join(room.directory, name), '')
    await takeStep(room.store, step(1))
    expect(readdirSync(room.directory).toSorted()).toEqual([
      atWork,
      'journal.jsonl',
      'materials',
      'run.json',
      'run.lock',
    ])
  })

  it('leaves no file behind if it fails, and reports that the change is recorded', async () => {
    const room = await journalRoom(HISTORY.slice(0, 1))
    mkdirSync(fileOf(room))
    const fault = await faultOf(() => takeStep(room.store, step(1)))
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
    expect(readdirSync(room.directory).filter((name) => name.startsWith('.'))).toEqual([])
    expect(await lookAt(room.store)).toEqual(step(1).run)
  })

  it('does not happen above the size limit', async () => {
    const room = await journalRoom([step(0)])
    const keep = (goal: string) => {
      const kept = { run: { ...step(0).run, goal }, end: endOf(room) }
      withJournal(findRun(room.store, RUN_ID), room.store.disk, (journal) =>
        writeRunSnapshot(journal, kept, room.store),
      )
      return statSync(fileOf(room)).size
    }
    const filling = 'x'.repeat(67_108_864 - keep(''))
    expect(keep(`${filling}x`)).toBe(67_108_864 - filling.length)
    expect(keep(filling)).toBe(67_108_864)
    expect((await lookAt(room.store)).goal).toBe(filling)
  })

  it('does not happen for a run above the maximum string length', async () => {
    const room = await journalRoom(HISTORY.slice(0, 2))
    const before = readFileSync(fileOf(room))
    const endless = { toJSON: () => 'x'.repeat(2 ** 29) }
    const kept = { run: { ...step(1).run, summary: endless as unknown as string }, end: endOf(room) }
    withJournal(findRun(room.store, RUN_ID), room.store.disk, (journal) => writeRunSnapshot(journal, kept, room.store))
    expect(readFileSync(fileOf(room))).toEqual(before)
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
    const room = await journalRoom(steps.slice(0, -1))
    const { disk, readOf } = countingDisk(room.store.disk)
    await takeStep(room.through(disk), steps.at(-1) as Step)
    expect(readOf('journal.jsonl')).toBe(ENDING_BYTES)
    expect(await replayed(room)).toEqual(steps.at(-1)?.run)
  })

  it('by a submit also reads the first record once, to check the owner', async () => {
    const context = await createRunContext()
    const { run_id, action } = await startRun(context, { goal: 'A goal', budget: 8, reviewEnabled: false })
    const submit = async (at: typeof context, current: typeof action) => {
      const suggested_actions = [{ kind: 'clarify', brief: 'Go on.' }]
      const outcome = outcomeFor(current, { summary: 'x'.repeat(60_000), suggested_actions })
      const payloadSha256 = digest(outcome.action_id)
      return (await submitOutcome(at, run_id, { actionId: outcome.action_id, outcome, payloadSha256 })).action
    }
    const third = await submit(context, await submit(context, action))
    const journal = journalPathOf(context.store, run_id)
    expect(statSync(journal).size).toBeGreaterThan(2 * CHUNK_BYTES)
    const { disk, readOf } = countingDisk(context.store.disk)
    await submit({ ...context, store: { ...context.store, disk } }, third)
    expect(readOf('journal.jsonl')).toBe(CHUNK_BYTES + ENDING_BYTES)
  })
})
