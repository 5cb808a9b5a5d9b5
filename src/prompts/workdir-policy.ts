/** Where agents may work. Both sides are compared with their links resolved, and the agent starts in what was judged. */
import { realpathSync, statSync } from 'node:fs'
import { isAbsolute, sep } from 'node:path'
import { systemReason } from '../kit/disk.ts'
import { workdirNotAllowed } from './faults.ts'

/** Absolute, links resolved where the directory exists. */
export type WorkdirPolicy = {
  /** Empty: anywhere that is not blocked. */
  allowed: readonly string[]
  blocked: readonly string[]
}

/** On a merged-usr system `/bin` is a link: the directory it leads to is blocked with it. */
export function createWorkdirPolicy(prefixes: WorkdirPolicy): WorkdirPolicy {
  const withTargets = (paths: readonly string[]) => [
    ...new Set(paths.map(withoutTrailingSlash).flatMap((path) => [path, resolvedOr(path)])),
  ]
  return {
    allowed: prefixes.allowed.map((path) => resolvedOr(withoutTrailingSlash(path))),
    blocked: withTargets(prefixes.blocked),
  }
}

/** The directory in which the agent is to be started, or the fault that says why not there. */
export function resolveWorkdir(workdir: string, policy: WorkdirPolicy | undefined): string {
  if (!isAbsolute(workdir)) throw workdirNotAllowed({ workdir, problem: 'must be an absolute path' })
  if (workdir.includes('\0')) throw workdirNotAllowed({ workdir, problem: 'holds a NUL character' })
  const resolved = resolve(workdir)
  const refusal = policy && judgeWorkdir(resolved, policy)
  if (refusal !== undefined) throw workdirNotAllowed({ workdir, problem: refusal })
  if (!isDirectory(resolved)) throw workdirNotAllowed({ workdir, problem: 'is not a directory' })
  return resolved
}

/** Why agents may not work there, or undefined. Pure. */
export function judgeWorkdir(resolved: string, { allowed, blocked }: WorkdirPolicy): string | undefined {
  const wall = blocked.find((prefix) => isWithin(resolved, prefix))
  if (wall !== undefined) return `lies in ${wall}, where no agent may work; choose another one`
  if (allowed.length === 0 || allowed.some((prefix) => isWithin(resolved, prefix))) return undefined
  return 'is not among those that server.allowed_workdir_prefixes allows; choose one of them'
}

/** Equal or beneath, by whole names: `/srv/a` is not within `/srv/ab`, nor the other way round. */
function isWithin(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(prefix.endsWith(sep) ? prefix : prefix + sep)
}

function withoutTrailingSlash(path: string): string {
  return path.length > 1 && path.endsWith(sep) ? withoutTrailingSlash(path.slice(0, -1)) : path
}

function resolvedOr(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}

function resolve(workdir: string): string {
  try {
    return realpathSync.native(workdir)
  } catch (error) {
    throw workdirNotAllowed({ workdir, problem: `cannot be used: ${systemReason(error)}` }, error)
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
