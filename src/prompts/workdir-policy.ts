/** Which working directories are allowed. Links are resolved before comparing, and the agent starts in the resolved path. */
import { realpathSync, statSync } from 'node:fs'
import { isAbsolute, normalize, sep } from 'node:path'
import { withParents } from '../kit/git/find-worktree.ts'
import { workdirNotAllowed } from './faults.ts'

/** Absolute, links resolved where the directory exists. */
export type WorkdirPolicy = {
  /** Empty: every directory that is not blocked. */
  allowed: readonly string[]
  blocked: readonly string[]
  /** The directories of a worker. Empty or none: every one. */
  repositories?: readonly string[]
  /** Those of the caller's API key, as it names them. */
  ofKey?: DirectoryCeiling | undefined
}

/** `setting` tells in messages where it comes from. */
export type DirectoryCeiling = { paths: readonly string[]; setting: string }

/** Blocks the targets of blocked links too: on many systems `/bin` is a link. */
export function createWorkdirPolicy({ allowed, blocked, repositories = [], ofKey }: WorkdirPolicy): WorkdirPolicy {
  const targetOf = (path: string) => resolveDirectory(path) ?? path
  const named = blocked.map(withoutTrailingSlash)
  return {
    allowed: allowed.map(withoutTrailingSlash).map(targetOf),
    blocked: [...new Set([...named, ...named.map(targetOf)])],
    repositories: repositories.map(withoutTrailingSlash).map(targetOf),
    ...(ofKey !== undefined && { ofKey }),
  }
}

/** The directory to start the agent in. Throws a Fault if it is not allowed. */
export function resolveWorkdir(workdir: string, policy: WorkdirPolicy | undefined): string {
  if (!isAbsolute(workdir)) throw workdirNotAllowed({ workdir, problem: 'must be an absolute path' })
  if (workdir.includes('\0')) throw workdirNotAllowed({ workdir, problem: 'contains a NUL character' })
  // The name is checked too, so that the error does not reveal what exists in a blocked directory.
  const named = normalize(workdir)
  const resolved = resolveDirectory(workdir)
  const place = resolved ?? named
  const refusal = policy && (assessWorkdir(place, policy) ?? blockedBy(named, policy) ?? outsideOf(policy.ofKey, place))
  if (refusal !== undefined) throw workdirNotAllowed({ workdir, problem: refusal })
  if (resolved === undefined || !isDirectory(resolved)) {
    const problem = isMissing(workdir) ? 'does not exist; create it or choose another one' : 'is not a usable directory'
    throw workdirNotAllowed({ workdir, problem })
  }
  return resolved
}

/** A changed link is noticed after this time here, but always before an agent starts. */
const CACHE_MS = 1000
const cache = new WeakMap<WorkdirPolicy, { workdir: string; resolved: string; until: number }>()

/**
 * The same with a cache, for a server that is asked for the same directory again and again: resolving links takes longer
 * than all other checks. The directory is checked again before the agent starts.
 */
export function resolveWorkdirCached(workdir: string, policy: WorkdirPolicy): string {
  const last = cache.get(policy)
  const now = performance.now()
  if (last?.workdir === workdir && now < last.until) return last.resolved
  const resolved = resolveWorkdir(workdir, policy)
  cache.set(policy, { workdir, resolved, until: now + CACHE_MS })
  return resolved
}

/** Throws a Fault if a link has replaced the directory since it was checked. */
export function recheckWorkdir(resolved: string, policy: WorkdirPolicy | undefined): void {
  if (resolveWorkdir(resolved, policy) === resolved) return
  throw workdirNotAllowed({ workdir: resolved, problem: 'has been replaced by a link since it was checked' })
}

/** Why the directory is not allowed; undefined if it is. Pure. */
export function assessWorkdir(resolved: string, policy: WorkdirPolicy): string | undefined {
  const refusal = blockedBy(resolved, policy)
  if (refusal !== undefined) return refusal
  const { allowed, repositories = [] } = policy
  const isOutside = (prefixes: readonly string[]) =>
    prefixes.length > 0 && !prefixes.some((prefix) => isWithin(resolved, prefix))
  if (isOutside(allowed)) return 'is not allowed by server.allowed_workdir_prefixes; choose one of those directories'
  if (isOutside(repositories)) return 'is not in work.repositories of the worker; choose one of those directories'
  return undefined
}

/** Of the directories from `root` down to a working directory, the first that the caller may work in. Without links. */
export function widestAllowed(workdir: string, root: string, policy: WorkdirPolicy | undefined): string {
  if (policy === undefined) return root
  const mayWorkIn = (path: string) => assessWorkdir(path, policy) === undefined && isInside(path, policy.ofKey)
  const between = withParents(workdir).filter((path) => isWithin(path, root))
  return between.findLast(mayWorkIn) ?? workdir
}

/** What is blocked below directories, where agents may work around it. */
export function blockedBelow(directories: readonly string[], policy: WorkdirPolicy | undefined): string[] {
  return (policy?.blocked ?? []).filter((path) => directories.some((each) => path !== each && isWithin(path, each)))
}

/** A prefix blocks itself and everything below. A directory around it is not blocked: it is no working directory in it. */
function blockedBy(path: string, { blocked }: WorkdirPolicy): string | undefined {
  const outer = blocked.find((prefix) => isWithin(path, prefix))
  if (outer === undefined) return undefined
  const inside = outer === path ? '' : `in ${outer}, which is `
  return `is ${inside}blocked for agents; choose another one`
}

/** Throws a Fault if a directory without links is not in one of those of the key. */
export function refuseOutside(
  workdir: string,
  ceiling: DirectoryCeiling | undefined,
  resolve = resolveDirectory,
): void {
  const problem = outsideOf(ceiling, workdir, resolve)
  if (problem !== undefined) throw workdirNotAllowed({ workdir, problem })
}

/** The directories of the key are resolved each time: the operator may have moved a link. */
export function isInside(workdir: string, ceiling: DirectoryCeiling | undefined, resolve = resolveDirectory): boolean {
  if (ceiling === undefined) return true
  return ceiling.paths.some((path) => isWithin(workdir, resolve(path) ?? withoutTrailingSlash(path)))
}

function outsideOf(
  ceiling: DirectoryCeiling | undefined,
  resolved: string,
  resolve = resolveDirectory,
): string | undefined {
  if (ceiling === undefined || isInside(resolved, ceiling, resolve)) return undefined
  const { paths, setting } = ceiling
  return `is not allowed by ${setting}; choose one of them: ${paths.join(', ')}`
}

/** Where a prompt runs that names no directory: where the server was started, or else in the first directory that is allowed. */
export function chooseDefaultWorkdir(
  cwd: string,
  { allowed, ofKey }: Pick<WorkdirPolicy, 'allowed' | 'ofKey'>,
): string {
  const isAllowed = (path: string) => {
    const place = resolveDirectory(path) ?? path
    return isInside(place, ofKey) && (allowed.length === 0 || allowed.some((each) => isInDirectory(place, each)))
  }
  const others = [...(ofKey?.paths ?? []), ...allowed]
  return [cwd, ...others].find(isAllowed) ?? others[0] ?? cwd
}

/** Compares whole path segments: `/srv/ab` is not within `/srv/a`. */
function isWithin(path: string, prefix: string): boolean {
  if (!path.startsWith(prefix)) return false
  return path.length === prefix.length || prefix.endsWith(sep) || path[prefix.length] === sep
}

/** Whether a path without links is in a directory, which may be named by a link. */
export function isInDirectory(path: string, directory: string): boolean {
  return isWithin(path, resolveDirectory(directory) ?? withoutTrailingSlash(directory))
}

function withoutTrailingSlash(path: string): string {
  return path.length > 1 && path.endsWith(sep) ? withoutTrailingSlash(path.slice(0, -1)) : path
}

/** The directory without links; undefined if there is none. */
export function resolveDirectory(path: string): string | undefined {
  try {
    return realpathSync.native(path)
  } catch {
    return undefined
  }
}

/** False also where this user may not look. */
export function isMissing(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined
  } catch {
    return false
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
