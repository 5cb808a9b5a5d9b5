import { resolve } from 'node:path'
import { readFileBytes } from '../kit/files/read-file.ts'
import type { World } from './command.ts'

/** The bytes of a file that was named, or of standard input for `-`. Links are not followed. */
export async function readInput(named: string, { world, limitBytes }: { world: World; limitBytes: number }) {
  if (named === '-') return await world.stdin.read(limitBytes)
  return readFileBytes({ path: resolve(world.cwd, named), limitBytes })
}
