import { findPaths } from '../../config/paths.ts'
import type { Run } from '../command.ts'
import { surroundingsOf } from '../settings.ts'

export const run: Run = async (invocation) => {
  await invocation.runtime.terminal.out.write(`${findPaths(surroundingsOf(invocation)).config}\n`)
  return 0
}
