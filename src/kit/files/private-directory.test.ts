import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Disk, realDisk } from './disk.ts'
import { ensurePrivateDirectory } from './private-directory.ts'

let folder: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'drover-private-'))
  path = join(folder, 'drover')
})
afterEach(() => rmSync(folder, { recursive: true }))

const modeOf = (name: string) => lstatSync(name).mode & 0o777
const unusable = (problem: string, remedy = 'move it away or choose another directory') =>
  expect.objectContaining({
    code: 'directory_unusable',
    message: `${path} cannot be used as a private directory: ${problem}; ${remedy}`,
  })

describe('ensurePrivateDirectory', () => {
  it('creates a directory and its parents for this user only', () => {
    const deep = join(path, 'runs', 'one')
    ensurePrivateDirectory({ path: deep })
    expect([path, join(path, 'runs'), deep].map(modeOf)).toEqual([0o700, 0o700, 0o700])
  })

  it('does not change existing parents', () => {
    chmodSync(folder, 0o755)
    ensurePrivateDirectory({ path })
    expect(modeOf(folder)).toBe(0o755)
  })

  it.each([0o755, 0o770, 0o701])('removes the access of others to a directory of mode %o', (mode) => {
    mkdirSync(path)
    chmodSync(path, mode)
    ensurePrivateDirectory({ path })
    expect(modeOf(path)).toBe(0o700)
  })

  it('does not change a private directory or its content', () => {
    mkdirSync(path, { mode: 0o700 })
    writeFileSync(join(path, 'kept'), '')
    const before = lstatSync(path, { bigint: true })
    ensurePrivateDirectory({ path })
    expect(lstatSync(path, { bigint: true })).toEqual(before)
    expect(readdirSync(path)).toEqual(['kept'])
  })

  it('syncs each new directory and the one it is in', () => {
    const synced: string[] = []
    const opened = new Map<number, string>()
    const disk: Disk = {
      ...realDisk,
      openSync: (name, ...rest) => {
        const descriptor = realDisk.openSync(name, ...rest)
        opened.set(descriptor, String(name))
        return descriptor
      },
      fsyncSync: (descriptor) => {
        synced.push(opened.get(descriptor) ?? '')
        realDisk.fsyncSync(descriptor)
      },
    }
    ensurePrivateDirectory({ path: join(path, 'runs') }, disk)
    expect(synced).toEqual([path, folder, join(path, 'runs'), path])
    ensurePrivateDirectory({ path: join(path, 'runs') }, disk)
    expect(synced).toHaveLength(4)
  })

  it('accepts a directory that another process creates at the same time', () => {
    const mkdir = (name: string) => {
      mkdirSync(name)
      mkdirSync(name)
    }
    ensurePrivateDirectory({ path }, { ...realDisk, mkdirSync: mkdir as Disk['mkdirSync'] })
    expect(modeOf(path)).toBe(0o700)
  })

  it('refuses a file', () => {
    writeFileSync(path, '')
    expect(() => ensurePrivateDirectory({ path })).toThrow(unusable('it is a regular file'))
  })

  it('refuses a symbolic link and does not change its target', () => {
    mkdirSync(join(folder, 'real'))
    chmodSync(join(folder, 'real'), 0o755)
    symlinkSync('real', path)
    expect(() => ensurePrivateDirectory({ path })).toThrow(unusable('it is a symbolic link'))
    expect(modeOf(join(folder, 'real'))).toBe(0o755)
  })

  it('makes the target of a link private if links are followed', () => {
    mkdirSync(join(folder, 'real'))
    chmodSync(join(folder, 'real'), 0o755)
    symlinkSync('real', path)
    ensurePrivateDirectory({ path, links: 'follow' })
    expect(modeOf(join(folder, 'real'))).toBe(0o700)
  })

  it('refuses a directory that becomes a link after the check', () => {
    mkdirSync(join(folder, 'real'))
    mkdirSync(path)
    const openSync: Disk['openSync'] = (...args) => {
      rmSync(path, { recursive: true })
      symlinkSync('real', path)
      return realDisk.openSync(...args)
    }
    expect(() => ensurePrivateDirectory({ path }, { ...realDisk, openSync })).toThrow(
      expect.objectContaining({ code: 'directory_unusable' }),
    )
  })

  it('refuses a directory of another user and does not change it', () => {
    mkdirSync(path)
    chmodSync(path, 0o755)
    const foreign = (descriptor: number) => Object.assign(realDisk.fstatSync(descriptor), { uid: 123_456 })
    expect(() => ensurePrivateDirectory({ path }, { ...realDisk, fstatSync: foreign as Disk['fstatSync'] })).toThrow(
      unusable('it belongs to another user (uid 123456)'),
    )
    expect(modeOf(path)).toBe(0o755)
  })

  it('refuses a directory that all users share, such as /tmp, and does not change it', () => {
    mkdirSync(path)
    chmodSync(path, 0o1777)
    expect(() => ensurePrivateDirectory({ path })).toThrow(unusable('all users share it; use a directory of your own'))
    expect(lstatSync(path).mode & 0o7777).toBe(0o1777)
  })

  it('reports why the system refuses to create the directory', () => {
    const mkdir = () => {
      throw Object.assign(new Error(), { code: 'EROFS', errno: -constants.errno.EROFS })
    }
    expect(() => ensurePrivateDirectory({ path }, { ...realDisk, mkdirSync: mkdir as Disk['mkdirSync'] })).toThrow(
      unusable('read-only file system (EROFS)', 'fix that or choose another directory'),
    )
  })
})
