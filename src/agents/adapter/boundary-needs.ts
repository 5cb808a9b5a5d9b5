/** What agents need inside of a boundary. */
import type { Environment } from '../../kit/process/child-environment.ts'
import type { SandboxSettings, WorktreeDirectories } from '../../sandbox/create-policy.ts'
import type { InnerRepositories } from '../../sandbox/find-inner-repositories.ts'
import type { SandboxPrograms } from '../../sandbox/find-programs.ts'

/** That an agent runs inside of a boundary, and what the boundary has in it besides the needs of the agent. */
export type BoundaryPlan = {
  programs: SandboxPrograms
  worktree: WorktreeDirectories
  /** As `PolicyRequest` has them. */
  isMadeByDrover: boolean
  needsAllRepositories: boolean
  /** Those that were there when the request was made. */
  repositories: InnerRepositories
  /** Arguments of the user: the files that they name can be seen. */
  arguments: readonly string[]
  /** The files of drover, which are hidden. */
  droverHome: string
  /** Other files that are hidden. */
  hidden: readonly string[]
  settings: SandboxSettings
  /** Of the home directory: directories of drover stand for them, as for checks. */
  caches: readonly string[]
}

/** What an agent needs, besides its program and its working directory. Paths are absolute, and need not exist. */
export type BoundaryNeeds = {
  /** Its own directories. Inside, they begin with nothing but the paths below; everything else that it writes there is discarded. */
  directories: readonly string[]
  /** Settings. It cannot change them: they name programs that it would start outside, in a later run. */
  read: readonly string[]
  /** Files that it changes while it works. It gets copies, which are discarded. */
  copied: readonly string[]
  /** Files with its login. It gets copies; a login that it has refreshed is kept. */
  logins: readonly string[]
  /** Directories of sessions, which it changes. */
  kept: readonly string[]
  /** Its model service, and where it refreshes its login. */
  hosts: readonly string[]
  /** Addresses of model services that only its settings name. They do not open the boundary, and explain a failure. */
  services?: readonly string[]
  /** Variables; a name may end with `*`. */
  env: readonly string[]
  /** Variables that it gets inside alone, with their values. */
  variables?: Readonly<Record<string, string>>
  /** Other programs that it starts, from PATH. */
  programs?: readonly string[]
}

/** Of an agent that drover does not know. The settings can name what it needs. */
export const NO_NEEDS: BoundaryNeeds = {
  ...{ directories: [], read: [], copied: [], logins: [], kept: [], hosts: [], env: [] },
}

/** The host of a service that a variable names; nothing if it names none. */
export function hostsIn(env: Environment, names: readonly string[]): string[] {
  return names.flatMap((name) => hostOf(env[name] ?? ''))
}

function hostOf(address: string): string[] {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) return []
  return [url.host]
}
