/** The worktrees of a comparison: one for each agent, all from the same commit. They are gone if the comparison does not end. */
import { existsSync, realpathSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { WorkspaceIdentity } from '../../contract/workspace-identity.shape.ts'
import { Fault } from '../../kit/fault.ts'
import { randomIds } from '../../kit/ids.ts'
import { type CheckResult, DEFAULT_CHECK_TIMEOUT_MS, runCheck } from '../../kit/process/run-check.ts'
import { discoverWorkspace } from '../../workspace/discover-workspace.ts'
import { gitRepositoryRequired, type NoWorktree } from '../../workspace/faults.ts'
import { type Git, locateGit } from '../../workspace/git.ts'
import { observeGit } from '../../workspace/observe-git.ts'
import { createWorktree } from '../../workspace/worktrees/create-worktree.ts'
import { diffWorktree, type WorktreeDiff } from '../../workspace/worktrees/diff-worktree.ts'
import { removeWorktree } from '../../workspace/worktrees/remove-worktree.ts'
import type { Worktree } from '../../workspace/worktrees/worktree-records.ts'
import type { Invocation } from '../command.ts'
import { comparisonNeedsWorktree } from '../faults.ts'
import { toMessage } from '../output/printable.ts'
import { pathsOf } from '../settings.ts'
import { dropWorktree } from '../worktrees/drop-worktree.ts'

/** What one agent left in its worktree. */
export type Contender = {
  /** The name of the agent, with a number if it takes part twice. */
  label: string
  worktree: Worktree
  diff: WorktreeDiff
  checks: readonly CheckResult[]
  /** It changed nothing, so there is nothing left of its worktree. */
  isRemoved: boolean
}

type Opened = { label: string; worktree: Worktree; workspace: WorkspaceIdentity; workdir: string }

export type ComparisonOptions = {
  backends: readonly string[]
  /** The directory in which the agents would work without worktrees. */
  start: string
  prompt: string
  checks: readonly string[]
  signal: AbortSignal
}

const UNKNOWN_DIFF: WorktreeDiff = { tree: '', files: [], insertions: 0, deletions: 0 }

/** The repository of a directory, with an error that names the flag of `drover compare`. */
export async function findComparedRepository(
  options: Parameters<typeof discoverWorkspace>[0],
): Promise<WorkspaceIdentity> {
  return await discoverWorkspace(options).catch((error: unknown) => {
    throw isOutside(error) ? comparisonNeedsWorktree({ path: options.start }, error) : error
  })
}

export class ComparisonWorktrees implements AsyncDisposable {
  readonly #invocation: Invocation
  readonly #options: ComparisonOptions
  readonly #git: Git
  readonly #opened: Opened[] = []
  #isFinished = false

  constructor(invocation: Invocation, options: ComparisonOptions) {
    this.#invocation = invocation
    this.#options = options
    this.#git = locateGit(invocation.runtime)
  }

  /** Creates the worktrees and returns the directory for each agent. */
  async open(): Promise<string[]> {
    const { backends, start, prompt, signal } = this.#options
    const { clock } = this.#invocation.runtime
    const git = this.#git
    const repository = await findComparedRepository({ start, git, signal })
    await this.#warnOfChanges(repository)
    const below = relative(repository.worktree_root, realpathSync.native(start))
    const common = {
      home: pathsOf(this.#invocation).worktrees,
      repository,
      commit: 'HEAD',
      title: prompt,
      git,
      clock,
      signal,
    }
    const id = randomIds.hex(4)
    for (const label of toLabels(backends)) {
      const worktree = await createWorktree({ ...common, group: { id, label }, ids: randomIds })
      const place = { label, worktree, workdir: withinWorktree(worktree, below) }
      this.#opened.push({ ...place, workspace: await discoverWorkspace({ start: worktree.path, git, signal }) })
    }
    return this.#opened.map(({ workdir }) => workdir)
  }

  async #warnOfChanges({ worktree_root: start }: WorkspaceIdentity): Promise<void> {
    const { path_count: count } = await observeGit({
      start,
      isRoot: true,
      git: this.#git,
      signal: this.#options.signal,
    })
    if (count === 0) return
    const files = count === 1 ? '1 changed file is' : `${count} changed files are`
    await this.#warn(`${files} not committed, so the agents do not see the change`)
  }

  /** Compares each worktree with its commit and runs the checks, one after another: they may need all of the machine. */
  async inspect(onCheck: (label: string, check: CheckResult) => Promise<unknown>): Promise<Contender[]> {
    const contenders: Contender[] = []
    for (const { label, worktree, workspace, workdir } of this.#opened) {
      const diff = await this.#diff(workspace, worktree)
      const checks: CheckResult[] = []
      for (const command of this.#options.checks) {
        const check = await this.#check(command, workdir)
        checks.push(check)
        await onCheck(label, check)
      }
      contenders.push({ label, worktree, diff, checks, isRemoved: false })
    }
    return contenders
  }

  /** A failure of git must not hide the answers of the agents. */
  async #diff(workspace: WorkspaceIdentity, { base, path }: Worktree): Promise<WorktreeDiff> {
    const { signal } = this.#options
    try {
      return await diffWorktree({ git: this.#git, workspace, base, signal })
    } catch (error) {
      if (!(error instanceof Fault) || signal.aborted) throw error
      await this.#warn(`${path} could not be compared with its commit: ${error.message}`)
      return UNKNOWN_DIFF
    }
  }

  async #check(command: string, cwd: string): Promise<CheckResult> {
    const { flags, runtime } = this.#invocation
    const seconds = flags.integer('check-timeout')
    const timeoutMs = seconds === undefined ? DEFAULT_CHECK_TIMEOUT_MS : seconds * 1000
    return await runCheck({ command, cwd, env: runtime.env, timeoutMs, signal: this.#options.signal })
  }

  /** From here on the worktrees stay, except those without any change. */
  async finish(contenders: readonly Contender[]): Promise<Contender[]> {
    const finished: Contender[] = []
    for (const each of contenders) {
      const isUnchanged = each.diff !== UNKNOWN_DIFF && each.diff.files.length === 0
      finished.push({ ...each, isRemoved: isUnchanged && (await this.#remove(each.worktree)) })
    }
    this.#isFinished = true
    return finished
  }

  /** A failure of git must not hide the answers of the agents. */
  async #remove(worktree: Worktree): Promise<boolean> {
    const { signal } = this.#options
    try {
      return (await removeWorktree({ git: this.#git, worktree, signal })).is === 'removed'
    } catch (error) {
      if (!(error instanceof Fault) || signal.aborted) throw error
      await this.#warn(`${worktree.directory} could not be removed: ${error.message}`)
      return false
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isFinished) return
    const { signal } = new AbortController()
    for (const { label, worktree } of this.#opened) {
      try {
        const { commit } = await dropWorktree(worktree, { git: this.#git, signal })
        if (commit !== undefined)
          await this.#say(`dropped ${label}. To get it back: git branch NAME ${commit.slice(0, 12)}`)
      } catch (error) {
        if (!(error instanceof Fault)) throw error
        await this.#warn(`${worktree.directory} could not be removed: ${error.message}`)
      }
    }
  }

  async #warn(message: string): Promise<void> {
    await this.#say(`warning: ${message}`)
  }

  /** A message may name files, and an agent may have put control characters and line breaks into their names. */
  async #say(message: string): Promise<void> {
    await this.#invocation.runtime.terminal.err.write(`drover: ${toMessage(message)}\n`)
  }
}

/** An agent that takes part twice is `codex` and `codex-2`. Pure. */
export function toLabels(backends: readonly string[]): string[] {
  return backends.map((backend, at) => {
    const earlier = backends.slice(0, at).filter((other) => other === backend).length
    return earlier === 0 ? backend : `${backend}-${earlier + 1}`
  })
}

/** The same directory as in the repository, if the commit has it. */
function withinWorktree({ path }: Worktree, below: string): string {
  const inside = join(path, below)
  return existsSync(inside) ? inside : path
}

function isOutside(error: unknown): boolean {
  if (!(error instanceof Fault) || error.code !== gitRepositoryRequired.code) return false
  return (error.details as { reason: NoWorktree }).reason === 'not_a_repository'
}
