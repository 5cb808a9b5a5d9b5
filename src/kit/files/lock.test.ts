import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { IS_FULL } from '../../../test/support/full-counts.ts'
import { temporaryDirectory } from '../../../test/support/run-drover.ts'
import { SHARED_DIRECTORY, unprivileged } from '../../../test/support/unprivileged.ts'
import { inspectLock, type LockMode, takeLock, withLock } from './lock.ts'

const LONG_MS = 20_000
const PROGRAMS = join(import.meta.dirname, '../../../test/programs')
const BUSY = expect.objectContaining({ code: 'lock_busy' })

let folder: string
let path: string
let children: ChildProcess[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'drover-lock-'))
  path = join(folder, 'run.lock')
  children = []
})
afterEach(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true })
})

const tryLock = (mode: LockMode) => takeLock({ path, mode, waitMs: 0 })

/** Another process that takes the lock; `said` is `held` or the code of the fault. */
async function hold(mode: LockMode, { waitMs = 0 } = {}) {
  const child = spawn(process.execPath, [join(PROGRAMS, 'lock-hold.ts'), path, mode, String(waitMs)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  children.push(child)
  const lines = createInterface(child.stdout)
  const [said] = await once(lines, 'line')
  const ended = async (end: () => void) => {
    const exit = once(child, 'exit')
    end()
    await exit
  }
  return { said, release: () => ended(() => child.stdin.end()), kill: () => ended(() => child.kill('SIGKILL')) }
}

describe('takeLock', () => {
  it('creates a lock file that is empty and private, and leaves it there', async () => {
    const umask = process.umask(0)
    const lock = await tryLock('exclusive')
    process.umask(umask)
    expect(readdirSync(folder)).toEqual(['run.lock'])
    lock.release()
    expect(readdirSync(folder)).toEqual(['run.lock'])
    expect(lstatSync(path)).toMatchObject({ mode: 0o100600, size: 0 })
  })

  it('locks files with any name', async () => {
    path = join(folder, 'ü %20?mode=memory#x .lock')
    const lock = await tryLock('exclusive')
    await expect(tryLock('exclusive')).rejects.toThrow(BUSY)
    lock.release()
    expect(readdirSync(folder)).toEqual(['ü %20?mode=memory#x .lock'])
  })

  it('can be released twice and by leaving a block', async () => {
    const lock = await tryLock('exclusive')
    lock.release()
    lock.release()
    {
      using _lock = await tryLock('exclusive')
      await expect(tryLock('exclusive')).rejects.toThrow(BUSY)
    }
    ;(await tryLock('exclusive')).release()
  })

  it('reports what is locked and how long it waited', async () => {
    using _lock = await tryLock('exclusive')
    await expect(takeLock({ path, mode: 'shared', waitMs: 60 })).rejects.toThrow(
      expect.objectContaining({
        code: 'lock_busy',
        message: `${path} is locked by another process, and drover waited 60 ms for it; try again later`,
      }),
    )
  })

  it('does not block the event loop while it waits', async () => {
    const lock = await tryLock('exclusive')
    setTimeout(() => lock.release(), 60)
    const next = await takeLock({ path, mode: 'exclusive', waitMs: LONG_MS })
    next.release()
  })

  it('does not load SQLite before a lock is taken', () => {
    const script = `
      const { takeLock } = await import(process.argv[1])
      const loaded = () => process.moduleLoadList.includes('NativeModule sqlite')
      const before = loaded()
      await takeLock({ path: process.argv[2], mode: 'exclusive' })
      process.stdout.write(before + ' ' + loaded())`
    const args = ['--input-type=module', '-e', script, join(import.meta.dirname, 'lock.ts'), path]
    expect(spawnSync(process.execPath, args, { encoding: 'utf8' })).toMatchObject({ stdout: 'false true', stderr: '' })
  })
})

describe('two holders', () => {
  it.each<[LockMode, LockMode, string]>([
    ['exclusive', 'exclusive', 'lock_busy'],
    ['exclusive', 'shared', 'lock_busy'],
    ['shared', 'exclusive', 'lock_busy'],
    ['shared', 'shared', 'held'],
  ])('in two processes: with one %s, one %s gets %s', async (first, second, answer) => {
    ;(await tryLock('exclusive')).release()
    using _lock = await tryLock(first)
    expect((await hold(second)).said).toBe(answer)
  })

  it.each<[LockMode, LockMode]>([
    ['exclusive', 'exclusive'],
    ['exclusive', 'shared'],
    ['shared', 'exclusive'],
  ])('in one process: with one %s, one %s waits', async (first, second) => {
    ;(await tryLock('exclusive')).release()
    const lock = await tryLock(first)
    await expect(tryLock(second)).rejects.toThrow(BUSY)
    lock.release()
    ;(await tryLock(second)).release()
  })

  it.runIf(IS_FULL)('keep their locks when another of the same process releases its own', async () => {
    ;(await tryLock('exclusive')).release()
    using _kept = await tryLock('shared')
    ;(await tryLock('shared')).release()
    await expect(tryLock('exclusive')).rejects.toThrow(BUSY)
    expect((await hold('exclusive')).said).toBe('lock_busy')
  })

  it('never overlap: several processes count together', async () => {
    const counter = join(folder, 'counter')
    writeFileSync(counter, '0')
    const count = IS_FULL ? 8 : 4
    const exits = Array.from({ length: count }, () => {
      const child = spawn(process.execPath, [join(PROGRAMS, 'lock-count.ts'), path, counter, '50'], {
        stdio: 'inherit',
      })
      children.push(child)
      return once(child, 'exit')
    })
    expect(await Promise.all(exits)).toEqual(Array(count).fill([0, null]))
    expect(readFileSync(counter, 'utf8')).toBe(String(count * 50))
    expect(readdirSync(folder).toSorted()).toEqual(['counter', 'run.lock'])
  })
})

describe('a holder that is killed', () => {
  it.each<[LockMode, LockMode]>([
    ['exclusive', 'exclusive'],
    ['exclusive', 'shared'],
    ['shared', 'exclusive'],
  ])('while %s releases its lock to a waiter that requests %s, and leaves nothing behind', async (held, wanted) => {
    ;(await tryLock('exclusive')).release()
    const holder = await hold(held)
    expect(holder.said).toBe('held')
    const waiter = takeLock({ path, mode: wanted, waitMs: LONG_MS })
    await expect(tryLock(wanted)).rejects.toThrow(BUSY)
    await holder.kill()
    ;(await waiter).release()
    expect(readdirSync(folder)).toEqual(['run.lock'])
    expect(lstatSync(path).size).toBe(0)
  })
})

describe('a waiting writer', () => {
  beforeEach(async () => (await tryLock('exclusive')).release())

  const readersAreRefused = () =>
    vi.waitFor(() => expect(tryLock('shared').then((lock) => lock.release())).rejects.toThrow(BUSY))

  it('blocks new readers, so that they cannot starve it', async () => {
    const reader = await tryLock('shared')
    const writer = takeLock({ path, mode: 'exclusive', waitMs: LONG_MS })
    await readersAreRefused()
    reader.release()
    ;(await writer).release()
    ;(await tryLock('shared')).release()
  })

  it('does not deadlock with another waiting writer', async () => {
    const reader = await tryLock('shared')
    const writers = [1, 2, 3].map(() => withLock({ path, mode: 'exclusive', waitMs: LONG_MS }, () => 'done'))
    await readersAreRefused()
    reader.release()
    expect(await Promise.all(writers)).toEqual(['done', 'done', 'done'])
  })

  it('stops when it is aborted, with the reason, and holds no lock afterwards', async () => {
    using _reader = await tryLock('shared')
    const stop = new AbortController()
    const writer = takeLock({ path, mode: 'exclusive', waitMs: LONG_MS, signal: stop.signal })
    await turn()
    const reason = new Error('the client hung up')
    stop.abort(reason)
    await expect(writer).rejects.toBe(reason)
    ;(await tryLock('shared')).release()
  })

  it('does not start if it is already aborted', async () => {
    await expect(takeLock({ path, mode: 'exclusive', signal: AbortSignal.abort('too late') })).rejects.toBe('too late')
  })

  it('locks the new file if the first one is replaced', async () => {
    const first = await tryLock('shared')
    const writer = takeLock({ path, mode: 'exclusive', waitMs: LONG_MS })
    await readersAreRefused()
    renameSync(path, `${path}.old`)
    first.release()
    using _lock = await writer
    await expect(tryLock('exclusive')).rejects.toThrow(BUSY)
  })
})

describe('a reader', () => {
  it('gets an error if there is no lock file, and creates none', async () => {
    await expect(tryLock('shared')).rejects.toThrow(
      expect.objectContaining({ code: 'lock_missing', details: { path } }),
    )
    expect(readdirSync(folder)).toEqual([])
  })

  it('changes nothing', async () => {
    ;(await tryLock('exclusive')).release()
    const before = [lstatSync(path, { bigint: true }), lstatSync(folder, { bigint: true })]
    ;(await tryLock('shared')).release()
    expect([lstatSync(path, { bigint: true }), lstatSync(folder, { bigint: true })]).toEqual(before)
  })
})

describe('a file that is not a lock file', () => {
  it.each<[string, () => void]>([
    ['it is not empty', () => writeFileSync(path, 'precious')],
    ['it is not empty', () => new DatabaseSync(path).exec('CREATE TABLE precious (x)')],
    ['it is a directory', () => mkdirSync(path)],
    ['it is a symbolic link', () => symlinkSync('other', path)],
  ])('is refused and not changed: %s', async (problem, make) => {
    make()
    const before = lstatSync(path, { bigint: true })
    for (const mode of ['exclusive', 'shared'] as const) {
      await expect(tryLock(mode)).rejects.toThrow(
        expect.objectContaining({ code: 'lock_file_invalid', details: { path, problem } }),
      )
    }
    expect(lstatSync(path, { bigint: true })).toEqual(before)
    expect(readdirSync(folder)).toEqual(['run.lock'])
  })

  it('is refused even if it gets content while we wait', async () => {
    ;(await tryLock('exclusive')).release()
    const holder = await hold('exclusive')
    const waiter = takeLock({ path, mode: 'shared', waitMs: LONG_MS })
    await turn()
    const refused = expect(waiter).rejects.toThrow('it is not empty')
    writeFileSync(path, 'precious')
    await holder.release()
    await refused
    expect(readFileSync(path, 'utf8')).toBe('precious')
  })
})

describe.skipIf(SHARED_DIRECTORY === undefined)('without permission', () => {
  beforeEach(() => {
    rmSync(folder, { recursive: true })
    folder = mkdtempSync(join(SHARED_DIRECTORY ?? '', 'drover-lock-'))
    path = join(folder, 'run.lock')
  })

  afterEach(() => chmodSync(folder, 0o700))

  it('to write the directory, no lock file is created', async () => {
    chmodSync(folder, 0o555)
    await unprivileged(() =>
      expect(tryLock('exclusive')).rejects.toThrow(
        `${path} could not be written and is unchanged: permission denied (EACCES)`,
      ),
    )
    expect(readdirSync(folder)).toEqual([])
  })

  it('to write anything, a shared lock is still possible', async () => {
    writeFileSync(path, '', { mode: 0o444 })
    chmodSync(folder, 0o555)
    const lock = await unprivileged(() => tryLock('shared'))
    await expect(tryLock('exclusive')).rejects.toThrow(BUSY)
    lock.release()
  })

  it.each<[LockMode, string, string]>([
    ['exclusive', '444', 'it is not writable'],
    ['exclusive', '000', 'it cannot be opened, perhaps because of its permissions'],
    ['shared', '000', 'it cannot be opened, perhaps because of its permissions'],
  ])('a %s lock fails on a lock file of mode %s', async (mode, permissions, reason) => {
    chmodSync(folder, 0o755)
    writeFileSync(path, '')
    chmodSync(path, permissions)
    await unprivileged(() =>
      expect(tryLock(mode)).rejects.toThrow(
        expect.objectContaining({ code: 'lock_unavailable', details: { path, reason } }),
      ),
    )
  })

  it('to enter the directory, the reason is reported', async () => {
    chmodSync(folder, 0o000)
    await unprivileged(() =>
      expect(tryLock('shared')).rejects.toThrow(`${path} cannot be locked: permission denied (EACCES)`),
    )
  })
})

function lockInNewDirectory() {
  const directory = temporaryDirectory()
  return { directory, path: join(directory, 'x.lock') }
}

describe('inspectLock', () => {
  it('creates no lock file', async () => {
    const { directory, path } = lockInNewDirectory()
    expect(await inspectLock(path)).toEqual({ status: 'absent' })
    expect(readdirSync(directory)).toEqual([])
  })

  it('distinguishes a held lock from a free one, and changes neither', async () => {
    const { directory, path } = lockInNewDirectory()
    const lock = await takeLock({ path, mode: 'exclusive' })
    expect(await inspectLock(path)).toEqual({ status: 'held' })
    lock.release()
    const before = statSync(path)
    expect(await inspectLock(path)).toEqual({ status: 'free' })
    expect(statSync(path).mtimeMs).toBe(before.mtimeMs)
    expect(readdirSync(directory)).toEqual(['x.lock'])
  })

  it('reports a lock that is held shared as free', async () => {
    const { path } = lockInNewDirectory()
    writeFileSync(path, '')
    using _lock = await takeLock({ path, mode: 'shared' })
    expect(await inspectLock(path)).toEqual({ status: 'free' })
  })

  it.each([
    ['a directory', (path: string) => mkdirSync(path), 'it is a directory'],
    ['a file with something in it', (path: string) => writeFileSync(path, 'x'), 'it is not empty'],
  ])('reports %s as unusable', async (_name, make, problem) => {
    const { path } = lockInNewDirectory()
    make(path)
    expect(await inspectLock(path)).toEqual({ status: 'unusable', problem })
  })
})
