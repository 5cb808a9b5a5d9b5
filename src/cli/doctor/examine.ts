/** Makes all checks side by side. Each is bounded in time, and none of them can keep the others from being made. */
import { resolve } from 'node:path'
import { toAgentEnvironment } from '../../agents/agent-environment.ts'
import { locateAgents } from '../../agents/locate-agents.ts'
import { askVersion } from '../../agents/probe-version.ts'
import { lockPathOf } from '../../config/edit-config.ts'
import { mergeLayers } from '../../config/layers.ts'
import { type ConfigEnvironment, findPaths } from '../../config/paths.ts'
import type { WorkspaceIdentity } from '../../contract/workspace-identity.shape.ts'
import { changesLock } from '../../hosts/change/change-lock.ts'
import { Fault } from '../../kit/fault.ts'
import { findProgram } from '../../kit/process/find-program.ts'
import { openRunContext } from '../../runs/run-context.ts'
import { locateGh } from '../../source/gh.ts'
import { inspectGh } from '../../source/inspect-gh.ts'
import { parseOrigin } from '../../source/origin-repository.ts'
import { askGit, type Git, locateGit } from '../../workspace/git.ts'
import { askGitVersion } from '../../workspace/git-version.ts'
import type { Runtime } from '../command.ts'
import { judgeAgent } from './agents.ts'
import { defineCheck, type Finding } from './check.ts'
import { findSettings, judgeSettings, type Settings } from './configuration.ts'
import { judgeGh } from './github.ts'
import { checkHosts } from './hosts.ts'
import { checkLocks } from './locks.ts'
import { judgeDrover, judgeGit, judgeNode } from './programs.ts'
import { findPlace, judgePlace, type Place } from './repository.ts'
import { checkRunStorage } from './run-storage.ts'
import { checkRuns } from './runs.ts'
import { checkSessions } from './sessions.ts'

export const checkFailed = defineCheck({
  code: 'check_failed',
  group: 'Doctor',
  name: 'check',
  status: 'error',
  means: 'A check could not be made, in a way that nobody foresaw. All others were made.',
  todo: 'report it, with the whole output of drover doctor --json',
})

export type Examination = {
  runtime: Runtime
  surroundings: ConfigEnvironment
  /** What `--root` names; undefined for the current directory. */
  root: string | undefined
  isOffline: boolean
  signal: AbortSignal
}

/** Nobody waits longer for git than this, though work on a large repository may take it longer. */
const GIT_MS = 10_000
/** A run that is being worked on is not worth waiting for. */
const RUN_LOCK_MS = 500

export async function examine(examination: Examination): Promise<Finding[]> {
  const { runtime, surroundings, root, signal } = examination
  const git = { ...locateGit(runtime), timeoutMs: GIT_MS }
  const place = findPlace({ start: resolve(runtime.cwd, root ?? ''), git, signal })
  const settings = findSettings(surroundings)
  const inWorktree = async (check: (workspace: WorkspaceIdentity) => Finding[] | Promise<Finding[]>) => {
    const found = await place
    return found.is === 'worktree' ? await check(found.workspace) : []
  }
  const checks: Record<string, () => Promise<Finding[]>> = {
    repository: async () => judgePlace(await place, { isNamed: root !== undefined }),
    hosts: () => inWorktree(checkHosts),
    'run storage': () => inWorktree(({ git_common_dir }) => checkRunStorage(git_common_dir)),
    runs: () =>
      inWorktree((workspace) =>
        checkRuns(openRunContext({ workspace, git, clock: runtime.clock, signal, lockWaitMs: RUN_LOCK_MS })),
      ),
    GitHub: () => checkGitHub(examination, { git, place }),
    programs: () => checkPrograms(examination, git),
    configuration: async () => judgeSettings(await settings),
    sessions: () => checkSessions(findPaths(surroundings).sessions),
    locks: async () => checkLocks(namedLocks(surroundings, await place)),
    agents: async () => checkAgents(examination, await settings),
  }
  const findings = await Promise.all(Object.entries(checks).map(([name, check]) => guard(name, check)))
  return findings.flat()
}

/** Whatever a check throws is found by it. */
async function guard(name: string, check: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await check()
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error)
    const detail = `the check of ${name} failed: ${said}`
    return [checkFailed(error instanceof Fault ? { detail, todo: undefined } : { detail })]
  }
}

async function checkGitHub(
  { runtime, isOffline, signal }: Examination,
  { git, place }: { git: Git; place: Promise<Place> },
): Promise<Finding[]> {
  const findOrigin = async () => {
    const found = await place
    if (found.is === 'none') return undefined
    return parseOrigin(await askOrigin(git, { directory: found.workspace.worktree_root, signal }))
  }
  return judgeGh(await inspectGh(locateGh(runtime), { findOrigin, isOffline, signal }))
}

/** The address of the remote `origin`, as far as there is one. */
async function askOrigin(git: Git, { directory, signal }: { directory: string; signal: AbortSignal }): Promise<string> {
  try {
    const { code, stdout } = await askGit(git, { directory, args: ['remote', 'get-url', 'origin'], signal })
    return code === 0 ? stdout.toString('utf8').replace(/\r?\n$/, '') : ''
  } catch (error) {
    if (error instanceof Fault) return ''
    throw error
  }
}

async function checkPrograms({ runtime, signal }: Examination, git: Git): Promise<Finding[]> {
  const { env, cwd } = runtime
  const path = findProgram('drover', runtime)
  const [gitVersion, answer] = await Promise.all([
    askGitVersion(git, { directory: cwd, signal }),
    path === undefined ? undefined : askVersion([path], { env: toAgentEnvironment(env, {}), cwd, signal }),
  ])
  const onPath = path === undefined || answer === undefined ? undefined : { path, answer }
  return [judgeNode(process.versions.node), judgeGit(gitVersion), judgeDrover(onPath, runtime.version())]
}

function namedLocks(surroundings: ConfigEnvironment, place: Place) {
  const config = { guards: 'changes of the configuration', path: lockPathOf(findPaths(surroundings).config) }
  if (place.is === 'none') return [config]
  return [config, { guards: 'changes of hosts', path: changesLock(place.workspace) }]
}

/** Where the configuration is broken, agents are looked for by their usual names. */
async function checkAgents({ runtime, signal }: Examination, settings: Settings): Promise<Finding[]> {
  const { env, cwd, isRoot } = runtime
  const config = settings.is === 'read' ? settings.reading.config : mergeLayers([]).config
  const hasTimeout = config.unified_flags.command_timeout_secs > 0
  const place = { env: toAgentEnvironment(env, {}), cwd, signal }
  const judged = locateAgents({ ...runtime, backends: config.backends }).map(async (located) => {
    const { program, isEnabled, backend } = located
    const answer = isEnabled && program !== undefined ? await askVersion(program, place) : undefined
    return judgeAgent(located, answer, { isRoot, env, hasTimeout, isDefault: backend === config.default_backend })
  })
  return (await Promise.all(judged)).flat()
}
