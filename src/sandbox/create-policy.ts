/** Reads from the disk what a policy depends on. */
import { mkdirSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { digest } from '../kit/digest.ts'
import { orUndefined } from '../kit/fault.ts'
import { readFileBytes } from '../kit/files/read-file.ts'
import { encodeUtf8 } from '../kit/utf8.ts'
import { sandboxHostInvalid, sandboxRepositoriesUnknown, sandboxTooWide } from './faults.ts'
import { findInnerRepositories, type InnerRepositories } from './find-inner-repositories.ts'
import { type HostRule, parseHostRule } from './host-rules.ts'
import {
  isWithin,
  type OwnGit,
  type SandboxLimits,
  type SandboxPolicy,
  type Stage,
  toMounts,
} from './sandbox-policy.ts'

/** As git names them; outside of a repository there is only the root. */
export type WorktreeDirectories = { root: string; git?: GitDirectories }

type GitDirectories = {
  directory: string
  commonDirectory: string
  /**
   * The branch that may be written, such as `refs/heads/one`; null for none. Undefined: as `HEAD` says. A command that ran there
   * before can have written another name into `HEAD`.
   */
  branch?: string | null
}

/** Where a command works. */
export type WorkPlace = {
  worktree: WorktreeDirectories
  /** Directories that are open as the worktree is. Their repositories are only read. */
  added?: readonly string[] | undefined
  /** Drover has made the worktree: repositories below it come from commands that run there, which have to be able to change them. */
  isMadeByDrover?: boolean | undefined
}

export type PolicyRequest = WorkPlace & {
  home: string
  droverHome: string
  /** Node, and what the command is started with. */
  programs: readonly string[]
  settings: SandboxSettings
  /** The command changes nothing in the worktree. */
  isReadOnly?: boolean
  /** Nothing may be written if there may be repositories that were not found. */
  needsAllRepositories?: boolean | undefined
  /** Never seen, besides what no command sees. */
  hidden?: readonly string[]
  stages?: readonly Stage[]
}

export type SandboxSettings = {
  hosts: readonly string[]
  env: readonly string[]
  read: readonly string[]
  write: readonly string[]
  limits: SandboxLimits
}

/** Throws `sandbox_too_wide`, `sandbox_host_invalid` or `sandbox_repositories_unknown`. */
export function createPolicy(request: PolicyRequest): SandboxPolicy {
  const { worktree, home, droverHome, programs, settings, isReadOnly, hidden = [], stages = [] } = request
  const added = (request.added ?? []).map(realPath)
  const realHome = realPath(home)
  const write = settings.write.map(realPath)
  const wide = [worktree.root, ...added, ...write].find((path) => isWithin(realHome, [path]))
  if (wide !== undefined) throw sandboxTooWide({ path: wide })
  const inner = findRepositoriesIn({ ...request, added })
  if (!isReadOnly && request.needsAllRepositories) refuseGap(inner)
  const mounts = toMounts({
    worktree: { root: worktree.root, commonDirectory: worktree.git?.commonDirectory, isReadOnly },
    added,
    inner,
    home: realHome,
    droverHome: realPath(droverHome),
    programs: programs.map(realPath),
    read: settings.read.map(realPath),
    write,
    hidden: hidden.map(realPath),
    stages: stages.map(({ path, from }) => ({ path: realPath(path), from })),
    kindOf,
  })
  const hosts = settings.hosts.flatMap(readHostRule)
  const own = isReadOnly ? undefined : readOwnGit(worktree)
  return { mounts, home: realHome, hosts, env: settings.env, limits: settings.limits, own }
}

/** The repositories that a command could write, besides that of the worktree. */
export function findRepositoriesIn({ worktree, added = [], isMadeByDrover }: WorkPlace): InnerRepositories {
  return findInnerRepositories([...(isMadeByDrover ? [] : [worktree.root]), ...added.map(realPath)])
}

/** Throws `sandbox_repositories_unknown`. */
export function refuseGap({ gap }: Pick<InnerRepositories, 'gap'>): void {
  if (gap !== undefined) throw sandboxRepositoriesUnknown({ problem: gap })
}

function readHostRule(text: string): HostRule[] {
  const rules = parseHostRule(text)
  if (rules === undefined) throw sandboxHostInvalid({ host: text })
  return rules
}

function kindOf(path: string): 'directory' | 'file' | undefined {
  return orUndefined(() => (statSync(path).isDirectory() ? 'directory' : 'file'))
}

export function realPath(path: string): string {
  return orUndefined(() => realpathSync.native(path)) ?? path
}

const LIMIT_BYTES = 4 * 2 ** 20

/** Undefined in the main worktree: hooks, settings and the index share one directory there. */
function readOwnGit({ git }: WorktreeDirectories): OwnGit | undefined {
  if (git === undefined || git.directory === git.commonDirectory) return undefined
  const { directory, commonDirectory, branch } = git
  return { directory, commonDirectory, branch: branch === undefined ? readBranch(directory) : (branch ?? undefined) }
}

/** Undefined if the worktree is on no branch, or if its refs are in a table, which cannot be shared out. */
function readBranch(gitDirectory: string): string | undefined {
  const head = readFileBytes({ path: join(gitDirectory, 'HEAD'), limitBytes: LIMIT_BYTES }).toString('utf8')
  return /^ref: (refs\/heads\/(?!\.invalid)(?!.*\.\.)[^\0\n]+)\n$/.exec(head)?.[1]
}

type Places = { droverHome: string; home: string; names: readonly string[] }

/** Directories that stand for the caches of the user, one set for each repository. */
export function createCaches({ root, git }: WorktreeDirectories, { droverHome, home, names }: Places): Stage[] {
  const repository = digest(encodeUtf8(git?.commonDirectory ?? root)).replace('sha256:', '')
  return names.map((name) => {
    const from = join(droverHome, 'caches', repository, name)
    mkdirSync(from, { recursive: true, mode: 0o700 })
    return { path: join(home, name), from }
  })
}

const MEGABYTE = 2 ** 20

/** The section `sandbox` of the config. */
export type SandboxSection = {
  hosts: readonly string[]
  check_hosts: readonly string[]
  env: readonly string[]
  read: readonly string[]
  write: readonly string[]
  caches: readonly string[]
  max_memory_mb: number
  max_processes: number
  max_file_mb: number
  max_disk_mb: number
  max_total_memory_mb: number
}

export type SandboxAdditions = Partial<Pick<SandboxSettings, 'hosts' | 'env' | 'read' | 'write'>>

/** What the settings say about a sandbox, in the units that Linux uses. Pure. */
export function toSandboxSettings(section: SandboxSection, more: SandboxAdditions = {}): SandboxSettings {
  return {
    hosts: [...section.hosts, ...(more.hosts ?? [])],
    env: [...section.env, ...(more.env ?? [])],
    read: [...section.read, ...(more.read ?? [])],
    write: [...section.write, ...(more.write ?? [])],
    limits: {
      memoryBytes: section.max_memory_mb === 0 ? undefined : section.max_memory_mb * MEGABYTE,
      processes: section.max_processes,
      fileBytes: section.max_file_mb * MEGABYTE,
      diskBytes: section.max_disk_mb === 0 ? undefined : section.max_disk_mb * MEGABYTE,
      totalMemoryBytes: section.max_total_memory_mb === 0 ? undefined : section.max_total_memory_mb * MEGABYTE,
    },
  }
}

/** Checks and setups install packages, and talk to no model. */
export function toCheckSettings(section: SandboxSection): SandboxSettings {
  return toSandboxSettings({ ...section, hosts: section.check_hosts })
}
