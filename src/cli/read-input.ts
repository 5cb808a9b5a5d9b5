import { resolve } from 'node:path'
import { readFileBytes } from '../kit/files/read-file.ts'
import type { Runtime } from './command.ts'

/** The bytes of a file that was named, or of standard input for `-`. Links are not followed. */
export async function readInput(named: string, { runtime, limitBytes }: { runtime: Runtime; limitBytes: number }) {
  if (named === '-') return await runtime.stdin.read(limitBytes)
  return readFileBytes({ path: resolve(runtime.cwd, named), limitBytes })
}
