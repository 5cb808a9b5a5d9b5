import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomIds } from '../kit/ids.ts'

/** A private directory for the files that a command needs. It is made when the first file is written. */
export type Scratch = {
  directory: string
  write(files: readonly { path: string; content: string }[]): void
  remove(): void
}

export function createScratch(): Scratch {
  const directory = join(tmpdir(), `drover-${randomIds.hex(8)}`)
  return {
    directory,
    write(files) {
      if (files.length === 0) return
      mkdirSync(directory, { mode: 0o700 })
      for (const { path, content } of files) writeFileSync(path, content, { mode: 0o600, flag: 'wx' })
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  }
}
