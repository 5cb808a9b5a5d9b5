import type * as fs from 'node:fs'

/** The operations that looking is made of; a test passes ones that fail or meddle. */
export type PathDisk = Pick<
  typeof fs,
  'closeSync' | 'fstatSync' | 'lstatSync' | 'openSync' | 'readlinkSync' | 'readSync'
>
