/** What those who manage a server may do: its keys, its settings, its repositories. */
import type { Config } from '../config/config.shape.ts'
import {
  addServerKey,
  createKey,
  newSecret,
  removeServerKey,
  rotateServerKey,
  type ServerKey,
  toShownKey,
} from '../config/edit-keys.ts'
import type { Origins } from '../config/layers.ts'
import { formatOrigin } from '../config/origin.ts'
import { findProject, isOutdated, settingsForClients, tryToReadProjectFile } from '../config/projects/projects.ts'
import { findKey, findMap } from '../config/setting-keys.ts'
import { showConfig } from '../config/show-config.ts'
import { listDriven } from '../drive/record/driven-records.ts'
import { machineNotFound } from '../executions/store/faults.ts'
import type { Stores } from '../executions/store/stores.ts'
import type { Clock } from '../kit/clock.ts'
import { errorCode, Fault } from '../kit/fault.ts'
import { lockUnavailable } from '../kit/faults.ts'
import { randomIds } from '../kit/ids.ts'
import type { Log } from '../kit/log.ts'
import { type Caller, isAdmin, ownerKey } from '../prompts/caller.ts'
import type { PromptContext } from '../prompts/prompt-context.ts'
import { discoverWorkspace } from '../workspace/discover-workspace.ts'
import { type Git, locateGit } from '../workspace/git.ts'
import { findBranch } from '../workspace/worktrees/branch-checkouts.ts'
import type { RepositoryList } from './administration.shape.ts'
import type { DroverService } from './drover-service.ts'
import { adminRequired, configFileReadOnly } from './faults.ts'
import type { BudgetKey } from './list-budgets.ts'

/** Where the settings of a server come from. */
export type SettingsSource = {
  readonly origins: Origins
  readonly file: { readonly path: string; readonly exists: boolean }
  /** Those in the file now. */
  readonly readKeys: () => Promise<readonly ServerKey[]>
  readonly readBudgets: () => Promise<Config['budgets']>
}

type AdministrationParts = RepositoryPlaces & {
  readonly config: Config
  readonly source: SettingsSource
  /** The keys that are valid. Undefined: the server needs none. */
  readonly validKeys: (() => readonly BudgetKey[]) | undefined
  /** Those that are enforced now. */
  readonly budgets: () => Config['budgets']
  readonly clock: Clock
  readonly log: Log
}

export type Administration = Pick<DroverService, 'keys' | 'settings' | 'repositories'>

export function administer(parts: AdministrationParts): Administration {
  const { config, source, validKeys, clock, log } = parts
  const { path } = source.file
  const isRequired = validKeys !== undefined
  return {
    keys: {
      list: async (by) => {
        requireAdmin(by)
        const keys = (await source.readKeys()).map(toShownKey)
        const names = new Set(keys.map(({ name }) => name))
        const others = (validKeys?.() ?? []).map(({ name }) => name).filter((name) => !names.has(name))
        return { file: path, is_required: isRequired, keys, others }
      },
      create: async (by, wanted) => {
        requireAdmin(by)
        const { entry, key } = createKey(wanted, { ids: randomIds, now: clock.now() })
        await changing(path, () => addServerKey({ path, entry }))
        log.info({ name: entry.name, by: nameOf(by) }, 'a key was created')
        return { ...toShownKey(entry), key, is_required: isRequired }
      },
      rotate: async (by, name) => {
        requireAdmin(by)
        const { key, sha256 } = newSecret(randomIds)
        await changing(path, () => rotateServerKey({ path, name, sha256 }))
        log.info({ name, by: nameOf(by) }, 'a key got a new secret')
        return { name, key }
      },
      revoke: async (by, name) => {
        requireAdmin(by)
        const { left } = await changing(path, () => removeServerKey({ path, name }))
        log.info({ name, by: nameOf(by) }, 'a key was revoked')
        return { name, keys_left: left }
      },
    },
    settings: {
      list: async (by) => {
        requireAdmin(by)
        const { file, origins } = source
        const now = { ...config, budgets: parts.budgets() }
        const settings = showConfig({ config: now, origins, file, warnings: [] }).map(({ key, value, origin }) => {
          const { description = '', applies } = findKey(key) ?? findMap(key) ?? {}
          const when = applies === undefined ? ('restart' as const) : ('at_once' as const)
          return {
            key,
            value: value ?? null,
            from: origin.from,
            origin: formatOrigin(origin),
            description,
            applies: when,
          }
        })
        return { file: file.path, exists: file.exists, settings }
      },
    },
    repositories: {
      list: async (by) => {
        requireAdmin(by)
        return { repositories: await listRepositories(config, parts) }
      },
    },
  }
}

function requireAdmin(by: Caller): void {
  if (!isAdmin(by)) throw adminRequired({ key: ownerKey(by)?.name })
}

/** The config file of a service often belongs to root: then trying again does not help. */
async function changing<T>(file: string, change: () => Promise<T>): Promise<T> {
  try {
    return await change()
  } catch (error) {
    if (error instanceof Fault && isDenied(error)) throw configFileReadOnly({ file }, error)
    throw error
  }
}

const DENIED = ['EACCES', 'EPERM', 'EROFS']

/** A lock file of another user is denied by SQLite, which has other codes. */
function isDenied({ code, cause }: Fault): boolean {
  return code === lockUnavailable.code || DENIED.includes(errorCode(cause) ?? '')
}

const nameOf = (by: Caller) => ownerKey(by)?.name ?? 'the user'

type Repository = RepositoryList['repositories'][number]

type RepositoryPlaces = {
  /** The directories of how repositories are prepared, and of driven runs. */
  readonly directories: { readonly projects: string; readonly drivenRuns: string }
  readonly env: PromptContext['env']
  readonly cwd: string
  readonly shutdown: AbortSignal
}

/** The repositories in which runs are driven, and how each is prepared. */
async function listRepositories(config: Config, places: RepositoryPlaces): Promise<Repository[]> {
  const { directories, env, cwd, shutdown: signal } = places
  const git = locateGit({ env, cwd })
  const driven = listDriven(directories.drivenRuns)
  const paths = [...new Set([...config.drive.repositories, ...driven.map(({ repository }) => repository)])].sort()
  return await Promise.all(
    paths.map(async (path): Promise<Repository> => {
      const own = driven.filter(({ repository }) => repository === path)
      const common = {
        path,
        is_open: config.drive.repositories.includes(path),
        runs: own.length,
        ...(own[0] !== undefined && { last_run_at: own[0].created_at }),
      }
      try {
        return { ...common, ...(await inspect(config, { path, home: directories.projects, git, signal })) }
      } catch (error) {
        if (!(error instanceof Fault)) throw error
        return { ...common, problem: error.message, setup: [], checks: [] }
      }
    }),
  )
}

async function inspect(
  config: Config,
  { path, home, git, signal }: { path: string; home: string; git: Git; signal: AbortSignal },
): Promise<Pick<Repository, 'branch' | 'prepared_by' | 'is_outdated' | 'is_untrusted' | 'setup' | 'checks'>> {
  const workspace = await discoverWorkspace({ start: path, git, signal })
  const place = { home, repository: workspace.git_common_dir }
  const project = findProject(place)
  const file = tryToReadProjectFile(workspace.worktree_root)
  const isOld = project !== undefined && isOutdated(project, file)
  const { setup, checks } = settingsForClients(config, { ...place, root: workspace.worktree_root }).drive
  const branch = await findBranch(git, { directory: workspace.worktree_root, signal })
  return {
    ...(branch !== undefined && { branch }),
    ...(project !== undefined && { prepared_by: project.from }),
    ...(isOld && { is_outdated: true }),
    ...(project === undefined && file !== undefined && { is_untrusted: true }),
    setup: [...setup],
    checks: [...checks],
  }
}

/** The machines of many servers and workers. */
export function manageMachines(stores: () => Promise<Stores>): DroverService['machines'] {
  const find = async (name: string) => {
    const { machines } = await stores()
    if (machines === undefined) throw machineNotFound({ machine: name })
    return machines
  }
  return {
    list: async (by) => {
      requireAdmin(by)
      return (await (await stores()).machines?.list()) ?? { machines: [], waits_for_labels: [] }
    },
    drain: async (by, name) => {
      requireAdmin(by)
      return await (await find(name)).drain(name)
    },
    forget: async (by, name) => {
      requireAdmin(by)
      return await (await find(name)).forget(name)
    },
  }
}
