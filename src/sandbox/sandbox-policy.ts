/** What a sandboxed command may read, write and reach. Pure. */
import { join, relative, sep } from 'node:path'
import type { HostRule } from './host-rules.ts'

/** In the order in which they are mounted: a later one covers what is below its path. `own` is empty and writable. */
export type Mount = {
  path: string
  as: 'read' | 'write' | 'own' | 'empty directory' | 'empty file'
  /** What is mounted there, if it is not the same path. */
  from?: string
  /** It may have gone since it was found. */
  isOptional?: true
}

/** A directory outside that takes the place of another one inside. */
export type Stage = { path: string; from: string }

export type SandboxLimits = {
  /** Of each process. */
  memoryBytes: number | undefined
  processes: number | undefined
  /** Of each file. */
  fileBytes: number | undefined
  /** Of all that the command writes to disks. Drover looks, and ends it. */
  diskBytes?: number | undefined
  /** Of all processes together. Needs a control group. */
  totalMemoryBytes?: number | undefined
}

export type SandboxPolicy = {
  mounts: readonly Mount[]
  home: string
  hosts: readonly HostRule[]
  /** Names of variables that the command gets, besides those that every command gets. */
  env: readonly string[]
  limits: SandboxLimits
  /** What the command may write of its repository: it gets a copy. */
  own?: OwnGit | undefined
}

export type OwnGit = {
  directory: string
  commonDirectory: string
  /** The branch that may be written, such as `refs/heads/one`. */
  branch: string | undefined
}

/** What the disk says about a worktree. */
type WorktreePaths = {
  root: string
  /** Of all worktrees together; undefined outside of a repository. */
  commonDirectory?: string | undefined
  /** The command changes nothing there. */
  isReadOnly?: boolean | undefined
}

export type PolicyFacts = {
  worktree: WorktreePaths
  /** Directories that are open as the worktree is. */
  added?: readonly string[]
  /** The repositories below them: what stays as it is, and the directories around it, outer ones first. */
  inner?: { fixed: readonly string[]; pinned: readonly string[] }
  home: string
  /** Of drover: no command may see its store. */
  droverHome: string
  /** Programs that have to be seen, wherever they are. */
  programs: readonly string[]
  read: readonly string[]
  write: readonly string[]
  /** Never seen. */
  hidden: readonly string[]
  /** Directories that others stand for. That of the home directory is used in place of an empty one. */
  stages: readonly Stage[]
  /** What is at a path, behind links. */
  kindOf: (path: string) => 'directory' | 'file' | undefined
}

const SYSTEM = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc', '/opt'],
  ...['/nix', '/gnu/store', '/snap', '/run/current-system', '/home/linuxbrew/.linuxbrew', '/sys/devices/system/cpu'],
]
/** Root could change the kernel through them, even without capabilities. */
const KERNEL_READS = ['/proc/sys', '/proc/fs']
const KERNEL_SECRETS = [
  ...['/proc/sysrq-trigger', '/proc/kcore', '/proc/kmsg', '/proc/keys', '/proc/key-users', '/proc/kallsyms'],
  ...['/proc/timer_list', '/proc/sched_debug', '/proc/scsi', '/proc/acpi', '/proc/mtrr'],
]
/** Root could read them. */
const SYSTEM_SECRETS = [
  '/etc/shadow',
  '/etc/shadow-',
  '/etc/gshadow',
  '/etc/gshadow-',
  '/etc/sudoers',
  '/etc/drover',
  '/etc/ssl/private',
  '/etc/ssh',
]

/** Of the home directory: toolchains, and who commits. None of them has a secret. */
const HOME_READS = [
  ...['.gitconfig', '.config/git/config', '.config/git/ignore', '.config/git/attributes'],
  ...[
    '.nvm',
    '.fnm',
    '.volta',
    '.local/share/fnm',
    '.local/share/mise',
    '.local/share/pnpm',
    '.bun/bin',
    '.deno/bin',
    '.asdf',
  ],
  ...['.pyenv', '.local/bin', '.local/share/uv', '.rustup', '.cargo/bin', '.sdkman/candidates', 'go/bin', '.rbenv'],
]

/** Never seen, even if a setting names the directory around them. */
const HOME_SECRETS = [
  ...['.ssh', '.aws', '.azure', '.config/gh', '.config/gcloud', '.gnupg', '.kube', '.docker', '.password-store'],
  ...['.netrc', '.git-credentials', '.config/git/credentials', '.pypirc', '.local/share/keyrings'],
]

/** In the directory of the repository: what drover knows about its runs. */
const RUN_STORE = 'drover'

export function toMounts(facts: PolicyFacts): Mount[] {
  const { worktree, added = [], home, droverHome, kindOf } = facts
  const inHome = (path: string) => join(home, path)
  const existing = (as: Mount['as'], paths: readonly string[]): Mount[] =>
    paths.filter((path) => kindOf(path) !== undefined).map((path) => ({ path, as }))
  const hide = (paths: readonly string[]): Mount[] => [
    ...paths.filter((path) => kindOf(path) === 'directory').map((path): Mount => ({ path, as: 'empty directory' })),
    ...paths.filter((path) => kindOf(path) === 'file').map((path): Mount => ({ path, as: 'empty file' })),
  ]
  const secrets = [...SYSTEM_SECRETS, ...HOME_SECRETS.map(inHome), droverHome, ...facts.hidden]
  const withoutSecrets = (mounts: readonly Mount[]) => {
    const paths = mounts.map(({ path }) => path)
    return [...mounts, ...hide(secrets.filter((secret) => isWithin(secret, paths)))]
  }
  const { isReadOnly } = worktree
  const addedMounts = added.flatMap((root) => {
    const git = join(root, '.git')
    return workMounts({ root, commonDirectory: kindOf(git) === undefined ? undefined : git, isReadOnly })
  })
  const programs = facts.programs.filter((path) => !isWithin(path, SYSTEM))
  const commons = worktree.commonDirectory === undefined ? [] : [worktree.commonDirectory]
  const { fixed, pinned } = facts.inner ?? { fixed: [], pinned: [] }
  const innerMounts = [
    ...(isReadOnly ? [] : pinned).map((path): Mount => ({ path, as: 'write', isOptional: true })),
    ...fixed.map((path): Mount => ({ path, as: 'read', isOptional: true })),
  ]
  return [
    ...existing('read', KERNEL_READS),
    ...hide(KERNEL_SECRETS),
    ...withoutSecrets(existing('read', SYSTEM)),
    ...['/tmp', '/var/tmp', home].map((path): Mount => ({ path, as: 'own' })),
    ...facts.stages.map(({ path, from }): Mount => ({ path, as: 'write', from })),
    ...withoutSecrets([
      ...existing('read', [...HOME_READS.map(inHome), ...facts.read]),
      ...existing('write', facts.write),
    ]),
    ...withoutSecrets([...addedMounts, ...workMounts(worktree), ...innerMounts, ...existing('read', programs)]),
    ...hide([...commons, ...added.map((root) => join(root, '.git')), ...fixed].map((path) => join(path, RUN_STORE))),
  ]
}

function workMounts({ root, commonDirectory, isReadOnly = false }: WorktreePaths): Mount[] {
  const work: Mount = { path: root, as: isReadOnly ? 'read' : 'write' }
  if (commonDirectory === undefined) return [work]
  // The pointer of a linked worktree is protected too: another one could name programs that git runs.
  const fixed = [...new Set([commonDirectory, join(root, '.git')])]
  return [work, ...fixed.map((path): Mount => ({ path, as: 'read' }))]
}

/** Whether a path is one of the directories, or below one. */
export function isWithin(path: string, directories: readonly string[]): boolean {
  return directories.some((directory) => {
    const way = relative(directory, path)
    return way === '' || (way !== '..' && !way.startsWith(`..${sep}`))
  })
}
