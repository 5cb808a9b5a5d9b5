/** Where agents may work. Both sides are compared with their links resolved, and the agent starts in what was judged. */
import { realpathSync, statSync } from 'node:fs'
import { isAbsolute, normalize, sep } from 'node:path'
import { workdirNotAllowed } from './faults.ts'

/** Absolute, links resolved where the directory exists. */
export type WorkdirPolicy = {
  /** Empty: anywhere that is not blocked. */
  allowed: readonly string[]
  blocked: readonly string[]
}

/** On a merged-usr system `/bin` is a link: the directory it leads to is blocked with it. */
export function createWorkdirPolicy({ allowed, blocked }: WorkdirPolicy): WorkdirPolicy {
  const targetOf = (path: string) => resolve(path) ?? path
  const walls = blocked.map(withoutTrailingSlash)
  return {
    allowed: allowed.map(withoutTrailingSlash).map(targetOf),
    blocked: [...new Set([...walls, ...walls.map(targetOf)])],
  }
}

/** The directory in which the agent is to be started, or the fault that says why not there. */
export function resolveWorkdir(workdir: string, policy: WorkdirPolicy | undefined): string {
  if (!isAbsolute(workdir)) throw workdirNotAllowed({ workdir, problem: 'must be an absolute path' })
  if (workdir.includes('\0')) throw workdirNotAllowed({ workdir, problem: 'holds a NUL character' })
  // By its name too: nobody who may not work there shall learn from the refusal what there is.
  const named = normalize(workdir)
  const resolved = resolve(workdir)
  const refusal = policy && (judgeWorkdir(resolved ?? named, policy) ?? blockedBy(named, policy))
  if (refusal !== undefined) throw workdirNotAllowed({ workdir, problem: refusal })
  if (resolved === undefined || !isDirectory(resolved)) {
    throw workdirNotAllowed({ workdir, problem: 'is not a directory that can be used' })
  }
  return resolved
}

/** A link that is turned elsewhere is still taken for what it was for this long; no agent starts where it may not work. */
const JUDGED_FOR_MS = 1000
const judged = new WeakMap<WorkdirPolicy, { workdir: string; resolved: string; until: number }>()

/**
 * The same for a server, which is asked for one directory over and over: to follow every link on the way takes longer
 * than all else that is done to prepare a prompt. Before an agent is started, the directory is judged again.
 */
export function resolveWorkdirAgain(workdir: string, policy: WorkdirPolicy): string {
  const last = judged.get(policy)
  const now = performance.now()
  if (last?.workdir === workdir && now < last.until) return last.resolved
  const resolved = resolveWorkdir(workdir, policy)
  judged.set(policy, { workdir, resolved, until: now + JUDGED_FOR_MS })
  return resolved
}

/** Throws a Fault when the directory no longer is what was judged: a link may have taken its place. */
export function judgeAgain(resolved: string, policy: WorkdirPolicy | undefined): void {
  if (resolveWorkdir(resolved, policy) === resolved) return
  throw workdirNotAllowed({ workdir: resolved, problem: 'has become a link since it was judged' })
}

/** Why agents may not work there, or undefined. Pure. */
export function judgeWorkdir(resolved: string, policy: WorkdirPolicy): string | undefined {
  const refusal = blockedBy(resolved, policy)
  if (refusal !== undefined) return refusal
  const { allowed } = policy
  if (allowed.length === 0 || allowed.some((prefix) => isWithin(resolved, prefix))) return undefined
  return 'is not among those that server.allowed_workdir_prefixes allows; choose one of them'
}

/** Within a blocked directory, or around one: who may write in the whole may write in its parts. */
function blockedBy(path: string, { blocked }: WorkdirPolicy): string | undefined {
  const wall = blocked.find((prefix) => isWithin(path, prefix))
  if (wall !== undefined) return `lies in ${wall}, where no agent may work; choose another one`
  const inside = blocked.find((prefix) => isWithin(prefix, path))
  return inside === undefined ? undefined : `holds ${inside}, where no agent may work; choose another one`
}

/** Equal or beneath, by whole names: `/srv/a` is not within `/srv/ab`, nor the other way round. */
function isWithin(path: string, prefix: string): boolean {
  if (!path.startsWith(prefix)) return false
  return path.length === prefix.length || prefix.endsWith(sep) || path[prefix.length] === sep
}

function withoutTrailingSlash(path: string): string {
  return path.length > 1 && path.endsWith(sep) ? withoutTrailingSlash(path.slice(0, -1)) : path
}

function resolve(workdir: string): string | undefined {
  try {
    return realpathSync.native(workdir)
  } catch {
    return undefined
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
