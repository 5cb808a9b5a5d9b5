import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { temporaryDirectory } from '../../test/support/run-drover.ts'
import { SHARED_DIRECTORY, unprivileged } from '../../test/support/unprivileged.ts'
import type { PathObservation } from '../contract/git-observation.shape.ts'
import { digest } from '../kit/digest.ts'
import { createPathReader, observePath } from './observe-path.ts'
import { ContentBudget, type ContentLimits, type PathDisk } from './read-content.ts'

const MIB = 1024 * 1024
const ZEROES = 'sha256:50dc74fb3d7d761f6287bb951152a4c7cfdb068879d2631a976241ebe198bcbf'
/** A moment that a number cannot hold: 2^53 ns were over in April 1970. */
const MODIFIED = 1_700_000_000_123_456_789n
const SUBJECT = { path: 'text', category: 'untracked', state: '??' }

let root: string

beforeEach(() => {
  root = temporaryDirectory()
})

function write(name: string, content: string | Buffer = 'hello\n'): string {
  const place = join(root, name)
  fs.mkdirSync(dirname(place), { recursive: true })
  fs.writeFileSync(place, content)
  execFileSync('touch', ['--date=@1700000000.123456789', place])
  return place
}

type Around = { limits?: ContentLimits; disk?: Partial<PathDisk>; now?: () => number }

function observe(name: string, { limits, disk, now }: Around = {}) {
  const budget = new ContentBudget(limits, now)
  const reader = createPathReader({ root, budget, disk: { ...fs, ...disk } })
  const bytes = Buffer.from(name).toString('latin1')
  const observation = observePath({ ...SUBJECT, bytes }, reader)
  expect(observation).toMatchObject(SUBJECT)
  const { path, category, state, ...seen } = observation
  return { seen: seen satisfies Partial<PathObservation>, budget }
}

const regular = {
  observation: 'regular',
  size: 6,
  modified_unix_nano: MODIFIED,
  content_sha256: digest('hello\n'),
  content_fingerprint_kind: 'full_sha256',
}
const unobserved = { observation: 'content_unobserved', size: 6, modified_unix_nano: MODIFIED }
const unreadable = { observation: 'unreadable', size: 6 }

describe('observePath', () => {
  it('reads a regular file', () => {
    write('a/b/file')
    const { seen, budget } = observe('a/b/file')
    expect(seen).toEqual(regular)
    expect(budget.hashedBytes).toBe(6)
  })

  it('reads an empty file', () => {
    write('file', '')
    expect(observe('file').seen).toEqual({ ...regular, size: 0, content_sha256: digest('') })
  })

  it.each([
    ['spaces', ' a  b '],
    ['line ends', 'a\nb\r'],
    ['quotes and backslashes', '"a\\b"'],
    ['letters of other alphabets', 'für/日本/😀'],
  ])('reads a file with %s in its name', (_what, name) => {
    write(name)
    expect(observe(name).seen).toEqual(regular)
  })

  it('reads a file whose name is not UTF-8', () => {
    const name = Buffer.from('caf\xe9/na\xefve', 'latin1')
    fs.mkdirSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from('caf\xe9', 'latin1')]))
    fs.writeFileSync(Buffer.concat([Buffer.from(`${root}/`), name]), 'hello\n')
    const reader = createPathReader({ root, budget: new ContentBudget() })
    expect(observePath({ ...SUBJECT, bytes: 'caf\xe9/na\xefve' }, reader)).toMatchObject({
      observation: 'regular',
      content_sha256: regular.content_sha256,
    })
  })

  it('returns a time as a number if a number can hold it', () => {
    const place = write('file')
    fs.utimesSync(place, 1, 1)
    expect(observe('file').seen).toEqual({ ...regular, modified_unix_nano: 1_000_000_000 })
    execFileSync('touch', ['--date=@-1', place])
    expect(observe('file').seen).toEqual({ ...regular, modified_unix_nano: -1_000_000_000 })
  })

  it('reads a file of 16 MiB completely, and only samples of a larger one', () => {
    write('whole', Buffer.alloc(16 * MIB))
    write('sampled', Buffer.alloc(16 * MIB + 1))
    const whole = observe('whole')
    expect(whole.seen).toEqual({ ...regular, size: 16 * MIB, content_sha256: digest(Buffer.alloc(16 * MIB)) })
    expect(whole.budget.hashedBytes).toBe(16 * MIB)
    const sampled = observe('sampled')
    expect(sampled.seen).toMatchObject({
      observation: 'oversize_sampled',
      size: 16 * MIB + 1,
      modified_unix_nano: MODIFIED,
    })
    expect(sampled.budget.hashedBytes).toBe(3 * 65_536)
  })

  it('identifies a huge file by its size, start, middle and end', () => {
    const size = 17 * MIB
    const place = write('huge', Buffer.alloc(size))
    const content = () => observe('huge').seen.content_sha256
    expect(observe('huge').seen).toEqual({
      observation: 'oversize_sampled',
      size,
      modified_unix_nano: MODIFIED,
      content_sha256: ZEROES,
      content_fingerprint_kind: 'oversize_samples_v1',
    })
    const poke = (at: number) => {
      const descriptor = fs.openSync(place, 'r+')
      fs.writeSync(descriptor, 'x', at)
      const changed = content()
      fs.writeSync(descriptor, '\0', at)
      fs.closeSync(descriptor)
      expect(content()).toBe(ZEROES)
      return changed !== ZEROES
    }
    const [middle, end] = [8_880_128, 17_760_256]
    expect([0, 65_535, middle, middle + 65_535, end, end + 65_535].map(poke)).toEqual(Array(6).fill(true))
    expect([65_536, middle - 1, middle + 65_536, end - 1].map(poke)).toEqual(Array(4).fill(false))
  })

  it('rounds the middle of an odd size down', () => {
    const place = write('odd', Buffer.alloc(17 * MIB + 1))
    const before = observe('odd').seen.content_sha256
    const descriptor = fs.openSync(place, 'r+')
    fs.writeSync(descriptor, 'x', 8_880_128)
    fs.closeSync(descriptor)
    expect(observe('odd').seen.content_sha256).not.toBe(before)
  })

  it.each([
    ['to a file', 'target'],
    ['to nowhere', 'nonexistent/für'],
    ['to itself', 'link'],
  ])('reads the target of a link %s, not the file it points to', (_what, target) => {
    write('target')
    fs.symlinkSync(target, join(root, 'link'))
    const { seen, budget } = observe('link')
    expect(seen).toEqual({
      observation: 'symlink',
      size: Buffer.byteLength(target),
      content_sha256: digest(target),
      content_fingerprint_kind: 'symlink_target_sha256',
    })
    expect(budget.hashedBytes).toBe(0)
  })

  it('reports a missing file if it, or its folder, is missing or its folder is a file', () => {
    write('file')
    for (const name of ['none', 'no/such/folder', 'file/below', 'file/far/below']) {
      expect(observe(name).seen).toEqual({ observation: 'missing' })
    }
  })

  it('does not follow a link that replaces a folder, wherever it points', () => {
    const elsewhere = temporaryDirectory()
    fs.mkdirSync(join(elsewhere, 'deep'))
    fs.writeFileSync(join(elsewhere, 'secret'), 'secret')
    fs.writeFileSync(join(elsewhere, 'deep/secret'), 'secret')
    fs.symlinkSync(elsewhere, join(root, 'folder'))
    expect(observe('folder/secret').seen).toEqual({ observation: 'missing' })
    expect(observe('folder/deep/secret').seen).toEqual({ observation: 'missing' })
  })

  it.each([
    ['folder', (place: string) => fs.mkdirSync(place)],
    ['named pipe', (place: string) => execFileSync('mkfifo', [place])],
  ])('reports a %s without opening it', (_what, make) => {
    make(join(root, 'thing'))
    const openSync = () => expect.fail('opened')
    const { size } = fs.lstatSync(join(root, 'thing'))
    expect(observe('thing', { disk: { openSync } }).seen).toEqual({ observation: 'non_regular', size })
  })

  it('sees a socket', async () => {
    const server = createServer().listen(join(root, 'socket'))
    onTestFinished(() => void server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    expect(observe('socket').seen).toEqual({ observation: 'non_regular', size: 0 })
  })

  it('reports a nested repository, which git marks with a slash', () => {
    fs.mkdirSync(join(root, 'inner'))
    expect(observe('inner/').seen).toMatchObject({ observation: 'non_regular' })
    write('target')
    fs.symlinkSync('target', join(root, 'link'))
    expect(observe('link/').seen).toMatchObject({ observation: 'symlink' })
  })
})

describe('observePath of a path that cannot be read', () => {
  const denied = () => {
    throw Object.assign(new Error('denied'), { code: 'EACCES' })
  }

  it('keeps the size when opening is refused', () => {
    write('file')
    const { seen, budget } = observe('file', { disk: { openSync: denied } })
    expect(seen).toEqual(unreadable)
    expect(budget.hashedBytes).toBe(0)
  })

  it('keeps the size when reading fails, and closes the file', () => {
    write('file')
    const closed: number[] = []
    const closeSync = (descriptor: number) => {
      closed.push(descriptor)
      fs.closeSync(descriptor)
    }
    expect(observe('file', { disk: { readSync: denied, closeSync } }).seen).toEqual(unreadable)
    expect(closed).toHaveLength(1)
  })

  it('keeps the size of a link that cannot be read', () => {
    fs.symlinkSync('target', join(root, 'link'))
    expect(observe('link', { disk: { readlinkSync: denied as never } }).seen).toEqual(unreadable)
  })

  it('returns no details of a path that cannot be inspected', () => {
    write('folder/file')
    expect(observe('folder/file', { disk: { lstatSync: denied as never } }).seen).toEqual({ observation: 'unreadable' })
  })

  it('rethrows an error that is a bug', () => {
    write('file')
    const openSync = () => {
      throw new TypeError('a bug')
    }
    expect(() => observe('file', { disk: { openSync } })).toThrow(TypeError)
  })

  it.skipIf(SHARED_DIRECTORY === undefined)('reports what a user without permission gets', async () => {
    root = fs.mkdtempSync(join(SHARED_DIRECTORY ?? '', 'drover-test-'))
    onTestFinished(() => fs.rmSync(root, { recursive: true }))
    fs.chmodSync(root, 0o755)
    fs.chmodSync(write('file'), 0)
    fs.chmodSync(dirname(write('closed/file')), 0)
    await unprivileged(() => {
      expect(observe('file').seen).toEqual(unreadable)
      expect(observe('closed/file').seen).toEqual({ observation: 'unreadable' })
    })
    fs.chmodSync(join(root, 'closed'), 0o755)
  })
})

describe('observePath of a path that changes meanwhile', () => {
  type Meddling = { at: 'openSync' | 'fstatSync' | 'readSync'; when?: 'before' | 'after'; act: (place: string) => void }

  /** A disk on which another process does something just before or after a step. */
  function meddled({ at, when = 'after', act }: Meddling): Partial<PathDisk> {
    const place = join(root, 'file')
    const disk: PathDisk = fs
    const meddling = (...args: unknown[]) => {
      if (when === 'before') act(place)
      const result = Reflect.apply(disk[at], disk, args)
      if (when === 'after') act(place)
      return result
    }
    return { [at]: meddling }
  }
  const replace = (place: string) => {
    fs.renameSync(place, `${place}.old`)
    fs.writeFileSync(place, 'hello\n')
    execFileSync('touch', [`--reference=${place}.old`, place])
  }
  const cases: readonly (readonly [string, Meddling])[] = [
    ['replaced before it is opened', { at: 'openSync', when: 'before', act: replace }],
    ['grows before it is opened', { at: 'openSync', when: 'before', act: (place) => fs.appendFileSync(place, 'x') }],
    ['written to after it was opened', { at: 'openSync', act: (place) => fs.writeFileSync(place, 'HELLO\n') }],
    ['replaced while it is read', { at: 'readSync', act: replace }],
    ['removed while it is read', { at: 'readSync', act: (place) => fs.unlinkSync(place) }],
    ['grows while it is read', { at: 'readSync', act: (place) => fs.appendFileSync(place, 'x') }],
    ['written to while it is read', { at: 'readSync', act: (place) => fs.writeFileSync(place, 'HELLO\n') }],
    ['touched while it is read', { at: 'readSync', act: (place) => fs.utimesSync(place, 5, 5) }],
    ['shrinks before it is read', { at: 'fstatSync', act: (place) => fs.truncateSync(place, 1) }],
    [
      'made a named pipe before it is opened',
      {
        at: 'openSync',
        when: 'before',
        act: (place) => {
          fs.unlinkSync(place)
          execFileSync('mkfifo', [place])
        },
      },
    ],
  ]

  it.each(cases)('has no content of a file that is %s', (_what, meddling) => {
    write('file')
    const { seen, budget } = observe('file', { disk: meddled(meddling) })
    expect(seen).toEqual(unreadable)
    expect(budget.hashedBytes).toBe(0)
  })

  it('does not read through a link that replaces the file, even if it points to the same file', () => {
    write('file')
    const link = (place: string) => {
      fs.renameSync(place, `${place}.old`)
      fs.symlinkSync(`${place}.old`, place)
    }
    const reads: number[] = []
    const readSync = ((...args: Parameters<typeof fs.readSync>) => {
      reads.push(args[0])
      return fs.readSync(...args)
    }) as typeof fs.readSync
    const disk = { ...meddled({ at: 'openSync', when: 'before', act: link }), readSync }
    expect(observe('file', { disk }).seen).toEqual(unreadable)
    expect(reads).toEqual([])
  })
})

describe('observePath, within a budget', () => {
  it('reads exactly as many bytes as the budget allows', () => {
    write('file')
    expect(observe('file', { limits: { bytes: 6, ms: 5000 } }).seen).toEqual(regular)
    const { seen, budget } = observe('file', { limits: { bytes: 5, ms: 5000 } })
    expect(seen).toEqual(unobserved)
    expect(budget).toMatchObject({ wasTooSmall: true, wasTooShort: false, hashedBytes: 0 })
  })

  it('counts only samples of a huge file', () => {
    write('huge', Buffer.alloc(17 * MIB))
    expect(observe('huge', { limits: { bytes: 196_608, ms: 5000 } }).seen).toMatchObject({ content_sha256: ZEROES })
    expect(observe('huge', { limits: { bytes: 196_607, ms: 5000 } }).seen).toEqual({
      ...unobserved,
      size: 17 * MIB,
    })
  })

  it('does not open a file after the deadline', () => {
    write('file')
    const openSync = () => expect.fail('opened')
    const { seen, budget } = observe('file', { limits: { bytes: 6, ms: -1 }, disk: { openSync } })
    expect(seen).toEqual(unobserved)
    expect(budget).toMatchObject({ wasTooSmall: false, wasTooShort: true })
  })

  it('stops reading a slow file at the deadline', () => {
    write('slow', Buffer.alloc(3 * MIB))
    const clock = { ms: 0 }
    const readSync = ((...args: Parameters<typeof fs.readSync>) => {
      clock.ms += 3
      return fs.readSync(...args)
    }) as typeof fs.readSync
    const around = { disk: { readSync }, now: () => clock.ms }
    const { seen, budget } = observe('slow', { ...around, limits: { bytes: 4 * MIB, ms: 5 } })
    expect(seen).toEqual({ ...unobserved, size: 3 * MIB })
    expect(budget).toMatchObject({ wasTooShort: true, hashedBytes: 0 })
    expect(clock.ms).toBe(6)
  })

  it('continues after a short read', () => {
    write('file')
    const readSync = ((descriptor: number, bytes: Buffer, offset: number, _length: number, position: number) =>
      fs.readSync(descriptor, bytes, offset, 1, position)) as typeof fs.readSync
    expect(observe('file', { disk: { readSync } }).seen).toEqual(regular)
  })
})
