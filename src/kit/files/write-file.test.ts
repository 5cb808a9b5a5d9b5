import { spawnSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../../../test/support/run-drover.ts'
import { type Disk, realDisk } from './disk.ts'
import { createFile, probeDurability, replaceFile } from './write-file.ts'

const OLD = 'the old content'
const NEW = 'the new content, which is longer'
const DURABLE = { level: 'file_and_directory_fsync', file_sync: true, directory_sync: true }

let folder: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'drover-write-'))
  path = join(folder, 'config.yaml')
})
afterEach(() => rmSync(folder, { recursive: true }))

const file = () => ({ path, bytes: Buffer.from(NEW), mode: 0o600 })
const content = () => readFileSync(path, 'utf8')
const modeOf = (name: string) => lstatSync(name).mode & 0o777

type Failure = { operation: keyof Disk; call: number; code: keyof typeof constants.errno; done?: boolean }

/** A disk on which one call fails; with `done`, after it did what it was asked. */
function failing({ operation, call, code, done = false }: Failure): Disk {
  let calls = 0
  const fail = (...args: unknown[]) => {
    calls += 1
    if (calls !== call) return Reflect.apply(realDisk[operation], realDisk, args)
    if (done) Reflect.apply(realDisk[operation], realDisk, args)
    throw Object.assign(new Error(`${code}, as the test wants`), { code, errno: -constants.errno[code] })
  }
  return { ...realDisk, [operation]: fail }
}

describe('replaceFile', () => {
  it('creates a file and reports its durability', () => {
    expect(replaceFile(file())).toEqual(DURABLE)
    expect(content()).toBe(NEW)
  })

  it('replaces the content of a file and leaves no other file', () => {
    writeFileSync(path, OLD)
    replaceFile(file())
    expect(content()).toBe(NEW)
    expect(readdirSync(folder)).toEqual(['config.yaml'])
  })

  it('writes an empty file', () => {
    replaceFile({ ...file(), bytes: new Uint8Array() })
    expect(content()).toBe('')
  })

  it.each([0o600, 0o644, 0o755])('gives the file mode %o under any umask', (mode) => {
    const before = process.umask(0o077)
    replaceFile({ ...file(), mode })
    process.umask(before)
    expect(modeOf(path)).toBe(mode)
  })

  it('keeps the file unreadable for others until it has all its content', () => {
    let modeWhileWriting = 0
    const disk: Disk = {
      ...realDisk,
      writeSync: (...args) => {
        modeWhileWriting = realDisk.fstatSync(args[0]).mode & 0o777
        return realDisk.writeSync(...args)
      },
    }
    replaceFile({ ...file(), mode: 0o644 }, disk)
    expect(modeWhileWriting).toBe(0o600)
  })

  it('continues after a short write', () => {
    const one: Disk['writeSync'] = (descriptor, bytes, offset) => writeSync(descriptor, bytes, offset, 1)
    replaceFile(file(), { ...realDisk, writeSync: one })
    expect(content()).toBe(NEW)
  })

  it('syncs the file before it is renamed and the directory after', () => {
    const order: string[] = []
    const noting = (name: 'fsyncSync' | 'renameSync', note: (subject: string | number) => string) => ({
      [name]: (...args: [string & number, string]) => {
        order.push(note(args[0]))
        Reflect.apply(realDisk[name], realDisk, args)
      },
    })
    const kind = (descriptor: string | number) =>
      realDisk.fstatSync(Number(descriptor)).isDirectory() ? 'sync directory' : 'sync file'
    replaceFile(file(), { ...realDisk, ...noting('fsyncSync', kind), ...noting('renameSync', () => 'rename') })
    expect(order).toEqual(['sync file', 'rename', 'sync directory'])
  })

  it('refuses a directory', () => {
    mkdirSync(path)
    expect(() => replaceFile(file())).toThrow(
      expect.objectContaining({ code: 'file_not_regular', details: { path, kind: 'directory' } }),
    )
  })

  it('reports that nothing was written if the directory does not exist', () => {
    const missing = join(folder, 'no', 'file')
    expect(() => replaceFile({ ...file(), path: missing })).toThrow(
      expect.objectContaining({
        code: 'file_write_failed',
        message: `${missing} could not be written and is unchanged: no such file or directory (ENOENT); fix that and try again`,
      }),
    )
  })

  it('rethrows a programming error', () => {
    const mistake = new TypeError('not a system error')
    const disk: Disk = {
      ...realDisk,
      fsyncSync: () => {
        throw mistake
      },
    }
    expect(() => replaceFile(file(), disk)).toThrow(mistake)
    expect(readdirSync(folder)).toEqual([])
  })
})

describe('replaceFile at a symbolic link', () => {
  beforeEach(() => {
    mkdirSync(join(folder, 'dotfiles'))
    writeFileSync(join(folder, 'dotfiles', 'managed'), OLD)
    symlinkSync('dotfiles/managed', path)
  })

  it('refuses by default and changes neither link nor target', () => {
    expect(() => replaceFile(file())).toThrow(
      expect.objectContaining({ code: 'file_not_regular', details: { path, kind: 'symbolic link' } }),
    )
    expect(content()).toBe(OLD)
    expect(readlinkSync(path)).toBe('dotfiles/managed')
  })

  it('writes to the target if links are followed', () => {
    replaceFile({ ...file(), links: 'follow' })
    expect(readlinkSync(path)).toBe('dotfiles/managed')
    expect(readFileSync(join(folder, 'dotfiles', 'managed'), 'utf8')).toBe(NEW)
    expect(readdirSync(join(folder, 'dotfiles'))).toEqual(['managed'])
  })

  it('refuses a dangling link', () => {
    rmSync(join(folder, 'dotfiles', 'managed'))
    expect(() => replaceFile({ ...file(), links: 'follow' })).toThrow(
      expect.objectContaining({
        code: 'file_write_failed',
        details: expect.objectContaining({ commitment: 'not_committed' }),
      }),
    )
  })

  it('refuses a link to a directory', () => {
    rmSync(path)
    symlinkSync('dotfiles', path)
    expect(() => replaceFile({ ...file(), links: 'follow' })).toThrow(
      expect.objectContaining({ details: { path: realpathSync(join(folder, 'dotfiles')), kind: 'directory' } }),
    )
  })
})

describe('createFile', () => {
  it('creates a file and reports its durability', () => {
    expect(createFile({ ...file(), mode: 0o640 })).toEqual(DURABLE)
    expect(content()).toBe(NEW)
    expect(modeOf(path)).toBe(0o640)
    expect(readdirSync(folder)).toEqual(['config.yaml'])
  })

  it.each([
    ['file', () => writeFileSync(path, OLD)],
    ['link that leads nowhere', () => symlinkSync('nowhere', path)],
    ['directory', () => mkdirSync(path)],
  ])('never replaces a %s', (_, make) => {
    make()
    const before = lstatSync(path, { bigint: true })
    expect(() => createFile(file())).toThrow(expect.objectContaining({ code: 'file_exists', details: { path } }))
    expect(lstatSync(path, { bigint: true })).toEqual(before)
    expect(readdirSync(folder)).toEqual(['config.yaml'])
  })

  it('succeeds although its temporary name cannot be removed', () => {
    createFile(file(), failing({ operation: 'unlinkSync', call: 1, code: 'EIO' }))
    expect(content()).toBe(NEW)
    expect(readdirSync(folder)).toHaveLength(2)
  })
})

const openDescriptors = () => readdirSync('/dev/fd').length

describe('a write that fails', () => {
  it.each<[string, Failure]>([
    ['the directory cannot be opened', { operation: 'openSync', call: 1, code: 'EACCES' }],
    ['no temporary file can be made', { operation: 'openSync', call: 2, code: 'EROFS' }],
    ['the disk is full', { operation: 'writeSync', call: 1, code: 'ENOSPC' }],
    ['the mode cannot be set', { operation: 'fchmodSync', call: 1, code: 'EPERM' }],
    ['the file cannot be synced', { operation: 'fsyncSync', call: 1, code: 'EIO' }],
    ['closing the file reports a lost write', { operation: 'closeSync', call: 1, code: 'EIO', done: true }],
    ['renaming is refused', { operation: 'renameSync', call: 1, code: 'EACCES' }],
    ['renaming crosses a border of file systems', { operation: 'renameSync', call: 1, code: 'EXDEV' }],
  ])('keeps the old content and leaves no file when %s', (_, failure) => {
    writeFileSync(path, OLD, { mode: 0o640 })
    const before = { file: lstatSync(path, { bigint: true }), descriptors: openDescriptors() }
    expect(() => replaceFile(file(), failing(failure))).toThrow(
      expect.objectContaining({
        code: 'file_write_failed',
        details: { path, commitment: 'not_committed', reason: expect.stringContaining(`(${failure.code})`) },
      }),
    )
    expect({ file: lstatSync(path, { bigint: true }), descriptors: openDescriptors() }).toEqual(before)
    expect(content()).toBe(OLD)
    expect(readdirSync(folder)).toEqual(['config.yaml'])
  })

  it.each<[string, Failure]>([
    ['the directory cannot be synced', { operation: 'fsyncSync', call: 2, code: 'EIO' }],
    ['renaming is done and yet reports an error', { operation: 'renameSync', call: 1, code: 'EIO', done: true }],
  ])('reports that the new content may be in place when %s', (_, failure) => {
    writeFileSync(path, OLD)
    expect(() => replaceFile(file(), failing(failure))).toThrow(
      expect.objectContaining({
        code: 'file_write_failed',
        details: { path, commitment: 'ambiguous', reason: 'i/o error (EIO)' },
      }),
    )
    expect(content()).toBe(NEW)
    expect(readdirSync(folder)).toEqual(['config.yaml'])
  })

  it('reports that the new content may be in place even if it was replaced since', () => {
    let syncs = 0
    const fsyncSync = (descriptor: number) => {
      syncs += 1
      if (syncs === 1) return realDisk.fsyncSync(descriptor)
      writeFileSync(`${path}.other`, 'by another process')
      renameSync(`${path}.other`, path)
      throw Object.assign(new Error('EIO'), { code: 'EIO', errno: -constants.errno.EIO })
    }
    expect(() => replaceFile(file(), { ...realDisk, fsyncSync })).toThrow(
      expect.objectContaining({ details: { path, commitment: 'ambiguous', reason: 'i/o error (EIO)' } }),
    )
  })

  it.each(['EPERM', 'ENOSYS', 'EOPNOTSUPP'] as const)('creates nothing without hard links, and says so: %s', (code) => {
    const reason = expect.stringMatching(
      new RegExp(`\\(${code}\\), probably because the file system has no hard links, which drover needs there$`),
    )
    expect(() => createFile(file(), failing({ operation: 'linkSync', call: 1, code }))).toThrow(
      expect.objectContaining({
        code: 'file_write_failed',
        details: { path, commitment: 'not_committed', reason },
      }),
    )
    expect(readdirSync(folder)).toEqual([])
  })

  it('succeeds if directories cannot be synced, and reports that', () => {
    expect(replaceFile(file(), failing({ operation: 'fsyncSync', call: 2, code: 'EINVAL' }))).toEqual({
      level: 'file_fsync_only',
      file_sync: true,
      directory_sync: false,
      limitation: 'directory_fsync_unsupported',
    })
  })
})

describe('a writer that is killed', () => {
  const program = join(import.meta.dirname, '../../../test/programs/write-and-die.ts')

  /** Runs a writer that dies right after the given call, and gives the temporary files it leaves. */
  function writeAndDie(
    verb: 'create' | 'replace',
    { operation, call }: { operation: keyof Disk; call: number },
  ): string[] {
    const died = spawnSync(process.execPath, [program, verb, path, NEW, operation, String(call)], { encoding: 'utf8' })
    expect(died).toMatchObject({ signal: 'SIGKILL', stderr: '' })
    return readdirSync(folder).filter((name) => name !== 'config.yaml')
  }

  it.each<[string, keyof Disk, number, { content: string; leftovers: number }]>([
    ['opening the directory', 'openSync', 1, { content: OLD, leftovers: 0 }],
    ['making the temporary file', 'openSync', 2, { content: OLD, leftovers: 1 }],
    ['writing half of it', 'writeSync', 1, { content: OLD, leftovers: 1 }],
    ['writing all of it', 'writeSync', 2, { content: OLD, leftovers: 1 }],
    ['setting its mode', 'fchmodSync', 1, { content: OLD, leftovers: 1 }],
    ['syncing it', 'fsyncSync', 1, { content: OLD, leftovers: 1 }],
    ['closing it', 'closeSync', 1, { content: OLD, leftovers: 1 }],
    ['renaming it', 'renameSync', 1, { content: NEW, leftovers: 0 }],
    ['syncing the directory', 'fsyncSync', 2, { content: NEW, leftovers: 0 }],
    ['closing the directory', 'closeSync', 2, { content: NEW, leftovers: 0 }],
  ])(
    'right after %s leaves the old or the new content, and the next write tidies up',
    (_, operation, call, expected) => {
      writeFileSync(path, OLD)
      expect(writeAndDie('replace', { operation, call })).toHaveLength(expected.leftovers)
      expect(content()).toBe(expected.content)

      replaceFile({ ...file(), bytes: Buffer.from('next') })
      expect(content()).toBe('next')
      expect(readdirSync(folder)).toEqual(['config.yaml'])
    },
  )

  it.each<[string, keyof Disk, number, { content: string | undefined; leftovers: number }]>([
    ['writing half of it', 'writeSync', 1, { content: undefined, leftovers: 1 }],
    ['closing it', 'closeSync', 1, { content: undefined, leftovers: 1 }],
    ['giving it its name', 'linkSync', 1, { content: NEW, leftovers: 1 }],
    ['taking its temporary name away', 'unlinkSync', 1, { content: NEW, leftovers: 0 }],
    ['syncing the directory', 'fsyncSync', 2, { content: NEW, leftovers: 0 }],
  ])('right after %s leaves a complete new file or none', (_, operation, call, expected) => {
    expect(writeAndDie('create', { operation, call })).toHaveLength(expected.leftovers)
    expect(existsSync(path) ? content() : undefined).toBe(expected.content)

    replaceFile({ ...file(), bytes: Buffer.from('next') })
    expect(readdirSync(folder)).toEqual(['config.yaml'])
  })
})

const FULL = { level: 'file_and_directory_fsync', file_sync: true, directory_sync: true }
const LIMITED = {
  level: 'file_fsync_only',
  file_sync: true,
  directory_sync: false,
  limitation: 'directory_fsync_unsupported',
}

/** A disk that counts what it is asked, and on which one call of an operation fails. */
function watched(failure?: { operation: keyof Disk; call: number; code: keyof typeof constants.errno }) {
  const calls: string[] = []
  const watch = (operation: keyof Disk) => {
    return (...args: unknown[]) => {
      calls.push(operation)
      const isThis =
        operation === failure?.operation && calls.filter((each) => each === operation).length === failure.call
      if (!isThis) return Reflect.apply(realDisk[operation], realDisk, args)
      throw Object.assign(new Error('as the test wants'), { code: failure.code, errno: -constants.errno[failure.code] })
    }
  }
  const operations = Object.keys(realDisk).filter((name) => name.endsWith('Sync')) as (keyof Disk)[]
  const disk = Object.fromEntries(operations.map((operation) => [operation, watch(operation)])) as unknown as Disk
  return { calls, disk }
}

describe('probeDurability', () => {
  it('writes, syncs the file and the directory, and leaves nothing behind', () => {
    const directory = temporaryDirectory()
    const { calls, disk } = watched()
    expect(probeDurability(directory, disk)).toEqual(FULL)
    expect(calls).toEqual([
      'openSync',
      'openSync',
      'writeSync',
      'fchmodSync',
      'fsyncSync',
      'fstatSync',
      'closeSync',
      'fsyncSync',
      'unlinkSync',
      'fsyncSync',
      'closeSync',
    ])
    expect(readdirSync(directory)).toEqual([])
  })

  it('reports that a directory cannot be synced', () => {
    const directory = temporaryDirectory()
    const { disk } = watched({ operation: 'fsyncSync', call: 2, code: 'EINVAL' })
    expect(probeDurability(directory, disk)).toEqual(LIMITED)
    expect(readdirSync(directory)).toEqual([])
  })

  it.each([
    ['openSync', 1, 'EACCES'],
    ['openSync', 2, 'EROFS'],
    ['writeSync', 1, 'ENOSPC'],
    ['fsyncSync', 1, 'EIO'],
    ['fsyncSync', 2, 'EIO'],
    ['unlinkSync', 1, 'EPERM'],
    ['fsyncSync', 3, 'EIO'],
  ] as const)('throws when %s fails at call %d with %s, and leaves nothing behind', (operation, call, code) => {
    const directory = temporaryDirectory()
    const { calls, disk } = watched({ operation, call, code })
    expect(() => probeDurability(directory, disk)).toThrow(new RegExp(`${directory}.*\\(${code}\\)`))
    expect(readdirSync(directory)).toEqual([])
    const [opened, closed] = ['openSync', 'closeSync'].map((name) => calls.filter((each) => each === name).length)
    expect(closed).toBe(Number(opened) - (operation === 'openSync' ? 1 : 0))
  })

  it('throws if there is no directory', () => {
    expect(() => probeDurability(join(temporaryDirectory(), 'none'))).toThrow('ENOENT')
  })
})
