import { existsSync } from 'node:fs'
import { program } from './test-command.ts'

export type DiskFailure = {
  /** What fails. */
  call: 'fsyncSync' | 'fstatSync' | 'openSync'
  /** The name of the file that it fails on. */
  on: string
  /** What has to work on that file first. */
  after?: 'fsyncSync'
}

/** Where a descriptor can be asked for its file. */
export const canFailDisk = existsSync('/proc/self/fd')

/** The environment in which a program meets a disk that is broken in this way, from outside: it is the program as it stands. */
export function failingDisk(failure: DiskFailure): Record<string, string> {
  return { NODE_OPTIONS: `--import=${program('fail-disk.ts')}`, DISK_FAILURE: JSON.stringify(failure) }
}
