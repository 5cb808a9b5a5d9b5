/** Ways to damage the files of a run: what the reader reports, what the writer reports, and how much survives. */
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
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
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readRun, readRunHeader, readRunState } from '../../src/journal/read-run.ts'
import { listRunIds } from '../../src/journal/run-store.ts'
import { updateRun } from '../../src/journal/update-run.ts'
import { diskWith } from '../support/counted-disk.ts'
import {
  boundHistory,
  codeOf,
  createJournalFixture,
  faultOf,
  type JournalFixture,
  RUN_ID,
  type Step,
  takeStep,
} from '../support/journal-fixture.ts'

const HISTORY = boundHistory()
const RECORDS = 3

const sizeOf = (path: string) => statSync(path).size
/** Some clocks tick a hundred times per second: a change within a tick that keeps the size looks like no change. */
const rewrite = ({ journal }: JournalFixture, change: (text: string) => string) => {
  writeFileSync(journal, change(readFileSync(journal, 'utf8')))
  utimesSync(journal, 1_800_000_000, 1_800_000_000)
}
const lineAt = (text: string, index: number) => text.split('\n')[index] ?? ''
const texts = (fixture: JournalFixture) => readdirSync(fixture.materials).map((name) => join(fixture.materials, name))
const firstText = (fixture: JournalFixture) => texts(fixture)[0] ?? ''

type Damage = (fixture: JournalFixture) => void

/** Leaves `survives` records, which readers find at once; the next writer repairs the rest. */
const TAILS: [name: string, damage: Damage, survives: number][] = [
  ['nothing', () => undefined, 3],
  ['its last four bytes cut off', ({ journal }) => truncateSync(journal, sizeOf(journal) - 4), 2],
  [
    'its last line cut in the middle',
    (fixture) => truncateSync(fixture.journal, sizeOf(fixture.journal) - (fixture.lines()[2]?.length ?? 0) / 2),
    2,
  ],
  ['its last line feed cut off', ({ journal }) => truncateSync(journal, sizeOf(journal) - 1), 3],
  ['half a record at its end', ({ journal }) => appendFileSync(journal, '{"sequence":4,"type":"run_resu'), 3],
  ['a block of zeros at its end', ({ journal }) => appendFileSync(journal, Buffer.alloc(4096)), 3],
  ['invalid UTF-8 after the last record', ({ journal }) => appendFileSync(journal, Buffer.from([0xff, 0xfe])), 3],
  ['white space at its end', ({ journal }) => appendFileSync(journal, '  \t'), 3],
  [
    'blank lines between and behind',
    (fixture) => rewrite(fixture, (text) => `\n \n${text.replaceAll('\n', '\n\t\r\n')}\n`),
    3,
  ],
  ['4 MiB without a line feed at its end', ({ journal }) => appendFileSync(journal, 'x'.repeat(4_194_304)), 3],
  [
    'a mode that lets others read it',
    ({ journal, directory }) => {
      for (const path of [journal, directory]) chmodSync(path, 0o755)
    },
    3,
  ],
  ['no lock file beside it', ({ lock }) => rmSync(lock), 3],
]

/** None of these is repaired, and nothing is changed. */
const BROKEN: [name: string, damage: Damage, read?: string, write?: string][] = [
  ['is missing', ({ journal }) => rmSync(journal)],
  ['is empty', ({ journal }) => truncateSync(journal, 0)],
  ['has half of its first record', ({ journal }) => truncateSync(journal, 100)],
  [
    'is a directory',
    ({ journal }) => {
      rmSync(journal)
      mkdirSync(journal)
    },
  ],
  [
    'is a symbolic link',
    ({ journal }) => {
      renameSync(journal, `${journal}.real`)
      symlinkSync(`${journal}.real`, journal)
    },
  ],
  [
    'has a flipped letter in the middle',
    (fixture) => rewrite(fixture, (text) => text.replace('Ask about the wind', 'Ask about the wing')),
  ],
  [
    'has a changed letter in its last record',
    (fixture) => rewrite(fixture, (text) => text.replace(/run_stopped(?=[^\n]*\n$)/, 'run_resumed')),
  ],
  [
    'has a changed letter in its last record, and no line feed',
    (fixture) => rewrite(fixture, (text) => text.replace('"stopped"', '"ended"').trimEnd()),
  ],
  [
    'has zeros in the middle',
    (fixture) => rewrite(fixture, (text) => `${text.slice(0, 900)}${'\0'.repeat(50)}${text.slice(950)}`),
  ],
  ['has its last record twice', (fixture) => rewrite(fixture, (text) => `${text}${lineAt(text, 2)}\n`)],
  ['lacks a record in the middle', (fixture) => rewrite(fixture, (text) => text.replace(`${lineAt(text, 1)}\n`, ''))],
  ['lacks its first record', (fixture) => rewrite(fixture, (text) => text.slice(text.indexOf('\n') + 1))],
  [
    'has records in another order',
    (fixture) => rewrite(fixture, (text) => `${[0, 2, 1].map((at) => lineAt(text, at)).join('\n')}\n`),
  ],
  [
    'has a duplicate key',
    (fixture) => rewrite(fixture, (text) => text.replace('{"sequence":1,', '{"sequence":1,"sequence":1,')),
  ],
  [
    'has a separate key',
    (fixture) => rewrite(fixture, (text) => text.replace('{"sequence":1,', '{"sequence":1,"note":1,')),
  ],
  ['has a line that is not JSON', ({ journal }) => appendFileSync(journal, 'nothing\n')],
  ['has a line that is not a record', ({ journal }) => appendFileSync(journal, 'null\n')],
  ['has a line of more than 4 MiB', ({ journal }) => appendFileSync(journal, `${'x'.repeat(4_194_304)}\n`)],
  ['has CRLF line endings', (fixture) => rewrite(fixture, (text) => text.replaceAll('\n', '\r\n'))],
  [
    'has a lock file that is not empty',
    ({ lock }) => writeFileSync(lock, 'x'),
    'run_unavailable',
    'mutation_not_committed',
  ],
  [
    'has a lock file that is a directory',
    ({ lock }) => {
      rmSync(lock)
      mkdirSync(lock)
    },
    'run_unavailable',
    'mutation_not_committed',
  ],
  [
    'has a lock file that is a symbolic link',
    ({ lock, journal }) => {
      rmSync(lock)
      symlinkSync(journal, lock)
    },
    'run_unavailable',
    'mutation_not_committed',
  ],
  [
    'is in a directory that is a symbolic link',
    ({ directory }) => {
      renameSync(directory, `${directory}.real`)
      symlinkSync(`${directory}.real`, directory)
    },
    'run_unavailable',
  ],
  [
    'is where a file is',
    ({ directory }) => {
      rmSync(directory, { recursive: true })
      writeFileSync(directory, '')
    },
    'run_unavailable',
  ],
  [
    'is in a store that is a symbolic link',
    ({ directory }) => {
      const runs = dirname(directory)
      renameSync(runs, `${runs}.real`)
      symlinkSync(`${runs}.real`, runs)
    },
    'runstore_unavailable',
  ],
  [
    'is below a symbolic link',
    ({ gitCommonDir }) => {
      const outer = join(gitCommonDir, 'drover')
      renameSync(outer, `${outer}.real`)
      symlinkSync(`${outer}.real`, outer)
    },
    'runstore_unavailable',
  ],
  ['is gone with its directory', ({ directory }) => rmSync(directory, { recursive: true }), 'run_not_found'],
  [
    'is gone with the store',
    ({ gitCommonDir }) => rmSync(join(gitCommonDir, 'drover'), { recursive: true }),
    'run_not_found',
  ],
]

/** The journal is valid and the run can be read, but a section text cannot. */
const TEXTS: [name: string, damage: Damage][] = [
  ['missing', (fixture) => rmSync(firstText(fixture))],
  ['cut', (fixture) => truncateSync(firstText(fixture), 5)],
  ['empty', (fixture) => truncateSync(firstText(fixture), 0)],
  ['too long', (fixture) => writeFileSync(firstText(fixture), 'x'.repeat(262_145))],
  ['another text', (fixture) => writeFileSync(firstText(fixture), 'Other.\n')],
  [
    'a symbolic link',
    (fixture) => {
      const path = firstText(fixture)
      renameSync(path, `${fixture.directory}/real`)
      symlinkSync(`${fixture.directory}/real`, path)
    },
  ],
  [
    'below a symbolic link',
    ({ materials }) => {
      renameSync(materials, `${materials}.real`)
      symlinkSync(`${materials}.real`, materials)
    },
  ],
]

const look = ({ store }: JournalFixture) => readRun(store, RUN_ID, (run) => run)
const nothing = ({ store }: JournalFixture) => updateRun(store, RUN_ID, async () => ({ result: undefined }))

describe('a journal with', () => {
  it.each(TAILS)('%s keeps every record, and the next writer repairs it', async (_name, damage, survives) => {
    const fixture = await createJournalFixture(HISTORY.slice(0, RECORDS))
    damage(fixture)
    const before = readFileSync(fixture.journal)
    const expected = HISTORY[survives - 1]?.run
    expect(await look(fixture)).toEqual(expected)
    expect(readRunState(fixture.store, RUN_ID)).toBe(expected?.state)
    expect(readRunHeader(fixture.store, RUN_ID).id).toBe(RUN_ID)
    expect(readFileSync(fixture.journal).equals(before)).toBe(true)

    for (const step of HISTORY.slice(survives)) await takeStep(fixture.store, step)
    expect(await look(fixture)).toEqual(HISTORY.at(-1)?.run)
    expect(fixture.lines().filter((line) => line.trim() !== '')).toHaveLength(HISTORY.length)
    expect([fixture.journal, fixture.lock].map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o600])
    expect(statSync(fixture.directory).mode & 0o777).toBe(0o700)
  })

  it('a torn tail is copied aside, unless it is longer than any record', async () => {
    const fixture = await createJournalFixture(HISTORY.slice(0, RECORDS))
    for (const tail of ['{"sequence":4,"ty', 'x'.repeat(4_194_304)]) {
      appendFileSync(fixture.journal, tail)
      await nothing(fixture)
      expect(readFileSync(`${fixture.journal}.broken`, 'utf8')).toBe('{"sequence":4,"ty')
      expect(statSync(`${fixture.journal}.broken`).mode & 0o777).toBe(0o600)
      expect(fixture.lines()).toHaveLength(RECORDS)
    }
  })

  it('a torn tail, and a symbolic link where its copy would go, is not changed', async () => {
    const fixture = await createJournalFixture(HISTORY.slice(0, RECORDS))
    symlinkSync(fixture.lock, `${fixture.journal}.broken`)
    appendFileSync(fixture.journal, '{"sequence":4,"ty')
    const before = readFileSync(fixture.journal)
    expect(await codeOf(() => nothing(fixture))).toBe('mutation_not_committed')
    expect([readFileSync(fixture.journal), sizeOf(fixture.lock)]).toEqual([before, 0])
    expect(await look(fixture)).toEqual(HISTORY[RECORDS - 1]?.run)
  })
})

describe('a journal that', () => {
  it.each(BROKEN)(
    '%s is refused, and nothing is changed',
    async (_name, damage, read = 'run_journal_invalid', write = read) => {
      const fixture = await createJournalFixture(HISTORY.slice(0, RECORDS))
      damage(fixture)
      const before = await codeOf(() => readFileSync(fixture.journal)).catch(() => 'no file')
      const bytes = before === 'done' ? readFileSync(fixture.journal) : undefined
      expect([await codeOf(() => look(fixture)), await codeOf(() => nothing(fixture))]).toEqual([read, write])
      expect(await codeOf(() => takeStep(fixture.store, HISTORY[RECORDS] as Step))).toBe(write)
      if (bytes !== undefined) expect(readFileSync(fixture.journal).equals(bytes)).toBe(true)
      const isListed = !['runstore_unavailable', 'run_not_found'].includes(read)
      if (isListed) expect(listRunIds(fixture.store)).toEqual([RUN_ID])
    },
  )

  it.each([
    ['a symbolic link', symlinkSync],
    ['another file', copyFileSync],
  ])('is replaced by %s between stat and open is not read', async (_what, put) => {
    const fixture = await createJournalFixture(HISTORY.slice(0, RECORDS))
    const meddling = diskWith(({ operation, file }, perform) => {
      if (operation === 'openSync' && file === 'journal.jsonl') {
        renameSync(fixture.journal, `${fixture.journal}.real`)
        put(`${fixture.journal}.real`, fixture.journal)
      }
      return perform()
    })
    expect(await codeOf(() => readRun(fixture.through(meddling), RUN_ID, (run) => run))).toBe('run_unavailable')
  })

  it('is named in the error, with the number of the record', async () => {
    const fixture = await createJournalFixture(HISTORY.slice(0, RECORDS))
    rewrite(fixture, (text) => text.replace('Ask about the wind', 'Ask about the wing'))
    const fault = await faultOf(() => look(fixture))
    expect(fault?.details).toEqual({
      run_id: RUN_ID,
      path: fixture.journal,
      problem: 'record 2 is invalid: its chain does not match: this record or an earlier one was changed',
    })
  })
})

describe('a section text that is', () => {
  it.each(TEXTS)('%s is not returned', async (_name, damage) => {
    const fixture = await createJournalFixture(HISTORY.slice(0, RECORDS))
    const digest = HISTORY[0]?.materials[0]?.digest ?? ''
    expect(await readRun(fixture.store, RUN_ID, (_run, read) => digest === '' || read(digest).length)).toBeGreaterThan(
      0,
    )
    damage(fixture)
    expect(await codeOf(() => readRun(fixture.store, RUN_ID, (_run, read) => read(digest)))).toBe(
      'material_blob_unreadable',
    )
  })

  it('already stored with other content is not replaced, and nothing is recorded', async () => {
    const fixture = await createJournalFixture(HISTORY.slice(0, RECORDS))
    const step = HISTORY[RECORDS] as Step
    writeFileSync(join(fixture.materials, step.materials[0]?.digest.slice(7) ?? ''), 'Other.\n')
    const fault = await faultOf(() => takeStep(fixture.store, step))
    expect([fault?.code, fault?.details]).toMatchObject([
      'mutation_not_committed',
      { details: { phase: 'material_write' } },
    ])
    expect(await look(fixture)).toEqual(HISTORY[RECORDS - 1]?.run)
  })

  it('missing prevents the record that needs it', async () => {
    const fixture = await createJournalFixture(HISTORY.slice(0, RECORDS))
    const fault = await faultOf(() => takeStep(fixture.store, { ...(HISTORY[RECORDS] as Step), materials: [] }))
    expect([fault?.code, fault?.details]).toMatchObject([
      'mutation_not_committed',
      { details: { phase: 'material_verify' } },
    ])
  })
})

describe('a directory that changes while a run is changed', () => {
  const changeDuring = (fixture: JournalFixture, step: Step, change: () => void) =>
    faultOf(() =>
      updateRun(fixture.store, RUN_ID, async () => {
        change()
        return { ...step, result: undefined }
      }),
    )

  it.each<[string, (fixture: JournalFixture) => void]>([
    ['moved', ({ directory }) => renameSync(directory, `${directory}-moved`)],
    [
      'replaced',
      ({ directory }) => {
        renameSync(directory, `${directory}-moved`)
        mkdirSync(directory)
      },
    ],
    [
      'with another journal',
      ({ journal }) => {
        copyFileSync(journal, `${journal}.copy`)
        renameSync(`${journal}.copy`, journal)
      },
    ],
    ['without its lock file', ({ lock }) => rmSync(lock)],
  ])('%s is noticed before anything is written', async (_name, change) => {
    const fixture = await createJournalFixture(HISTORY.slice(0, 1))
    const fault = await changeDuring(fixture, HISTORY[1] as Step, () => change(fixture))
    expect([fault?.code, fault?.details]).toMatchObject([
      'mutation_not_committed',
      { details: { phase: 'namespace_verify' } },
    ])
  })

  it('through a writer without a lock is noticed too', async () => {
    const fixture = await createJournalFixture(HISTORY.slice(0, 1))
    const fault = await changeDuring(fixture, HISTORY[1] as Step, () => appendFileSync(fixture.journal, '\n'))
    expect([fault?.code, fault?.details]).toMatchObject([
      'mutation_not_committed',
      { details: { phase: 'journal_verify' } },
    ])
  })
})
