import { readdirSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../../../test/support/run-drover.ts'
import { type Disk, realDisk } from './disk.ts'
import { probeDurability } from './probe-durability.ts'

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
