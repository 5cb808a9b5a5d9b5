import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type Disk, realDisk } from './disk.ts'
import { decodeUtf8, readFileBytes, readFileText } from './read-file.ts'

let folder: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'drover-read-'))
  path = join(folder, 'goal.txt')
})
afterEach(() => rmSync(folder, { recursive: true }))

type Interference = { call?: number; before?: () => void; after?: () => void }

/** A disk on which another process acts just before or after a call of the reader. */
function diskWithInterference(operation: keyof Disk, { call = 1, before, after }: Interference): Disk {
  let calls = 0
  const interfering = (...args: unknown[]) => {
    calls += 1
    if (calls === call) before?.()
    const result = Reflect.apply(realDisk[operation], realDisk, args)
    if (calls === call) after?.()
    return result
  }
  return { ...realDisk, [operation]: interfering }
}

describe('readFileBytes', () => {
  it('returns the raw bytes', () => {
    writeFileSync(path, Buffer.from([0, 255, 10, 13]))
    expect(readFileBytes({ path, limitBytes: 100 })).toEqual(Buffer.from([0, 255, 10, 13]))
  })

  it('returns no bytes for an empty file', () => {
    writeFileSync(path, '')
    expect(readFileBytes({ path, limitBytes: 0 })).toEqual(Buffer.alloc(0))
  })

  it('reads a file of exactly the limit', () => {
    writeFileSync(path, '12345')
    expect(readFileBytes({ path, limitBytes: 5 }).toString()).toBe('12345')
  })

  it('refuses a file of one byte more than the limit', () => {
    writeFileSync(path, '123456')
    expect(() => readFileBytes({ path, limitBytes: 5 })).toThrow(
      expect.objectContaining({ code: 'file_too_large', details: { path, sizeBytes: 6, limitBytes: 5 } }),
    )
  })

  it('continues after a short read', () => {
    writeFileSync(path, 'abcdef')
    const readSync: Disk['readSync'] = (descriptor, bytes, offset) =>
      realDisk.readSync(descriptor, bytes, offset, 1, null)
    expect(readFileBytes({ path, limitBytes: 100 }, { ...realDisk, readSync }).toString()).toBe('abcdef')
  })

  it('reports a missing file', () => {
    expect(() => readFileBytes({ path, limitBytes: 1 })).toThrow(
      expect.objectContaining({ code: 'file_missing', message: `${path} does not exist; check the path` }),
    )
  })

  it('reports why the system refuses to read', () => {
    writeFileSync(path, 'x')
    expect(() => readFileBytes({ path: join(path, 'below'), limitBytes: 1 })).toThrow(
      expect.objectContaining({
        code: 'file_unreadable',
        message: `${join(path, 'below')} cannot be read: not a directory (ENOTDIR); fix that and try again`,
      }),
    )
  })

  it.each([
    ['symbolic link', () => symlinkSync(import.meta.filename, path)],
    ['directory', () => mkdirSync(path)],
    ['named pipe', () => execFileSync('mkfifo', [path])],
  ])('refuses a %s without opening it', (kind, make) => {
    make()
    const openSync = () => expect.fail('opened')
    expect(() => readFileBytes({ path, limitBytes: 1 }, { ...realDisk, openSync })).toThrow(
      expect.objectContaining({ code: 'file_not_regular', details: { path, kind } }),
    )
  })

  it('refuses a socket', async () => {
    const server = createServer().listen(path)
    onTestFinished(() => void server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    expect(() => readFileBytes({ path, limitBytes: 1 })).toThrow(
      expect.objectContaining({ code: 'file_not_regular', details: { path, kind: 'socket' } }),
    )
  })

  it('refuses a device', () => {
    expect(() => readFileBytes({ path: '/dev/null', limitBytes: 1 })).toThrow(
      expect.objectContaining({ code: 'file_not_regular', details: { path: '/dev/null', kind: 'device' } }),
    )
  })

  it('follows links in the directories above the file', () => {
    mkdirSync(join(folder, 'real'))
    writeFileSync(join(folder, 'real', 'file'), 'x')
    symlinkSync('real', join(folder, 'alias'))
    expect(readFileBytes({ path: join(folder, 'alias', 'file'), limitBytes: 1 }).toString()).toBe('x')
  })

  it('leaves no descriptor open', () => {
    writeFileSync(path, 'x')
    let open = 0
    const disk: Disk = {
      ...realDisk,
      openSync: (...args) => {
        open += 1
        return realDisk.openSync(...args)
      },
      closeSync: (descriptor) => {
        open -= 1
        realDisk.closeSync(descriptor)
      },
    }
    readFileBytes({ path, limitBytes: 1 }, disk)
    expect(() => readFileBytes({ path, limitBytes: 0 }, disk)).toThrow()
    expect(open).toBe(0)
  })
})

describe('readFileBytes with links: follow', () => {
  it('reads the target of a link', () => {
    writeFileSync(join(folder, 'managed'), 'x')
    symlinkSync('managed', path)
    expect(readFileBytes({ path, limitBytes: 1, links: 'follow' }).toString()).toBe('x')
  })

  it('reports a missing target of a link', () => {
    symlinkSync('nowhere', path)
    expect(() => readFileBytes({ path, limitBytes: 1, links: 'follow' })).toThrow(
      expect.objectContaining({ code: 'file_missing' }),
    )
  })

  it('refuses a link to a directory', () => {
    symlinkSync('.', path)
    expect(() => readFileBytes({ path, limitBytes: 1, links: 'follow' })).toThrow(
      expect.objectContaining({ code: 'file_not_regular', details: { path, kind: 'directory' } }),
    )
  })
})

describe('readFileBytes during a concurrent change', () => {
  const replace = () => {
    writeFileSync(`${path}.other`, 'other')
    renameSync(`${path}.other`, path)
  }
  const replaceByItsLike = () => {
    writeFileSync(`${path}.other`, 'other')
    utimesSync(`${path}.other`, 0, 0)
    renameSync(`${path}.other`, path)
  }
  const restore = () => {
    writeFileSync(path, 'bytes')
    utimesSync(path, 0, 0)
  }
  const growSecretly = () => {
    appendFileSync(path, '+')
    utimesSync(path, 0, 0)
  }
  const swapFor = (make: () => void) => () => {
    unlinkSync(path)
    make()
  }

  it.each<[string, keyof Disk, Interference]>([
    ['is removed before it is opened', 'openSync', { before: () => unlinkSync(path) }],
    ['is replaced before it is opened', 'openSync', { before: replace }],
    [
      'becomes a link before it is opened',
      'openSync',
      { before: swapFor(() => symlinkSync(import.meta.filename, path)) },
    ],
    ['becomes a pipe before it is opened', 'openSync', { before: swapFor(() => execFileSync('mkfifo', [path])) }],
    ['becomes a directory before it is opened', 'openSync', { before: swapFor(() => mkdirSync(path)) }],
    ['grows before it is read', 'readSync', { before: () => appendFileSync(path, '+') }],
    ['grows after it is read', 'readSync', { after: () => appendFileSync(path, '+') }],
    ['shrinks before it is read', 'readSync', { before: () => truncateSync(path, 1) }],
    ['is rewritten in place with as many bytes', 'readSync', { after: () => writeFileSync(path, 'stuff') }],
    ['is replaced while it is read', 'readSync', { after: replace }],
    ['grows after its end was read, within a tick of the clock', 'readSync', { call: 2, after: growSecretly }],
    ['is longer only while it is read', 'readSync', { before: () => appendFileSync(path, '+'), after: restore }],
    ['is replaced by one of its size and time', 'readSync', { after: replaceByItsLike }],
    ['is removed while it is read', 'readSync', { after: () => unlinkSync(path) }],
  ])('refuses a file that %s', (_, operation, interference) => {
    writeFileSync(path, 'bytes')
    utimesSync(path, 0, 0) // some clocks of file systems tick only every few milliseconds
    expect(() => readFileBytes({ path, limitBytes: 100 }, diskWithInterference(operation, interference))).toThrow(
      expect.objectContaining({ code: 'file_changed' }),
    )
  })

  it('refuses a pipe with the size, time and perhaps inode of the empty file it replaces', () => {
    writeFileSync(path, '')
    utimesSync(path, 0, 0)
    const swap = swapFor(() => {
      execFileSync('mkfifo', [path])
      utimesSync(path, 0, 0)
    })
    expect(() => readFileBytes({ path, limitBytes: 100 }, diskWithInterference('openSync', { before: swap }))).toThrow(
      expect.objectContaining({ code: 'file_changed' }),
    )
  })

  it('never opens a link that replaces the file', () => {
    writeFileSync(path, 'bytes')
    const swap = swapFor(() => symlinkSync(import.meta.filename, path))
    expect(() => readFileBytes({ path, limitBytes: 100 }, diskWithInterference('openSync', { before: swap }))).toThrow(
      expect.objectContaining({ cause: expect.objectContaining({ code: 'ELOOP' }) }),
    )
  })
})

describe('readFileText', () => {
  it('decodes UTF-8 and keeps a byte order mark', () => {
    writeFileSync(path, '\ufeffgrüße 🐑')
    expect(readFileText({ path, limitBytes: 100 })).toBe('\ufeffgrüße 🐑')
  })

  it('refuses bytes that are not UTF-8 and names the file', () => {
    writeFileSync(path, Buffer.from([0x61, 0xff]))
    expect(() => readFileText({ path, limitBytes: 100 })).toThrow(
      expect.objectContaining({ code: 'text_not_utf8', details: { source: path } }),
    )
  })
})

describe('decodeUtf8', () => {
  it.each([
    ['a cut sequence', [0xe2, 0x82]],
    ['an overlong form', [0xc0, 0xaf]],
    ['an encoded surrogate', [0xed, 0xa0, 0x80]],
  ])('refuses %s', (_, bytes) => {
    expect(() => decodeUtf8({ bytes: Buffer.from(bytes), source: 'standard input' })).toThrow(
      'standard input is not UTF-8 text; save it as UTF-8',
    )
  })
})
