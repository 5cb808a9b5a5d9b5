/**
 * Loaded into a program by `--import`: a call of node:fs on a file of this name fails as a broken disk makes it fail, from
 * the start or once another call on the file has worked. See test/support/failing-disk.ts for what stands in DISK_FAILURE.
 */
import fs, { readlinkSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { constants } from 'node:os'
import { basename } from 'node:path'
import type { DiskFailure } from '../support/failing-disk.ts'

const { call, on, after } = JSON.parse(process.env['DISK_FAILURE'] ?? '{}') as DiskFailure
let isBroken = after === undefined

/** What a call is about is named by its path, or by a descriptor. */
const nameOf = (about: unknown) =>
  basename(typeof about === 'number' ? readlinkSync(`/proc/self/fd/${about}`) : `${about}`)

const brokenDisk = (syscall: string) =>
  Object.assign(new Error(`EIO: i/o error, ${syscall}`), { errno: -constants.errno.EIO, code: 'EIO', syscall })

for (const name of [call, after].filter((each) => each !== undefined)) {
  const original = fs[name] as (...args: unknown[]) => unknown
  const wrapped = (...args: unknown[]) => {
    const isMeant = nameOf(args[0]) === on
    if (isMeant && isBroken && name === call) throw brokenDisk(name)
    const result = original(...args)
    if (isMeant && name === after) isBroken = true
    return result
  }
  Object.assign(fs, { [name]: wrapped })
}
syncBuiltinESMExports()
