import { existsSync } from 'node:fs'
import { program } from './test-command.ts'

export type DiskFailure = {
  /** The call that fails. */
  call: 'fsyncSync' | 'fstatSync' | 'openSync'
  /** The name of the file on which it fails. */
  on: string
  /** The call on that file that must succeed first. */
  after?: 'fsyncSync'
}

/** Needs /proc to find the file of a descriptor. */
export const canFailDisk = existsSync('/proc/self/fd')

/** An environment that makes the program meet this disk failure. */
export function failingDisk(failure: DiskFailure): Record<string, string> {
  return { NODE_OPTIONS: `--import=${program('fail-disk.ts')}`, DISK_FAILURE: JSON.stringify(failure) }
}
