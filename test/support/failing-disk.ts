import { existsSync } from 'node:fs'
import { program } from './test-command.ts'

export type DiskFailure = {
  /** The call that fails. */
  call: 'fsyncSync' | 'fstatSync' | 'openSync'
  /** The name of the file on which it fails. */
  on: string
  /** The call that has to work on that file before. */
  after?: 'fsyncSync'
}

/** Only where /proc tells the file of a descriptor. */
export const canFailDisk = existsSync('/proc/self/fd')

/** An environment in which an unchanged program gets this disk failure. */
export function failingDisk(failure: DiskFailure): Record<string, string> {
  return { NODE_OPTIONS: `--import=${program('fail-disk.ts')}`, DISK_FAILURE: JSON.stringify(failure) }
}
