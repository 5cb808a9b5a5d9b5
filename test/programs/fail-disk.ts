/**
 * Loaded into a program by `--import`: a call of node:fs on a file of this name fails with EIO, from the start or once
 * another call on the file has worked. DISK_FAILURE has the options of test/support/failing-disk.ts.
 */
import fs, { readlinkSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { constants } from 'node:os'
import { basename } from 'node:path'
import type { DiskFailure } from '../support/failing-disk.ts'

const { call, on, after } = JSON.parse(process.env['DISK_FAILURE'] ?? '{}') as DiskFailure
let isBroken = after === undefined

/** The file that a call is about is given by its path or by a descriptor. */
const nameOf = (file: unknown) => basename(typeof file === 'number' ? readlinkSync(`/proc/self/fd/${file}`) : `${file}`)

const brokenDisk = (syscall: string) =>
  Object.assign(new Error(`EIO: i/o error, ${syscall}`), { errno: -constants.errno.EIO, code: 'EIO', syscall })

for (const name of [call, after].filter((each) => each !== undefined)) {
  const original = fs[name] as (...args: unknown[]) => unknown
  const wrapped = (...args: unknown[]) => {
    const isTarget = nameOf(args[0]) === on
    if (isTarget && isBroken && name === call) throw brokenDisk(name)
    const result = original(...args)
    if (isTarget && name === after) isBroken = true
    return result
  }
  Object.assign(fs, { [name]: wrapped })
}
syncBuiltinESMExports()
