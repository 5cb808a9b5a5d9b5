/** How deep this process is, if the program that started it has removed the variable that says so. */
import { DEPTH_VARIABLE, readDepth } from './environment-variables.ts'
import { READS_ENVIRONMENTS, readEnvironment, readStat } from './process-tree.ts'

const MAX_ANCESTORS = 32

type Variables = Readonly<Record<string, string | undefined>>

/**
 * The environment with the depth of this process. Some agents pass only a few variables on to their MCP servers; on Linux
 * the processes around this one still have them.
 */
export function withDepth(env: Variables): Variables {
  if (env[DEPTH_VARIABLE] !== undefined || !READS_ENVIRONMENTS) return env
  const depth = depthAround(process.ppid)
  return depth === undefined ? env : { ...env, [DEPTH_VARIABLE]: String(depth) }
}

function depthAround(parent: number): number | undefined {
  let pid = parent
  for (let level = 0; level < MAX_ANCESTORS && pid > 1; level += 1) {
    const found = /(?:^|\0)DROVER_DEPTH=(\d+)/.exec(readEnvironment(pid) ?? '')?.[1]
    if (found !== undefined) return readDepth(found)
    pid = readStat(pid)?.parent ?? 0
  }
  return undefined
}
