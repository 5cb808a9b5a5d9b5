/** Reads what may be missing in a git directory: git writes there at any time, and so may an agent. */
import { readdirSync } from 'node:fs'
import { tryTo, tryToRead } from '../kit/fault.ts'
import { readFileBytes } from '../kit/files/read-file.ts'

/** Empty if there is no such directory, or none that can be read. */
export function namesIn(directory: string): string[] {
  return tryToRead(() => readdirSync(directory)) ?? []
}

/** Undefined if there is no such file, or none that can be read, or if it is larger. */
export function readBytes(path: string, limitBytes: number): Buffer | undefined {
  return tryTo(() => readFileBytes({ path, limitBytes, links: 'follow' }))
}
