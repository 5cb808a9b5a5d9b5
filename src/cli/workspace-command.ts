/** How a command works on a git worktree: it finds the worktree, does its work, and adds a remedy to every failure. */
import { resolve } from 'node:path'
import type { Next } from '../contract/next.shape.ts'
import type { WorkspaceIdentity } from '../contract/workspace-identity.shape.ts'
import { digestUnavailableWorkspace } from '../kit/digest.ts'
import { Fault } from '../kit/fault.ts'
import { discoverWorkspace } from '../workspace/discover-workspace.ts'
import { type Git, locateGit } from '../workspace/git.ts'
import type { Invocation, Runtime } from './command.ts'
import { listenForInterruption } from './interruption.ts'
import { FailureWithRemedy, remedyFor, type TypedInputs, type WorkspaceRef } from './remedies.ts'

export async function withWorkspace(
  { runtime, flags }: Invocation,
  work: (command: WorkspaceCommand) => Promise<number>,
): Promise<number> {
  const command = new WorkspaceCommand(runtime, flags.text('root'))
  try {
    return await work(command)
  } catch (error) {
    throw await command.addRemedy(error)
  }
}

export type FoundWorkspace = { workspace: WorkspaceIdentity; git: Git; signal: AbortSignal }

/** What to offer when a part of a command fails and the table of remedies has no entry for the fault. */
export type Suggestion = {
  readonly next: (workspace: WorkspaceRef, error: unknown) => Next | Promise<Next>
  readonly typedInputs?: TypedInputs
  /** This part only reads input, so its faults are usage errors. */
  readonly isUsage?: true
}

/** A version mismatch and an interruption are never usage errors. */
const NEVER_USAGE = ['contract_version_mismatch', 'run_interrupted']

/** What fails because of a signal, if one came. */
const INTERRUPTED = ['run_interrupted', 'git_interrupted', 'gh_interrupted', 'git_repository_unavailable']

export class WorkspaceCommand {
  /** The run that the command is about. A command sets it as soon as it is known, so that remedies can name it. */
  runId: string | undefined
  readonly #start: string
  readonly #git: Git
  #discovery: Promise<WorkspaceIdentity> | undefined
  #hasStarted = false
  #signal: AbortSignal | undefined

  constructor(runtime: Pick<Runtime, 'env' | 'cwd'>, root = '') {
    this.#start = resolve(runtime.cwd, root)
    this.#git = locateGit(runtime)
  }

  /** Asks git for the worktree and listens for signals. Faults before this call are usage errors. */
  async findWorkspace(): Promise<FoundWorkspace> {
    this.#hasStarted = true
    const { signal } = listenForInterruption()
    this.#signal = signal
    return { workspace: await this.#discover(signal), git: this.#git, signal }
  }

  /** A signal has interrupted the command, and that is why it failed. */
  isInterruptedBy(error: unknown): boolean {
    const cause = error instanceof FailureWithRemedy ? error.error : error
    return this.#signal?.aborted === true && cause instanceof Fault && INTERRUPTED.includes(cause.code)
  }

  /** Does a part of the command that has a suggestion for its failures. */
  async suggesting<T>(suggestion: Suggestion, work: () => T | Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw await this.addRemedy(error, suggestion)
    }
  }

  async addRemedy(error: unknown, suggestion?: Suggestion): Promise<FailureWithRemedy> {
    if (error instanceof FailureWithRemedy) return error
    const workspace = await this.workspaceRef()
    const suggested = await this.#suggest(error, workspace, suggestion)
    const { typedInputs, isUsage = !this.#hasStarted } = suggestion ?? {}
    return new FailureWithRemedy(error, {
      ...remedyFor(error, { workspace, runId: this.runId, suggested }),
      ...(typedInputs && { typedInputs }),
      ...(isUsage && error instanceof Fault && !NEVER_USAGE.includes(error.code) && { exitCode: 2 }),
    })
  }

  /** If the suggestion fails, its own fault has a remedy: a command on a run that does not exist offers the list of runs. */
  async #suggest(error: unknown, workspace: WorkspaceRef, suggestion?: Suggestion): Promise<Next | undefined> {
    try {
      return await suggestion?.next(workspace, error)
    } catch (problem) {
      if (!(problem instanceof Fault)) throw problem
      return remedyFor(problem, { workspace, runId: this.runId }).next
    }
  }

  /** Names the worktree in messages, outside of a repository too. */
  async workspaceRef(): Promise<WorkspaceRef> {
    try {
      const { id, worktree_root: root } = await this.#discover()
      return { id, root }
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      return { id: digestUnavailableWorkspace(this.#start.toWellFormed()), root: this.#start }
    }
  }

  /** Asks git once: if that fails, the remedy does not ask again. */
  #discover(signal = new AbortController().signal): Promise<WorkspaceIdentity> {
    this.#discovery ??= discoverWorkspace({ start: this.#start, git: this.#git, signal })
    return this.#discovery
  }
}
