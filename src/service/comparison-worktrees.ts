/** The worktrees of a comparison: one for each agent, all from the same commit. They are gone if the comparison does not end. */
import { existsSync, realpathSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { WorkspaceIdentity } from '../contract/workspace-identity.shape.ts'
import { toWorktreeDirectories } from '../drive/drive-boundary.ts'
import type { DriveBoundary } from '../drive/drive-context.ts'
import { refuseMissingProgram } from '../drive/start/drive-options.ts'
import type { Clock } from '../kit/clock.ts'
import { Fault } from '../kit/fault.ts'
import { type Lock, takeLock } from '../kit/files/lock.ts'
import { randomIds } from '../kit/ids.ts'
import { type CheckResult, runCheck } from '../kit/process/run-check.ts'
import type { ComparedPlace } from '../prompts/compare-agents.ts'
import type { ComparedWorktree, KeepResult } from '../prompts/prompt-result.shape.ts'
import type { BatchRunOptions } from '../prompts/run-batch.ts'
import { BoundaryCounts } from '../sandbox/boundary-report.ts'
import { discoverWorkspace } from '../workspace/discover-workspace.ts'
import { worktreeNotPrepared } from '../workspace/faults.ts'
import type { Git } from '../workspace/git.ts'
import { observeGit } from '../workspace/observe-git.ts'
import {
  describeStep,
  needsPreparation,
  type Preparation,
  type PreparationTools,
  prepareWorktree,
} from '../workspace/prepare/prepare-worktree.ts'
import { toWorktreeEnvironment } from '../workspace/prepare/worktree-environment.ts'
import { toUseLock, type Worktree } from '../workspace/worktree-records.ts'
import { createWorktree } from '../workspace/worktrees/create-worktree.ts'
import { diffWorktree, type WorktreeDiff } from '../workspace/worktrees/diff-worktree.ts'
import { pinToWorktree } from '../workspace/worktrees/pin-worktree.ts'
import { dropWorktree, removeWorktree } from '../workspace/worktrees/remove-worktree.ts'
import { noteDropped } from './compared-refs.ts'

type Opened = {
  label: string
  worktree: Worktree
  workspace: Promise<WorkspaceIdentity>
  workdir: string
  /** What its setup and its checks reached and were refused. */
  seen: BoundaryCounts
  /** What its agent changed, once that is known. */
  diff?: WorktreeDiff
  checks: ComparedCheck[]
  isRemoved: boolean
}

type ComparedCheck = ComparedWorktree['checks'][number]

type WorktreesOptions = Pick<BatchRunOptions, 'signal' | 'watcher'> & {
  /** The directory of all worktrees of the user. */
  home: string
  /** The directory in which the agents would work without worktrees. */
  start: string
  backends: readonly string[]
  prompt: string
  /** The execution of the comparison. */
  id: string | undefined
  /** The id of the API key that the worktrees belong to. */
  keyId: string | undefined
  checks: readonly string[]
  checkTimeoutMs: number
  preparation: Preparation
  templates: PreparationTools['templates']
  git: Git
  clock: Clock
  env: Readonly<Record<string, string | undefined>>
  boundary: DriveBoundary
}

type Dropped = Pick<KeepResult, 'dropped' | 'left'>

const SHOWN_LINES = 20

const UNKNOWN_DIFF: WorktreeDiff = { tree: '', files: [], insertions: 0, deletions: 0 }

export class ComparisonWorktrees implements AsyncDisposable {
  readonly warnings: string[] = []
  readonly #options: WorktreesOptions
  readonly #opened: Opened[] = []
  /** Others may not drop the worktrees as long as these are held. */
  readonly #locks: Lock[] = []
  #isFinished = false

  constructor(options: WorktreesOptions) {
    this.#options = options
  }

  /** Those that are not removed. */
  get left(): Worktree[] {
    return this.#opened.filter(({ isRemoved }) => !isRemoved).map(({ worktree }) => worktree)
  }

  /** Creates the worktrees and returns the place of each agent. */
  async open(): Promise<Omit<ComparedPlace, 'modes'>[]> {
    const { backends, start, prompt, home, keyId, git, clock, signal } = this.#options
    const title = firstLine(prompt)
    const repository = await discoverWorkspace({ start, git, signal })
    await this.#warnOfChanges(repository)
    const below = relative(repository.worktree_root, realpathSync.native(start))
    const common = { home, repository, commit: 'HEAD', title, keyId, git, clock, signal, ids: randomIds }
    const id = this.#options.id ?? randomIds.hex(4)
    for (const label of toLabels(backends)) {
      const worktree = await createWorktree({ ...common, group: { id, label } })
      const workspace = discoverWorkspace({ start: worktree.path, git, signal })
      // It is there, so it has to be dropped even if this is cancelled now.
      const opened = { label, worktree, workspace, workdir: withinWorktree(worktree, below) }
      this.#opened.push({ ...opened, seen: new BoundaryCounts(), checks: [], isRemoved: false })
      this.#locks.push(await takeLock({ path: toUseLock(worktree), mode: 'exclusive', signal }))
      await workspace
      await this.#prepare(this.#opened.at(-1) as Opened, repository)
      // A setup may have installed them.
      for (const check of this.#options.checks) refuseMissingProgram(check, this.#environment(worktree))
    }
    return this.#opened.map(({ workdir, worktree }) => ({
      workdir,
      env: this.#environment(worktree),
      ownBranch: toRef(worktree),
    }))
  }

  /** From the second worktree on, what the setup of the first one installed is copied. */
  async #prepare(opened: Opened, { worktree_root: userTree, git_common_dir }: WorkspaceIdentity): Promise<void> {
    const { worktree } = opened
    const { preparation, templates, clock, signal, watcher } = this.#options
    if (!needsPreparation(preparation)) return
    const end = await prepareWorktree({
      ...{ preparation, templates, clock, signal, userTree, root: worktree.path, repository: git_common_dir },
      git: pinToWorktree(this.#options.git, worktree),
      env: this.#environment(worktree),
      runCommand: this.#runner(opened),
      onStep: (step) => {
        watcher?.noted?.({ message: `${worktree.label}: ${describeStep(step)}`, isWarning: false })
      },
    })
    if (end.is === 'failed') throw toPreparationFault(end.setup)
    for (const note of end.notes) this.warn(`${worktree.label}: ${note}`)
  }

  #runner({ worktree, workspace, seen }: Opened): PreparationTools['runCommand'] {
    const { boundary } = this.#options
    return async (check) => {
      if (boundary.is === 'outside') return await runCheck(check)
      const there = toWorktreeDirectories(await workspace, toRef(worktree))
      const place = { worktree: there, isMadeByDrover: true }
      const enclose = boundary.sandbox.encloseChecks(place, (event) => void seen.add(event))
      const result = await runCheck({ ...check, enclose })
      seen.addPrinted(result.output)
      return result
    }
  }

  /** Of all that runs in a worktree. */
  #environment({ path: root, branch, port, repository }: Worktree): WorktreesOptions['env'] {
    return toWorktreeEnvironment(this.#options.env, { root, branch, port, repository })
  }

  async #warnOfChanges({ worktree_root: start }: WorkspaceIdentity): Promise<void> {
    const { git, signal } = this.#options
    const { path_count: count } = await observeGit({ start, isRoot: true, git, signal })
    if (count === 0) return
    const files = count === 1 ? '1 changed file is' : `${count} changed files are`
    this.warn(`${files} not committed, so the agents do not see the change`)
  }

  /**
   * Compares each worktree with its commit and runs the checks, one after another: they may need all of the machine. From then
   * on the worktrees stay, except those without any change. `hasFailed` has one for each agent: without a change of it, the
   * checks would say something about the commit that all began with.
   */
  async finish(hasFailed: readonly boolean[]): Promise<ComparedWorktree[]> {
    const { signal } = this.#options
    for (const [at, opened] of this.#opened.entries()) {
      await this.#measure(opened, signal)
      if (this.#isChecked(opened, hasFailed[at])) await this.#check(opened)
    }
    signal.throwIfAborted()
    for (const opened of this.#opened) if (isUnchanged(opened)) await this.#remove(opened)
    this.#isFinished = true
    return this.#report(hasFailed)
  }

  /** After a cancellation: drops all work, and returns what is known of it. */
  async cancel(hasFailed: readonly boolean[]): Promise<{ compared: ComparedWorktree[]; kept: Dropped }> {
    for (const opened of this.#opened) await this.#measure(opened, new AbortController().signal)
    const kept = await this.drop()
    return { compared: this.#report(hasFailed), kept }
  }

  #isChecked(opened: Opened, hasFailed = false): boolean {
    return !(hasFailed && isUnchanged(opened))
  }

  /** What is known of the work of each agent. */
  #report(hasFailed: readonly boolean[]): ComparedWorktree[] {
    const { boundary, checks: commands } = this.#options
    return this.#opened.map((opened, at) => {
      const missing = this.#isChecked(opened, hasFailed[at]) ? commands.slice(opened.checks.length) : []
      return toReport(opened, { boundary, checks: [...opened.checks, ...missing.map(notRun)] })
    })
  }

  async #measure(opened: Opened, signal: AbortSignal): Promise<void> {
    opened.diff ??= await this.#diff(opened, signal)
  }

  /** A failure of git must not hide the answers of the agents. */
  async #diff({ workspace, worktree: { base, path } }: Opened, signal: AbortSignal): Promise<WorktreeDiff> {
    const { git } = this.#options
    try {
      return await diffWorktree({ git, workspace: await workspace, base, signal })
    } catch (error) {
      if (!(error instanceof Fault) || signal.aborted) throw error
      this.warn(`${path} could not be compared with its commit: ${error.message}`)
      return UNKNOWN_DIFF
    }
  }

  async #check(opened: Opened): Promise<void> {
    const { label, worktree, workdir: cwd, checks } = opened
    const runCommand = this.#runner(opened)
    const { checks: commands, checkTimeoutMs: timeoutMs, signal, watcher } = this.#options
    const env = this.#environment(worktree)
    for (const command of commands) {
      watcher?.checking?.(label, command)
      const check = await runCommand({ command, cwd, env, timeoutMs, signal })
      checks.push({ ...toComparedCheck(check), ...(signal.aborted && { unfinished: 'canceled' as const }) })
      if (signal.aborted) watcher?.noted?.({ message: `${label}: ${command} canceled`, isWarning: false })
      signal.throwIfAborted()
      watcher?.checked?.(label, check)
    }
  }

  /** A failure of git must not hide the answers of the agents. */
  async #remove(opened: Opened): Promise<void> {
    const { git, signal } = this.#options
    const { worktree } = opened
    try {
      opened.isRemoved = (await removeWorktree({ git, worktree, signal })).is === 'removed'
    } catch (error) {
      if (!(error instanceof Fault) || signal.aborted) throw error
      this.warn(`${worktree.directory} could not be removed: ${error.message}`)
    }
  }

  /** Drops what a comparison that was cancelled leaves. */
  async drop(): Promise<Dropped> {
    const dropped: KeepResult['dropped'][number][] = []
    const left: KeepResult['left'][number][] = []
    if (this.#isFinished) return { dropped, left }
    this.#isFinished = true
    const { signal } = new AbortController()
    for (const opened of this.#opened) {
      const { label, worktree, isRemoved } = opened
      // It changed nothing.
      if (isRemoved) continue
      try {
        const { git } = this.#options
        const { commit } = await dropWorktree(worktree, { git, signal })
        opened.isRemoved = true
        if (commit !== undefined) await noteDropped(worktree, { git, commit, signal })
        dropped.push({ name: label, ...(commit !== undefined && { commit }) })
        if (commit !== undefined) this.#note(`dropped ${label}. To get it back: git branch NAME ${commit.slice(0, 12)}`)
      } catch (error) {
        if (!(error instanceof Fault)) throw error
        left.push({ name: label, path: worktree.path, reason: error.message })
        this.warn(`${worktree.directory} could not be removed: ${error.message}`)
      }
    }
    return { dropped, left }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.drop()
    } finally {
      for (const lock of this.#locks) lock.release()
    }
  }

  warn(message: string): void {
    this.#note(message, true)
  }

  #note(message: string, isWarning = false): void {
    this.warnings.push(message)
    this.#options.watcher?.noted?.({ message, isWarning })
  }
}

function isUnchanged({ diff = UNKNOWN_DIFF }: Opened): boolean {
  return diff !== UNKNOWN_DIFF && diff.files.length === 0
}

/** What `HEAD` says may come from a command. */
function toRef({ branch }: Worktree): string {
  return `refs/heads/${branch}`
}

function toPreparationFault({ command, exitCode, problem, output }: CheckResult): Fault {
  const result = problem ?? `ended with exit code ${exitCode}`
  return worktreeNotPrepared({ command, result, output: output.trimEnd().split('\n').slice(-SHOWN_LINES).join('\n') })
}

/** What was attached to the prompt or piped to it follows its text, and names no branch. Pure. */
export function firstLine(prompt: string): string {
  return (
    prompt
      .split(/\r?\n/)
      .find((line) => line.trim() !== '')
      ?.trim() ?? ''
  )
}

/** An agent that takes part twice is `codex` and `codex-2`. Pure. */
export function toLabels(backends: readonly string[]): string[] {
  return backends.map((backend, at) => {
    const earlier = backends.slice(0, at).filter((other) => other === backend).length
    return earlier === 0 ? backend : `${backend}-${earlier + 1}`
  })
}

type Inspected = { checks: ComparedCheck[]; boundary: DriveBoundary }

function toReport(opened: Opened, { checks, boundary }: Inspected): ComparedWorktree {
  const { label, worktree, isRemoved, diff = UNKNOWN_DIFF } = opened
  const { path, branch, base, repository } = worktree
  const { files, insertions, deletions } = diff
  return {
    name: label,
    ...(isRemoved ? {} : { path, branch }),
    ...{ repository, base, files: files.length, insertions, deletions, changes: [...files] },
    ...(boundary.is === 'inside' && { boundary: { enforced_by: 'bubblewrap' as const, ...opened.seen.report() } }),
    checks,
  }
}

function toComparedCheck(check: CheckResult): ComparedCheck {
  const { command, passed, exitCode, problem, durationMs, output, isOutputCut } = check
  return {
    ...{ command, passed, exit_code: exitCode, ...(problem !== undefined && { problem }) },
    ...{ duration_ms: durationMs, output, output_truncated: isOutputCut },
  }
}

function notRun(command: string): ComparedCheck {
  const nothing = { passed: false, exit_code: null, duration_ms: 0, output: '', output_truncated: false }
  return { command, ...nothing, problem: 'it did not run', unfinished: 'not_run' }
}

/** The same directory as in the repository, if the commit has it. */
function withinWorktree({ path }: Worktree, below: string): string {
  const inside = join(path, below)
  return existsSync(inside) ? inside : path
}
