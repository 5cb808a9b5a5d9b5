/** What a check is, and what all checks share. To add one: a file in this folder, and a line in ../all-checks.ts. */
import { resolve } from 'node:path'
import type { ConfigEnvironment } from '../../../config/paths.ts'
import { type LoadedConfig, readConfig } from '../../../config/read-config.ts'
import type { WorkspaceIdentity } from '../../../contract/workspace-identity.shape.ts'
import { Fault } from '../../../kit/fault.ts'
import type { BackendTest } from '../../../service/drover-service.ts'
import { discoverWorkspace } from '../../../workspace/discover-workspace.ts'
import { type Git, locateGit } from '../../../workspace/git.ts'
import type { Runtime } from '../../command.ts'
import { type SandboxReport, trySandbox } from '../../sandbox/check-sandbox.ts'
import type { Finding } from './finding.ts'

export type DiagnosticCheck = (context: CheckContext) => Finding[] | Promise<Finding[]>

export type CheckOptions = {
  runtime: Runtime
  configEnvironment: ConfigEnvironment
  /** The value of `--root`; undefined for the current directory. */
  root: string | undefined
  isOffline: boolean
  /** Sends a short prompt to an agent; undefined for one that is not to be tried. Absent: none is. */
  tryAgent?: ((backend: string, where: { isInside: boolean }) => Promise<BackendTest | undefined>) | undefined
  signal: AbortSignal
}

/** Git is asked for the worktree once, the configuration is read once, and a sandbox is tried once. */
export type CheckContext = CheckOptions & {
  git: Git
  repository: Promise<Lookup<WorkspaceIdentity>>
  config: Promise<Lookup<LoadedConfig>>
  sandbox: Promise<SandboxReport>
}

/** A value, or why there is none. */
type Lookup<T> = { is: 'found'; value: T } | { is: 'missing'; why: Fault }

/** Shorter than for runs: git may need longer on a large repository, but a report should not wait for it. */
const GIT_TIMEOUT_MS = 10_000

export function createCheckContext(options: CheckOptions): CheckContext {
  const { runtime, configEnvironment, root, signal } = options
  const git = { ...locateGit(runtime), timeoutMs: GIT_TIMEOUT_MS }
  const start = resolve(runtime.cwd, root ?? '')
  return {
    ...options,
    git,
    repository: lookUp(() => discoverWorkspace({ start, git, signal })),
    config: lookUp(() => readConfig(configEnvironment)),
    sandbox: trySandbox(runtime, signal),
  }
}

/** Makes a check that finds nothing outside of a repository. */
export function inWorktree(
  check: (workspace: WorkspaceIdentity, context: CheckContext) => Finding[] | Promise<Finding[]>,
): DiagnosticCheck {
  return async (context) => {
    const repository = await context.repository
    return repository.is === 'found' ? await check(repository.value, context) : []
  }
}

async function lookUp<T>(find: () => Promise<T>): Promise<Lookup<T>> {
  try {
    return { is: 'found', value: await find() }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { is: 'missing', why: error }
  }
}
