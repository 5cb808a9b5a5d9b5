import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { openDatabase, type StoreDatabase } from './database.ts'
import { all, answer, get } from './sql.ts'

let folder: string
let path: string
let opened: StoreDatabase[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'drover-sessions-'))
  path = join(folder, 'home', 'sessions.db')
  opened = []
})
afterEach(() => {
  for (const database of opened) database.close()
  rmSync(folder, { recursive: true })
})

async function open(options: { waitMs?: number; migrations?: readonly string[] } = {}): Promise<StoreDatabase> {
  const database = await openDatabase({ path, waitMs: 0, ...options })
  opened.push(database)
  return database
}

const fault = (code: string, details: object) => expect.objectContaining({ code, details })
const pragma = (database: StoreDatabase, name: string) => Object.values(database.get(`PRAGMA ${name}`) ?? {})[0]
const names = (database: StoreDatabase) =>
  database.all("SELECT name FROM sqlite_schema WHERE type = 'table'").map((row) => row['name'])

describe('a new file', () => {
  it('is created with its directory, and is private despite the umask, like the files beside it', async () => {
    const umask = process.umask(0)
    try {
      const database = await open()
      await database.write(() => all('CREATE TABLE other (x)'))
    } finally {
      process.umask(umask)
    }
    const files = readdirSync(dirname(path)).toSorted()
    expect(files).toEqual(['sessions.db', 'sessions.db-shm', 'sessions.db-wal'])
    expect(files.map((file) => lstatSync(join(dirname(path), file)).mode)).toEqual([0o100600, 0o100600, 0o100600])
    expect(lstatSync(dirname(path)).mode).toBe(0o040700)
  })

  it('is synced on every write, and overwrites deleted content', async () => {
    const database = await open()
    expect(['journal_mode', 'synchronous', 'secure_delete'].map((name) => pragma(database, name))).toEqual([
      'wal',
      2,
      1,
    ])
  })

  it('may have any name', async () => {
    path = join(folder, 'ü %20?mode=memory#x .db')
    await open()
    expect(existsSync(path)).toBe(true)
  })

  it('leaves only one file after it is closed', async () => {
    ;(await open()).close()
    expect(readdirSync(dirname(path))).toEqual(['sessions.db'])
  })
})

describe('an old file', () => {
  const steps = ['CREATE TABLE one (x); INSERT INTO one VALUES (1)', 'CREATE TABLE two (x)', 'CREATE TABLE three (x)']

  it.each([0, 1, 2, 3])('with %i of three migrations gets only the others', async (count) => {
    if (count > 0) (await open({ migrations: steps.slice(0, count) })).close()
    const database = await open({ migrations: steps })
    expect(names(database)).toEqual(['one', 'two', 'three'])
    expect(database.all('SELECT x FROM one')).toEqual([{ x: 1 }])
    expect(pragma(database, 'user_version')).toBe(3)
  })

  it('stays at its version if a migration fails', async () => {
    ;(await open({ migrations: steps.slice(0, 1) })).close()
    await expect(open({ migrations: [...steps.slice(0, 2), 'CREATE TABLE one (x)'] })).rejects.toThrow('already exists')
    const database = await open({ migrations: steps.slice(0, 1) })
    expect(names(database)).toEqual(['one'])
  })

  it('is migrated once when many processes open it', async () => {
    const databases = await Promise.all(Array.from({ length: 8 }, () => open({ waitMs: 20_000, migrations: steps })))
    expect(databases.map(names)).toEqual(Array(8).fill(['one', 'two', 'three']))
  })

  it('becomes private if others could read it', async () => {
    ;(await open()).close()
    const other = await open()
    await other.write(() => all('CREATE TABLE other (x)'))
    const files = [path, `${path}-wal`, `${path}-shm`]
    for (const file of files) chmodSync(file, 0o644)
    await open()
    expect(files.map((file) => lstatSync(file).mode)).toEqual([0o100600, 0o100600, 0o100600])
  })
})

describe('a file that is not a session file', () => {
  const withBytes = (bytes: string) => () => writeFileSync(path, bytes)
  const ofAnother = (sql: string) => () => {
    const other = new DatabaseSync(path)
    other.exec(sql)
    other.close()
  }

  it.each<[string, () => void, string]>([
    ['a text', withBytes('my shopping list'.repeat(100)), 'it is not a database'],
    ['a short text', withBytes('xy'), 'it is not a database'],
    ['a database with tables', ofAnother('CREATE TABLE precious (x)'), 'it is a database of another program'],
    ['a database with a form', ofAnother('PRAGMA user_version = 1'), 'it is a database of another program'],
    ['a database with an owner', ofAnother('PRAGMA application_id = 7'), 'it is a database of another program'],
    ['a directory', () => mkdirSync(path), 'it is a directory'],
    ['a link', () => symlinkSync('elsewhere.db', path), 'it is a symbolic link'],
  ])('is refused and not changed: %s', async (_, make, problem) => {
    mkdirSync(dirname(path))
    make()
    const content = () => (lstatSync(path).isFile() ? readFileSync(path, 'latin1') : lstatSync(path).mode)
    const before = content()
    await expect(open()).rejects.toThrow(fault('session_store_invalid', { path, problem }))
    expect(content()).toEqual(before)
    expect(readdirSync(dirname(path))).toEqual(['sessions.db'])
  })

  it('is named in the error, with a remedy', async () => {
    mkdirSync(dirname(path))
    writeFileSync(path, 'x'.repeat(1_000))
    await expect(open()).rejects.toThrow(
      `${path} is not a usable session file: it is not a database; restore a backup, or move it away to start with an empty one`,
    )
  })

  it('may be from a newer drover', async () => {
    ;(await open({ migrations: ['CREATE TABLE a (x)', 'CREATE TABLE b (x)'] })).close()
    const before = readFileSync(path)
    await expect(open({ migrations: ['CREATE TABLE a (x)'] })).rejects.toThrow(
      fault('session_store_newer', { path, version: 2, known: 1 }),
    )
    expect(readFileSync(path)).toEqual(before)
  })
})

describe('a damaged file', () => {
  async function damage(harm: () => void): Promise<Buffer> {
    const database = await open()
    await database.write(function* () {
      yield* all('CREATE TABLE filling (x)')
      for (let i = 0; i < 200; i++) yield* all('INSERT INTO filling VALUES (?)', 'x'.repeat(1_000))
    })
    database.close()
    harm()
    return readFileSync(path)
  }
  const readAll = async () => {
    const database = await open()
    return database.read(() => all('SELECT * FROM filling'))
  }

  it.each<[string, () => void]>([
    ['its beginning is overwritten', () => overwrite({ from: 0, length: 100 })],
    ['its tables are overwritten', () => overwrite({ from: 100, length: 3_000 })],
    ['its content is overwritten', () => overwrite({ from: 4_096, length: statSync(path).size - 4_096 })],
    ['its end is missing', () => truncateSync(path, statSync(path).size / 2)],
  ])('is reported and not changed if %s', async (_, harm) => {
    const before = await damage(harm)
    await expect(readAll()).rejects.toThrow(expect.objectContaining({ code: 'session_store_invalid' }))
    for (const database of opened) database.close()
    expect(readFileSync(path).equals(before)).toBe(true)
  })

  function overwrite({ from, length }: { from: number; length: number }): void {
    const bytes = readFileSync(path)
    bytes.fill(0xa5, from, from + length)
    writeFileSync(path, bytes)
  }
})

describe('a file that cannot be written', () => {
  it('because the disk is full is reported, rolled back and usable again', async () => {
    const database = await open()
    database.exec('CREATE TABLE filling (x)')
    const pages = Number(pragma(database, 'page_count'))
    database.exec(`PRAGMA max_page_count = ${pages}`)
    const fill = () => database.run('INSERT INTO filling VALUES (?)', 'x'.repeat(1_000_000))
    await expect(fill()).rejects.toThrow(fault('session_store_unavailable', { path, reason: 'the disk is full' }))
    await expect(database.read(() => all('SELECT * FROM filling'))).resolves.toEqual([])
    database.exec('PRAGMA max_page_count = 1000000')
    await fill()
  })

  it.skipIf(process.getuid?.() === 0)('because it is read-only is reported', async () => {
    ;(await open()).close()
    chmodSync(path, 0o400)
    const database = await open()
    await expect(database.write(() => all('CREATE TABLE a (x)'))).rejects.toThrow(
      expect.objectContaining({ code: 'session_store_unavailable' }),
    )
  })

  it('because its directory is a file is reported', async () => {
    writeFileSync(dirname(path), '')
    await expect(open()).rejects.toThrow(expect.objectContaining({ code: 'directory_unusable' }))
  })
})

describe('a file that is locked', () => {
  async function locked(): Promise<{ database: StoreDatabase; holder: DatabaseSync }> {
    const database = await open({ waitMs: 20_000 })
    const holder = new DatabaseSync(path)
    holder.exec('BEGIN IMMEDIATE')
    return { database, holder }
  }

  it('does not block the event loop', async () => {
    const { database, holder } = await locked()
    const writing = database.write(() => answer('written'))
    setTimeout(() => holder.close(), 60)
    expect(await writing).toBe('written')
  })

  it('fails after the given time', async () => {
    const { database, holder } = await locked()
    await expect(database.write(() => answer(undefined), { waitMs: 50 })).rejects.toThrow(
      fault('session_store_busy', { path, waitMs: 50 }),
    )
    holder.close()
    expect(await database.write(() => answer('written'))).toBe('written')
  })

  it('can still be read', async () => {
    const { database, holder } = await locked()
    expect(await database.read(() => get('SELECT 1 AS one'))).toEqual({ one: 1 })
    holder.close()
  })
})

describe('a transaction', () => {
  it('whose work throws is rolled back, and throws the error', async () => {
    const database = await open()
    const failure = new Error('no')
    const work = function* () {
      yield* all('CREATE TABLE half (x)')
      throw failure
    }
    await expect(database.write(work)).rejects.toBe(failure)
    expect(names(database)).not.toContain('half')
  })
})

describe('concurrent transactions', () => {
  /** With a table, and nothing under way. */
  async function openWithTable(): Promise<StoreDatabase> {
    const database = await open()
    await database.write(() => all('CREATE TABLE numbers (x)'))
    await turnOfTheLoop()
    return database
  }

  it('let the event loop run in between', async () => {
    const database = await openWithTable()
    let hasTurned = false
    setImmediate(() => {
      hasTurned = true
    })
    await Promise.all([1, 2].map(() => database.write(() => answer(undefined))))
    expect(hasTurned).toBe(true)
  })

  it('are committed in groups of fifty after the first', async () => {
    const database = await openWithTable()
    const outside = new DatabaseSync(path)
    onTestFinished(() => outside.close())
    const committed = outside.prepare('SELECT count(*) AS count FROM numbers')
    const insert = function* (x: number) {
      yield* all('INSERT INTO numbers VALUES (?)', x)
      return committed.get()?.['count']
    }
    const seen = await Promise.all(Array.from({ length: 52 }, (_, x) => database.write(() => insert(x))))
    expect(seen).toEqual([0, ...new Array(50).fill(1), 51])
    expect(database.all('SELECT x FROM numbers').map(({ x }) => x)).toEqual(Array.from({ length: 52 }, (_, x) => x))
  })

  it('succeed even if one of them fails', async () => {
    const database = await openWithTable()
    const failure = new Error('no')
    const outcomes = await Promise.allSettled(
      [1, 2, 3, 4].map((x) =>
        database.write(function* () {
          yield* all('INSERT INTO numbers VALUES (?)', x)
          if (x === 3) throw failure
          return x
        }),
      ),
    )
    expect(outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason))).toEqual([
      1,
      2,
      failure,
      4,
    ])
    expect(database.all('SELECT x FROM numbers').map(({ x }) => x)).toEqual([1, 2, 4])
  })
})

describe('SQLite', () => {
  it('is not loaded before a file is opened', () => {
    const script = `
      const { openDatabase } = await import(process.argv[1])
      const loaded = () => process.moduleLoadList.includes('NativeModule sqlite')
      const before = loaded()
      await openDatabase({ path: process.argv[2] })
      process.stdout.write(before + ' ' + loaded())`
    const args = ['--input-type=module', '-e', script, join(import.meta.dirname, 'database.ts'), path]
    expect(spawnSync(process.execPath, args, { encoding: 'utf8' })).toMatchObject({ stdout: 'false true', stderr: '' })
  })
})
