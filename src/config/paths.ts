import { isAbsolute, join, resolve } from 'node:path'
import type { Environment } from '../kit/process/child-environment.ts'
import type { Config } from './config.shape.ts'
import { environmentInvalid } from './faults.ts'

export type ConfigEnvironment = {
  env: Environment
  homeDirectory: string
  cwd: string
  /** The value of `--config`. */
  configFlag?: string | undefined
}

export type Paths = {
  /** The per-user directory. */
  directory: string
  config: string
  /** Set if the user chose another config file, which must then exist. */
  configNamedBy: '--config' | 'DROVER_CONFIG' | undefined
  sessions: string
  /** The Unix socket of the user's server. */
  serverSocket: string
  /** Who is logged in to the console. */
  consoleLogins: string
  /** The key pair that signs notifications of browsers. */
  pushKey: string
  /** The page through which `drover open` opens a link. */
  consolePage: string
  /** What the user typed in `drover chat`. */
  chatHistory: string
  /** The git worktrees that drover creates. */
  worktrees: string
  /** How worktrees of repositories are prepared and checked. */
  projects: string
  /** What setups have installed for worktrees. */
  templates: string
  /** Limits that agents have reached. */
  agentLimits: string
  /** Which runs are driven, and by whom. */
  drivenRuns: string
  /** Which settings of projects the user trusts. */
  trustedSettings: string
  /** What watchers have seen and taken. */
  watch: string
}

/** What holds texts and keys of all callers, and in it the directories in which agents work. */
export function listPrivateFiles(
  paths: Paths,
  /** `keysFile` is the value of DROVER_API_KEYS_FILE. */
  { cwd, keysFile }: { cwd: string; keysFile?: string | undefined },
): { closed: string[]; open: string[] } {
  const { directory, config, sessions, serverSocket, consoleLogins, consolePage, chatHistory, drivenRuns } = paths
  const keys = keysFile === undefined || keysFile === '' ? [] : [resolve(cwd, keysFile)]
  const store = [sessions, `${sessions}-wal`, `${sessions}-shm`]
  // The files in the directory are named for agents that work in a worktree there.
  const files = [
    config,
    ...store,
    serverSocket,
    consoleLogins,
    paths.pushKey,
    consolePage,
    chatHistory,
    drivenRuns,
    paths.trustedSettings,
    paths.watch,
  ]
  return { closed: [directory, ...files, ...keys], open: [paths.worktrees] }
}

/** Finds the per-user directory and the files in it. An empty variable counts as not set. */
export function findPaths({ env, homeDirectory, cwd, configFlag }: ConfigEnvironment): Paths {
  const directory = env['DROVER_HOME'] || join(homeDirectory, '.drover')
  // A relative path would be a different directory in every project.
  if (!isAbsolute(directory)) throw environmentInvalid({ variable: 'DROVER_HOME', rule: 'must be an absolute path' })
  const named = configFlag ?? (env['DROVER_CONFIG'] || undefined)
  return {
    directory,
    config: named === undefined ? join(directory, 'config.yaml') : resolve(cwd, named),
    configNamedBy: named === undefined ? undefined : configFlag === undefined ? 'DROVER_CONFIG' : '--config',
    sessions: join(directory, 'sessions.db'),
    serverSocket: join(directory, 'server.sock'),
    consoleLogins: join(directory, 'console-logins.json'),
    pushKey: join(directory, 'push-key.json'),
    consolePage: join(directory, 'open-console.html'),
    chatHistory: join(directory, 'chat-history'),
    worktrees: join(directory, 'worktrees'),
    projects: join(directory, 'projects'),
    templates: join(directory, 'templates'),
    agentLimits: join(directory, 'agent-limits'),
    drivenRuns: join(directory, 'driven-runs'),
    trustedSettings: join(directory, 'trusted-settings'),
    watch: join(directory, 'watch'),
  }
}

type Named = Pick<Config, 'server' | 'notify'>

/** Files with secrets that settings and variables name. They can be anywhere, such as in /etc. Pure. */
export function secretFilesIn({ server, notify }: Named): string[] {
  const files = notify.targets.flatMap(({ url_file = '', secret_file = '' }) => [url_file, secret_file])
  return [server.webhook_secret_file, ...files].filter((file) => file !== '')
}

/** What no sandboxed command sees, besides the directory of drover. */
export function hiddenFiles(
  config: Named,
  { paths, env, cwd }: { paths: Pick<Paths, 'config'>; env: Environment; cwd: string },
): string[] {
  const { DROVER_API_KEYS_FILE: keys = '', GH_CONFIG_DIR: gh = '' } = env
  const named = [keys, gh].filter((path) => path !== '')
  return [paths.config, ...named.map((path) => resolve(cwd, path)), ...secretFilesIn(config)]
}
