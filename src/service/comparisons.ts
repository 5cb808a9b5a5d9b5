/** Compares what agents change, each in a git worktree. Clients are limited as with driven runs. */
import type { Config } from '../config/config.shape.ts'
import { findUsableProject, withProject } from '../config/projects/projects.ts'
import { type AgentPlace, placeOf } from '../drive/decide/agent-permissions.ts'
import { openBoundaryFor } from '../drive/drive-boundary.ts'
import { driveLimitReached } from '../drive/faults.ts'
import { chooseApproval, chooseRepository, refuseModes, refuseOptions } from '../drive/service/client-rules.ts'
import { chooseSandbox } from '../drive/start/drive-options.ts'
import { executionAmbiguous } from '../executions/store/faults.ts'
import { Fault } from '../kit/fault.ts'
import { withoutGitPlaces } from '../kit/process/environment-variables.ts'
import { parseCheck } from '../kit/process/run-check.ts'
import { type Caller, ownerKey } from '../prompts/caller.ts'
import { refuseDeepNesting } from '../prompts/check-permissions.ts'
import { askAgents, compareAgents } from '../prompts/compare-agents.ts'
import type { PromptContext } from '../prompts/prompt-context.ts'
import type { KeepRequest } from '../prompts/prompt-request.shape.ts'
import type { ComparisonResult, KeepResult } from '../prompts/prompt-result.shape.ts'
import { type BatchRunOptions, runBatch } from '../prompts/run-batch.ts'
import { isInDirectory, resolveDirectory, resolveWorkdir } from '../prompts/workdir-policy.ts'
import type { MachineSandbox } from '../sandbox/machine/machine-sandbox.ts'
import { discoverWorkspace } from '../workspace/discover-workspace.ts'
import { type Git, locateGit } from '../workspace/git.ts'
import { type FoundWorktree, listWorktrees, type Worktree } from '../workspace/worktree-records.ts'
import { describeKeepReason } from '../workspace/worktrees/inspect-worktree.ts'
import { commitAll, dropWorktree, removeWorktree } from '../workspace/worktrees/remove-worktree.ts'
import { ComparisonWorktrees, toLabels } from './comparison-worktrees.ts'
import type { Comparison } from './drover-service.ts'
import {
  comparedDirectoryShared,
  comparisonInvalid,
  comparisonNeedsWorker,
  comparisonNotFound,
  comparisonOver,
  nothingToKeep,
} from './faults.ts'
import { noteKept } from './show-comparison.ts'

type ComparisonParts = {
  settings: Config
  /** The directory of all worktrees of the user. */
  worktrees: string
  /** What setups have installed for worktrees, and how those of each repository are prepared. */
  templates: string
  projects: string
  sandbox: MachineSandbox | undefined
  /** Whether this process runs agents. */
  isWorker: boolean
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
    if (request.worktrees !== true) return await compareAgents(request, context, options)
    if (!this.#parts.isWorker) throw comparisonNeedsWorker({})
    const start = this.#permit(context, request)
    const added = request.additional_directories?.map((each) => resolveWorkdir(each, context.workdirs))
    const asked = { ...request, workdir: start, ...(added !== undefined && { additional_directories: added }) }
    if (request.dry_run === true || context.settings.unified_flags.dry_run) {
      return await compareAgents(asked, context, options)
    }
    const local = inWorktrees(context)
    return await this.#reserving(context.by, () =>
      runBatch({ kind: 'compare', prompt: request.prompt, workdir: start, context: local, options }, (batch) =>
        this.#compare(asked, local, batch),
      ),
    )
  }

  /** Keeps the work of one agent of the caller's last comparison in a repository. Without a name, all of it is dropped. */
  async keep(wanted: KeepRequest, context: PromptContext, signal: AbortSignal): Promise<KeepResult> {
    const { name, comparison: given, ...request } = wanted
    refuseDeepNesting(context)
    const keyId = ownerKey(context.by)?.id
    const all = listWorktrees(this.#parts.worktrees)
    const named = given === undefined ? undefined : findGroup(all, { given, keyId })
    const comparison = named?.group
    const start = this.#permit(context, { ...request, ...(named !== undefined && { workdir: named.repository }) })
    const git = locateGit(context)
    const { git_common_dir: gitCommonDir } = await discoverWorkspace({ start, git, signal })
    const worktrees = findComparison(all, { gitCommonDir, name, keyId, comparison })
    return await keepCompared(worktrees, { git, name, signal })
  }

  /** The directory to compare in. Throws a Fault for what the caller may not do. */
  #permit({ by, cwd, workdirs }: PromptContext, { workdir, checks = [] }: Pick<Comparison, 'workdir' | 'checks'>) {
    const { settings } = this.#parts
    if (by.is === 'user') return workdirs === undefined ? (workdir ?? cwd) : resolveWorkdir(workdir ?? cwd, workdirs)
    refuseOptions({ checks: [...checks] }, settings)
    const repository = chooseRepository(workdir, settings, { ...by, resolve: resolveDirectory })
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

  async #compare(request: Comparison, context: PromptContext, batch: BatchRunOptions): Promise<ComparisonResult> {
    const { worktrees: home, projects } = this.#parts
    const { backends, prompt, workdir: start = context.cwd, keep } = request
    const git = locateGit(context)
    const { signal } = batch
    const { worktree_root: root, git_common_dir: repository } = await discoverWorkspace({ start, git, signal })
    refuseShared(request.additional_directories, root)
    const settings = withProject(this.#parts.settings, findUsableProject({ home: projects, repository, root }))
    const { checks = settings.drive.checks } = request
    for (const command of checks) parseCheck(command)
    const { checkTimeoutMs = settings.drive.check_timeout_secs * 1000, preparation: given, ...asked } = request
    const { env, clock, by } = context
    const keyId = ownerKey(by)?.id
    const { setup, copy, share, setup_timeout_secs: seconds, template_max_bytes: maxBytes } = settings.drive
    const mode = chooseSandbox([request.sandbox], settings, by)
    const { approval_mode: shared } = context.settings.unified_flags
    const approval_mode = chooseApproval(request.approval_mode, { drive: { approval_mode: shared } }, by)
    const options = { sandbox: mode, approval_mode }
    const boundary = await openBoundaryFor(this.#parts.sandbox, { options, agents: backends, prompts: context })
    await using worktrees = new ComparisonWorktrees({
      boundary,
      preparation: { setup, copy, share, timeoutMs: seconds * 1000, ...given },
      templates: { home: this.#parts.templates, maxBytes },
      ...{
        home,
        start,
        backends,
        prompt,
        id: batch.execution?.parentId,
        keyId,
        checks,
        checkTimeoutMs,
        git,
        clock,
        env,
      },
      ...{ signal: batch.signal, watcher: batch.watcher },
    })
    if (mode !== 'off' && boundary.is === 'outside') worktrees.warn(`without a sandbox: ${boundary.why}`)
    if (boundary.is === 'inside' && boundary.why !== undefined) worktrees.warn(`in a sandbox, but ${boundary.why}`)
    for (const shared of request.additional_directories ?? []) {
      worktrees.warn(`all agents work in ${shared}, so what they change there is not compared`)
    }
    const opened = await worktrees.open()
    const places = opened.map((place, at) => ({
      ...place,
      modes: toModes(placeOf(backends[at] ?? '', { options, boundary })),
    }))
    const result = await askAgents({ ...asked, places }, context, batch)
    const finished = await finish(worktrees, { git, keep, signal: batch.signal })
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

/** Looks at what the agents left. After a cancellation nothing of it stays, so there is nothing to look at. */
async function finish(
  worktrees: ComparisonWorktrees,
  { git, keep: name, signal }: { git: Git; keep: string | undefined; signal: AbortSignal },
): Promise<Finished> {
  try {
    signal.throwIfAborted()
    const compared = await worktrees.finish()
    return name === undefined ? { compared } : { compared, ...(await keepOne(worktrees, { git, name, signal })) }
  } catch (error) {
    if (!signal.aborted) throw error
    return { compared: [], kept: await worktrees.drop(), isCanceled: true }
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
function checkComparison({ worktrees, checks = [], keep, backends }: Comparison): void {
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

type Wanted = {
  gitCommonDir: string
  name: string | undefined
  keyId: string | undefined
  comparison?: string | undefined
}

const SHORTEST_PREFIX = 4

/** A worktree of the comparison with this id, or the beginning of it; `exec_` may be omitted. Pure. */
export function findGroup(
  worktrees: readonly FoundWorktree[],
  { given, keyId }: { given: string; keyId: string | undefined },
): FoundWorktree {
  const short = given.replace(/^exec_/, '')
  const own = worktrees.filter(({ group, key_id }) => group !== undefined && key_id === keyId)
  const isMeant = ({ group = '' }: FoundWorktree) => group.replace(/^exec_/, '').startsWith(short)
  const found = short.length < SHORTEST_PREFIX ? [] : own.filter(isMeant)
  const [first] = found
  if (first === undefined) throw comparisonOver({ id: given })
  if (found.some(({ group }) => group !== first.group)) throw executionAmbiguous({ id: given })
  return first
}

/** The worktrees of the caller's newest comparison in this repository, if one has this name. Pure. */
export function findComparison(worktrees: readonly FoundWorktree[], { gitCommonDir, name, keyId, comparison }: Wanted) {
  const isNamed = (each: FoundWorktree) => comparison === undefined || each.group === comparison
  const isHere = (each: FoundWorktree) => each.git_common_dir === gitCommonDir && each.key_id === keyId && isNamed(each)
  const here = worktrees.filter((each) => each.group !== undefined && isHere(each))
  const last = here.filter(({ group }) => group === here.at(-1)?.group)
  const known = last.map(({ label }) => label ?? '')
  if (last.length === 0 || (name !== undefined && !known.includes(name))) throw comparisonNotFound({ name, known })
  return last
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
  const name = shownName(worktree)
  const { head } = await commitAll(worktree, options)
  if (head === worktree.base) throw nothingToKeep({ name })
  await noteKept(worktree, { ...options, commit: head })
  const removal = await removeWorktree({ ...options, worktree })
  if (removal.is === 'kept') left.push({ name, path: worktree.path, reason: describeKeepReason(removal.reason) })
  return { name, branch: worktree.branch, commit: head }
}

/** If the changes cannot be committed, the worktree stays. */
async function drop(worktree: Worktree, options: KeepOptions, { dropped, left }: Ended): Promise<void> {
  const name = shownName(worktree)
  try {
    dropped.push({ name, ...(await dropWorktree(worktree, options)) })
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    left.push({ name, path: worktree.path, reason: error.message })
  }
}

function shownName({ label, name }: Worktree): string {
  return label ?? name
}
