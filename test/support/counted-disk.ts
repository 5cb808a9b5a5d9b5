/** Disks that fail at the n-th call, so that a test can try every point of an operation. */
import { writeSync } from 'node:fs'
import { constants } from 'node:os'
import { basename } from 'node:path'
import { type Disk, realDisk } from '../../src/kit/files/disk.ts'

type Operation = keyof Disk

/** One call to the disk and its file. */
export type DiskCall = { readonly operation: Operation; readonly file: string }

const CHANGES: readonly Operation[] = [
  'mkdirSync',
  'openSync',
  'writeSync',
  'fchmodSync',
  'fsyncSync',
  'ftruncateSync',
  'linkSync',
  'unlinkSync',
  'renameSync',
]

/** Whether a call can change the disk. Dying before any other call equals dying after the previous change. */
export const isChange = ({ operation }: DiskCall): boolean => CHANGES.includes(operation)

/** Does not sync, which takes most of the time and matters only for a power failure. */
export const hastyDisk: Disk = { ...realDisk, fsyncSync: () => undefined }

/** Writes in two halves, so that there is a moment with a half-written file. */
const halving: Disk = {
  ...hastyDisk,
  writeSync: (descriptor, bytes, offset) => {
    const left = bytes.length - offset
    return writeSync(descriptor, bytes, offset, offset === 0 && left > 1 ? left >> 1 : left)
  },
}

type Around = (call: DiskCall, perform: () => unknown) => unknown

/** A disk whose calls all go through `around`, which may perform them or not. */
export function diskWith(around: Around): Disk {
  const files = new Map<number, string>()
  const through =
    (operation: Operation) =>
    (...args: unknown[]) => {
      const [subject] = args
      const file = typeof subject === 'number' ? (files.get(subject) ?? '?') : basename(String(subject))
      const perform = () => {
        const result = Reflect.apply(halving[operation], halving, args)
        if (operation === 'openSync') files.set(Number(result), file)
        return result
      }
      return around({ operation, file: withoutRandomness(file) }, perform)
    }
  const operations = Object.keys(realDisk).filter((name) => name.endsWith('Sync')) as Operation[]
  return Object.fromEntries(operations.map((name) => [name, through(name)])) as unknown as Disk
}

const withoutRandomness = (file: string) =>
  file.replace(/^\.drover-tmp-.*$/, 'temporary').replace(/^[0-9a-f]{64}$/, 'text')

/** A disk that records all calls. */
export function recordingDisk(): { disk: Disk; calls: DiskCall[] } {
  const calls: DiskCall[] = []
  const disk = diskWith((call, perform) => {
    calls.push(call)
    return perform()
  })
  return { disk, calls }
}

export type Failure = {
  /** Which call fails, counted from 1. */
  readonly call: number
  readonly code: 'EIO' | 'ENOSPC'
  /** `once`; `after`: the call succeeds but reports an error; `lasting`: all later calls fail too. */
  readonly how: 'once' | 'after' | 'lasting'
}

/** A disk on which calls fail, except closing and stat. */
export function failingDisk({ call: failing, code, how }: Failure): Disk {
  let count = 0
  return diskWith((call, perform) => {
    count += 1
    const fails = count === failing || (how === 'lasting' && count > failing && isChange(call))
    if (!fails) return perform()
    if (how === 'after') perform()
    throw Object.assign(new Error(`${code}, as the test wants`), { code, errno: -constants.errno[code] })
  })
}

/** A disk that kills this process before the n-th call that could change anything. */
export function killingDisk(point: number): Disk {
  let count = 0
  return diskWith((call, perform) => {
    if (isChange(call)) count += 1
    if (isChange(call) && count === point) process.kill(process.pid, 'SIGKILL')
    return perform()
  })
}
