/** Compares what agents change, each in a git worktree. Clients are limited as with driven runs. */
import { existsSync } from 'node:fs'
import { promptEmpty } from '../agents/faults.ts'
import { backendNames } from '../agents/locate-agents.ts'
import type { Config } from '../config/config.shape.ts'
import { settingsForClients, settingsForUser } from '../config/projects/projects.ts'
import { type AgentPlace, placeOf } from '../drive/decide/agent-permissions.ts'
import { openBoundaryFor } from '../drive/drive-boundary.ts'
import type { DriveBoundary } from '../drive/drive-context.ts'
import { driveLimitReached } from '../drive/faults.ts'
import { chooseApproval, chooseRepository, refuseModes, refuseOptions } from '../drive/service/client-rules.ts'
import { chooseSandbox, refuseMissingProgram } from '../drive/start/drive-options.ts'
import { type KeepMode, resolveKeepMode } from '../executions/store/execution-states.ts'
import { Fault } from '../kit/fault.ts'
import { withoutGitPlaces } from '../kit/process/environment-variables.ts'
import { parseCheck } from '../kit/process/run-check.ts'
import { type Caller, ownerKey } from '../prompts/caller.ts'
import { refuseBackend } from '../prompts/ceilings.ts'
import { refuseDeepNesting } from '../prompts/check-permissions.ts'
import { askAgents, compareAgents } from '../prompts/compare-agents.ts'
import { backendNotFound } from '../prompts/faults.ts'
import type { PromptContext, PromptObserver } from '../prompts/prompt-context.ts'
import type { KeepRequest } from '../prompts/prompt-request.shape.ts'
import type { ComparisonResult, KeepResult } from '../prompts/prompt-result.shape.ts'
import { type PromptResult, toPromptStatus } from '../prompts/prompt-result.ts'
import { type BatchRunOptions, runBatch } from '../prompts/run-batch.ts'
import { isInDirectory, resolveDirectory, resolveWorkdir } from '../prompts/workdir-policy.ts'
import type { MachineSandbox } from '../sandbox/machine/machine-sandbox.ts'
import { discoverWorkspace } from '../workspace/discover-workspace.ts'
import { type Git, locateGit } from '../workspace/git.ts'
import type { Preparation } from '../workspace/prepare/prepare-worktree.ts'
import { listWorktrees, type Worktree } from '../workspace/worktree-records.ts'
import { describeKeepReason } from '../workspace/worktrees/inspect-worktree.ts'
import { commitAll, dropWorktree, removeWorktree } from '../workspace/worktrees/remove-worktree.ts'
import { checkName, chooseLast, chooseNamed, refuseRunning } from './choose-comparison.ts'
import { noteDropped, noteKept } from './compared-refs.ts'
import { ComparisonWorktrees, toLabels } from './comparison-worktrees.ts'
import type { Comparison, ExecutionService } from './drover-service.ts'
import { comparedDirectoryShared, comparisonInvalid, comparisonNeedsWorker, nothingToKeep } from './faults.ts'

type ComparisonParts = {
  settings: Config
  /** The directory of all worktrees of the user. */
  worktrees: string
  /** What setups have installed for worktrees, and how those of each repository are prepared. */
  templates: string
  projects: string
  sandbox: MachineSandbox | undefined
  executions: Pick<ExecutionService, 'find' | 'list'>
  /** Whether this process runs agents. */
  isWorker: boolean
  /** What is stored of prompts if the settings leave it open. */
  keep: KeepMode
}

export class Comparisons {
  readonly #parts: ComparisonParts
  /** Those of clients, in worktrees. */
  #running = 0

  constructor(parts: ComparisonParts) {
    this.#parts = parts
  }

  async run(request: Comparison, context: PromptContext, options: BatchRunOptions): Promise<ComparisonResult> {
    checkComparison(request)
    for (const each of request.backends) refuseBackend(each, context.by.ceilings)
    if (request.worktrees !== true) return await compareAgents(request, context, options)
    if (!this.#parts.isWorker) throw comparisonNeedsWorker({})
    const start = this.#permit(context, request)
    refuseUnknown(request.backends, context)
    const added = request.additional_directories?.map((each) => resolveWorkdir(each, context.workdirs))
    const asked = { ...request, workdir: start, ...(added !== undefined && { additional_directories: added }) }
    using left = new LeftSessions(context.observer)
    const local = { ...inWorktrees(context), observer: left.observer }
    return await this.#reserving(context.by, async () => {
      // All of this is refused before there is a record.
      const plan = await this.#plan(asked, { context: local, signal: options.signal })
      if (request.dry_run === true || context.settings.unified_flags.dry_run) {
        return await this.#showPlan(asked, { context: local, plan, options })
      }
      const kept = { ...options, execution: { ...options.execution, keep: this.#keepMode() } }
      const batch = { kind: 'compare', prompt: request.prompt, workdir: start, context: local, options: kept } as const
      return await runBatch(batch, (recorded) => this.#compare(asked, { context: local, plan, batch: recorded }))
    })
  }

  /**
   * Keeps the work of one agent of a comparison of the caller: the one that is named, or the last one in a repository. Without
   * a name, all of it is dropped.
   */
  async keep(wanted: KeepRequest, context: PromptContext, signal: AbortSignal): Promise<KeepResult> {
    const { name, comparison: given, ...request } = wanted
    refuseDeepNesting(context)
    const [git, { executions, worktrees: home }] = [locateGit(context), this.#parts]
    const choosing = { worktrees: listWorktrees(home), executions, by: context.by, git, signal, name }
    const named = given === undefined ? undefined : await chooseNamed(given, choosing)
    const place = { ...request, ...(named?.[0] !== undefined && { workdir: named[0].repository }) }
    const start = this.#permit(context, place, true)
    const { git_common_dir: repository } = await discoverWorkspace({ start, git, signal })
    const worktrees = named ?? (await chooseLast(repository, choosing))
    await refuseRunning(worktrees, choosing)
    checkName(worktrees, name)
    const result = await keepCompared(worktrees, { git, name, signal })
    const [first] = worktrees
    return {
      ...(first?.group !== undefined && { comparison: first.group, prompt_start: first.title }),
      ...(first !== undefined && { repository: first.repository }),
      ...result,
    }
  }

  /** The directory to compare in. Throws a Fault for what the caller may not do. */
  #permit({ by, cwd, workdirs }: PromptContext, { workdir }: Pick<Comparison, 'workdir'>, isKept = false) {
    const { settings } = this.#parts
    if (by.is === 'user') return workdirs === undefined ? (workdir ?? cwd) : resolveWorkdir(workdir ?? cwd, workdirs)
    // The user of the machine has made the work, and may keep it anywhere.
    const repository =
      isKept && by.isUser === true
        ? (workdir ?? cwd)
        : chooseRepository(workdir, settings, { ...by, resolve: resolveDirectory })
    refuseModes({ approval_mode: 'auto' }, by)
    return repository
  }

  /** The limit of driven runs, because nothing else limits worktrees and checks of clients. */
  async #reserving<T>(by: Caller, work: () => Promise<T>): Promise<T> {
    if (by.is === 'user') return await work()
    const { max_runs: limit } = this.#parts.settings.drive
    if (this.#running >= limit) throw driveLimitReached({ limit })
    this.#running += 1
    try {
      return await work()
    } finally {
      this.#running -= 1
    }
  }

  /** People look at the results after the command, so they are kept even if those of prompts are not. */
  #keepMode(): KeepMode {
    const { settings, keep } = this.#parts
    return resolveKeepMode(settings.executions.keep, keep === 'none' ? 'results' : keep)
  }

  /** What is decided before there is a record or a worktree. Throws a Fault for what cannot work. */
  async #plan(request: Comparison, { context, signal }: { context: PromptContext; signal: AbortSignal }) {
    const { projects, sandbox } = this.#parts
    const { backends, workdir: start = context.cwd } = request
    const { env, by } = context
    const git = locateGit(context)
    const { worktree_root: root, git_common_dir: repository } = await discoverWorkspace({ start, git, signal })
    refuseShared(request.additional_directories, root)
    const settingsIn = by.is === 'client' ? settingsForClients : settingsForUser
    const settings = settingsIn(this.#parts.settings, { home: projects, repository, root })
    if (by.is === 'client') refuseOptions({ checks: request.checks }, this.#parts.settings, settings)
    const { checks = settings.drive.checks, preparation: given } = request
    const { setup, copy, share, setup_timeout_secs: seconds } = settings.drive
    const preparation = { setup, copy, share, timeoutMs: seconds * 1000, ...given }
    for (const command of checks) parseCheck(command)
    // A setup may install the programs of the checks.
    const [installs] = preparation.setup
    for (const command of installs === undefined ? checks : [installs]) refuseMissingProgram(command, env)
    const mode = chooseSandbox(request.sandbox, settings, by)
    const { approval_mode: shared } = context.settings.unified_flags
    const approval_mode = chooseApproval(request.approval_mode, { drive: { approval_mode: shared } }, by)
    const options = { sandbox: mode, approval_mode }
    const boundary = await openBoundaryFor(sandbox, { options, agents: backends, prompts: context })
    const warnings = [
      ...(mode !== 'off' && boundary.is === 'outside' ? [`without a sandbox: ${boundary.why}`] : []),
      ...(boundary.is === 'inside' && boundary.why !== undefined ? [`in a sandbox, but ${boundary.why}`] : []),
      ...(request.additional_directories ?? []).map(
        (shared) => `all agents work in ${shared}, so what they change there is not compared`,
      ),
    ]
    const modes = backends.map((backend) => toModes(placeOf(backend, { options, boundary })))
    const { checkTimeoutMs = settings.drive.check_timeout_secs * 1000 } = request
    const maxBytes = settings.drive.template_max_bytes
    return { git, start, root, checks, checkTimeoutMs, preparation, maxBytes, boundary, modes, warnings }
  }

  /** A dry run: the modes are those in worktrees, and the repository stands for each of them. */
  async #showPlan(
    { preparation: _, checkTimeoutMs: _timeout, ...request }: Comparison,
    { context, plan, options }: { context: PromptContext; plan: Plan; options: BatchRunOptions },
  ): Promise<ComparisonResult> {
    const { root, checks, modes, preparation, warnings } = plan
    const places = modes.map((each) => ({ workdir: plan.start, env: context.env, ownBranch: undefined, modes: each }))
    const commands = (what: string, list: readonly string[]) =>
      list.length === 0 ? [] : [`${what}: ${list.join('; ')}`]
    const notes = [
      `each agent would get its own worktree of ${root}, which the commands name in its place`,
      ...commands('setup in a worktree', preparation.setup),
      ...commands('checks in each worktree', checks),
    ]
    for (const message of notes) options.watcher?.noted?.({ message, isWarning: false })
    for (const message of warnings) options.watcher?.noted?.({ message, isWarning: true })
    const result = await runBatch({ kind: 'dry_run', prompt: request.prompt, context, options }, (batch) =>
      askAgents({ ...request, dry_run: true, places }, context, batch),
    )
    return { ...result, warnings: [...notes, ...warnings] }
  }

  async #compare(
    { checkTimeoutMs: _, preparation: _preparation, ...request }: Comparison,
    { context, plan, batch }: { context: PromptContext; plan: Plan; batch: BatchRunOptions },
  ): Promise<ComparisonResult> {
    const { worktrees: home, templates } = this.#parts
    const { backends, prompt, keep } = request
    const { git, start, checks, checkTimeoutMs, preparation, maxBytes, boundary, modes } = plan
    const { env, clock, by } = context
    await using worktrees = new ComparisonWorktrees({
      ...{ boundary, preparation, home, start, backends, prompt, checks, checkTimeoutMs, git, clock, env },
      templates: { home: templates, maxBytes },
      id: batch.execution?.parentId,
      keyId: ownerKey(by)?.id,
      ...{ signal: batch.signal, watcher: batch.watcher },
    })
    for (const warning of plan.warnings) worktrees.warn(warning)
    const opened = await worktrees.open()
    const places = opened.map((place, at) => ({ ...place, modes: modes[at] ?? {} }))
    const result = await askAgents({ ...request, places }, context, batch)
    const finished = await finish(worktrees, { git, keep, signal: batch.signal, results: result.results })
    const results = result.results.map((each, at) => {
      const worktree = finished.compared[at]
      return worktree === undefined ? each : { ...each, worktree }
    })
    const { warnings } = worktrees
    return {
      ...result,
      results,
      ...(finished.isCanceled && { canceled: true }),
      ...finished.kept,
      ...(warnings.length > 0 && { warnings }),
    }
  }
}

type Plan = {
  git: Git
  start: string
  root: string
  checks: readonly string[]
  checkTimeoutMs: number
  preparation: Preparation
  maxBytes: number
  boundary: DriveBoundary
  /** One for each agent. */
  modes: readonly ReturnType<typeof toModes>[]
  warnings: readonly string[]
}

/** Without worktrees, such an agent fails alone. */
function refuseUnknown(backends: readonly string[], { locate, settings }: PromptContext): void {
  const unknown = backends.find((backend) => locate(backend) === undefined)
  if (unknown !== undefined) throw backendNotFound({ backend: unknown, known: backendNames(settings.backends) })
}

/** Directories without links. There the agents would get around their worktrees. */
function refuseShared(directories: readonly string[] = [], repository: string): void {
  const isAround = (directory: string) => isInDirectory(directory, repository) || isInDirectory(repository, directory)
  const shared = directories.find(isAround)
  if (shared !== undefined) throw comparedDirectoryShared({ directory: shared, repository })
}

/** They are expected to edit files, unless someone says otherwise. */
function toModes({ approval, isInside }: AgentPlace) {
  return { approval_mode: approval, sandbox: isInside ? ('required' as const) : ('off' as const) }
}

type Finished = {
  compared: Awaited<ReturnType<ComparisonWorktrees['finish']>>
  kept?: KeepResult
  isCanceled?: boolean
}

type Finishing = { git: Git; keep: string | undefined; signal: AbortSignal; results: readonly PromptResult[] }

/** Looks at what the agents left. After a cancellation nothing of it stays. */
async function finish(
  worktrees: ComparisonWorktrees,
  { git, keep: name, signal, results }: Finishing,
): Promise<Finished> {
  const hasFailed = results.map((each) => toPromptStatus(each) !== 'completed')
  try {
    signal.throwIfAborted()
    const compared = await worktrees.finish(hasFailed)
    return name === undefined ? { compared } : { compared, ...(await keepOne(worktrees, { git, name, signal })) }
  } catch (error) {
    if (!signal.aborted) throw error
    return { ...(await worktrees.cancel(hasFailed)), isCanceled: true }
  }
}

/** A failure here must not hide the answers: it is a warning, and all worktrees stay. */
async function keepOne(
  worktrees: ComparisonWorktrees,
  options: { git: Git; name: string; signal: AbortSignal },
): Promise<Pick<Finished, 'kept'>> {
  try {
    return { kept: await keepCompared(worktrees.left, options) }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    worktrees.warn(error.message)
    return {}
  }
}

/** All of this is checked before an agent costs anything. */
function checkComparison({ prompt, worktrees, checks = [], keep, backends }: Comparison): void {
  if (prompt.trim() === '') throw promptEmpty({})
  for (const command of checks) parseCheck(command)
  if (worktrees !== true) {
    const field = checks.length > 0 ? 'checks' : 'keep'
    if (checks.length > 0 || keep !== undefined) {
      throw comparisonInvalid({ path: `$.${field}`, problem: 'needs worktrees: true' })
    }
    return
  }
  const labels = toLabels(backends)
  if (keep === undefined || labels.includes(keep)) return
  throw comparisonInvalid({ path: '$.keep', problem: `must be one of ${labels.join(', ')}` })
}

/** The agents work on this machine, and start there: git must find the worktree of an agent by its directory. The demo agent edits too. */
function inWorktrees({ dispatch: _, ...context }: PromptContext): PromptContext {
  const { env, locate } = context
  return {
    ...context,
    workdirs: undefined,
    warm: undefined,
    env: withoutGitPlaces(env),
    locate: (backend) => {
      const located = locate(backend)
      if (located?.program === undefined || !located.isDemo) return located
      // Its last word is the agent that it stands in for.
      return { ...located, program: located.program.toSpliced(-1, 0, '--write') as [string, ...string[]] }
    },
  }
}

/** Sessions that agents have left can only be deleted in their worktrees, so those of removed ones are not reported. */
class LeftSessions implements Disposable {
  readonly #observer: PromptObserver
  #waiting: [message: string, workdir: string][] | undefined = []

  constructor(observer: PromptObserver = {}) {
    this.#observer = observer
  }

  get observer(): PromptObserver {
    return { ...this.#observer, sessionLeft: (...left) => this.#note(left) }
  }

  #note([message, workdir]: [message: string, workdir: string]): void {
    if (this.#waiting !== undefined) this.#waiting.push([message, workdir])
    else if (existsSync(workdir)) this.#observer.sessionLeft?.(message, workdir)
  }

  [Symbol.dispose](): void {
    const waiting = this.#waiting ?? []
    this.#waiting = undefined
    for (const left of waiting) this.#note(left)
  }
}

type Ended = { dropped: KeepResult['dropped'][number][]; left: KeepResult['left'][number][] }
type KeepOptions = { git: Git; name: string | undefined; signal: AbortSignal }

/** Keeps first: if that fails, nothing is dropped. */
async function keepCompared(worktrees: readonly Worktree[], options: KeepOptions): Promise<KeepResult> {
  const ended: Ended = { dropped: [], left: [] }
  const chosen = options.name === undefined ? undefined : worktrees.find(({ label }) => label === options.name)
  if (options.name !== undefined && chosen === undefined) throw nothingToKeep({ name: options.name })
  const kept = chosen && (await keep(chosen, options, ended))
  for (const worktree of worktrees) if (worktree !== chosen) await drop(worktree, options, ended)
  return { ...(kept !== undefined && { kept }), ...ended }
}

async function keep(worktree: Worktree, options: KeepOptions, { left }: Ended): Promise<KeepResult['kept']> {
  const name = worktree.label ?? worktree.name
  const { head } = await commitAll(worktree, options)
  if (head === worktree.base) throw nothingToKeep({ name })
  await noteKept(worktree, { ...options, commit: head })
  const removal = await removeWorktree({ ...options, worktree })
  if (removal.is === 'kept') left.push({ name, path: worktree.path, reason: describeKeepReason(removal.reason) })
  return { name, branch: worktree.branch, commit: head }
}

/** If the changes cannot be committed, the worktree stays. */
async function drop(worktree: Worktree, options: KeepOptions, { dropped, left }: Ended): Promise<void> {
  const name = worktree.label ?? worktree.name
  try {
    const { commit } = await dropWorktree(worktree, options)
    if (commit !== undefined) await noteDropped(worktree, { ...options, commit })
    dropped.push({ name, ...(commit !== undefined && { commit }) })
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    left.push({ name, path: worktree.path, reason: error.message })
  }
}
