/** A comparison that has run: what each agent changed, and whose work was kept. */
import type { Usage } from '../agents/adapter/agent.ts'
import type { Execution } from '../executions/store/execution.shape.ts'
import { isFinal } from '../executions/store/execution-states.ts'
import { executionNotFound } from '../executions/store/faults.ts'
import { Fault, isFault } from '../kit/fault.ts'
import { withoutUndefined } from '../kit/json-value.ts'
import { type Caller, ownerKey } from '../prompts/caller.ts'
import type { PromptContext } from '../prompts/prompt-context.ts'
import type { ComparedResult, ComparedWorktree, ComparisonResult } from '../prompts/prompt-result.shape.ts'
import { sharedUsage } from '../prompts/tokens.ts'
import { isInDirectory } from '../prompts/workdir-policy.ts'
import { discoverWorkspace } from '../workspace/discover-workspace.ts'
import { type Git, locateGit } from '../workspace/git.ts'
import { type FoundWorktree, listWorktrees, type Worktree } from '../workspace/worktree-records.ts'
import {
  diffCommits,
  diffWorktree,
  type Patch,
  patchCommits,
  patchWorktree,
} from '../workspace/worktrees/diff-worktree.ts'
import { pinToWorktree } from '../workspace/worktrees/pin-worktree.ts'
import { findGroup, findLast } from './choose-comparison.ts'
import { findBase, findBranch, findDropped, findKept } from './compared-refs.ts'
import type { ComparedDiff, ComparisonView } from './comparison.shape.ts'
import { toLabels } from './comparison-worktrees.ts'
import type { ExecutionService, WantedDiff } from './drover-service.ts'
import { comparedWorkGone, comparisonNotFound, comparisonUnknown } from './faults.ts'

type Contender = ComparisonView['contenders'][number]
type Base = Pick<ComparedWorktree, 'base' | 'repository'>
type Place = { name: string; repository: string | undefined }
type Work = Pick<Contender, 'work' | 'commit'>
type Ended = { result: ComparisonResult | undefined; parts: readonly Execution[] }
type Named = Pick<ComparedWorktree, 'name' | 'repository'>

export type ComparedParts = {
  readonly executions: Pick<ExecutionService, 'find' | 'list'>
  readonly by: Caller
  /** The directory of all worktrees of the user. */
  readonly worktrees: string
  readonly env: PromptContext['env']
  readonly cwd: string
  readonly signal: AbortSignal
}

/** More agents than a comparison may have. */
const MAX_PARTS = 100

const NOT_CHECKED =
  'drover was killed before the comparison ended, so its checks did not run, or their results are lost'

export class ComparedWork {
  readonly #parts: ComparedParts
  readonly #git: Git
  #listed: readonly FoundWorktree[] | undefined

  constructor(parts: ComparedParts) {
    this.#parts = parts
    this.#git = locateGit(parts)
  }

  async show(named: string): Promise<ComparisonView> {
    const { execution, result } = await this.#find(named)
    const { id, state, prompt, created_at, ended_at } = execution
    const { executions, by } = this.#parts
    const page = await executions.list(by, { parent: id }, { limit: MAX_PARTS })
    const parts = page.executions.toReversed()
    const contenders = await this.#contenders(execution, { result, parts })
    // A comparison in worktrees has the repository itself.
    const workdir = execution.workdir === undefined ? parts[0]?.workdir : undefined
    const winner = contenders.find(({ work }) => work === 'kept')?.name
    const isCutOff = result === undefined && state === 'lost' && contenders.some(({ work }) => work !== 'none')
    const warnings = isCutOff ? [NOT_CHECKED] : result?.warnings
    const known = { prompt, ended_at, workdir, winner, warnings: warnings && [...warnings] }
    return { id, state, created_at, contenders, ...withoutUndefined(known) }
  }

  /** Without an id, of the last comparison in a repository. */
  async diff({ id: named, name, workdir }: WantedDiff): Promise<ComparedDiff> {
    const { id, repository, result } = await this.#findWork(named ?? (await this.#last(workdir)))
    const recorded = result?.results.find((each) => each.worktree?.name === name)?.worktree
    const place =
      recorded ?? this.#open(id, name) ?? (result === undefined ? await this.#keptPlace(id, repository) : undefined)
    if (place === undefined) {
      const commit =
        result?.dropped?.find((each) => each.name === name)?.commit ??
        (repository === undefined ? undefined : await findDropped(this.#asked(id, repository), name))
      throw comparedWorkGone({ id, name, known: result === undefined ? [] : toLabels(result.backends), commit })
    }
    if (recorded?.files === 0) throw comparedWorkGone({ id, name, known: [], files: 0 })
    const { files, patch, isCut } = await this.#patch(id, { ...place, name })
    return { id, name, base: place.base, files: [...files], patch, is_cut: isCut }
  }

  async #last(workdir = this.#parts.cwd): Promise<string> {
    const { executions, by, signal } = this.#parts
    const { git_common_dir: repository } = await discoverWorkspace({ start: workdir, git: this.#git, signal })
    const id = await findLast(repository, { worktrees: this.#worktrees, executions, by, git: this.#git, signal })
    if (id === undefined) throw comparisonNotFound({ name: undefined, known: [] })
    return id
  }

  /** Also of a comparison of which only the worktrees are kept. */
  async #findWork(named: string): Promise<{ id: string; repository?: string; result?: ComparisonResult | undefined }> {
    try {
      const { execution, result } = await this.#find(named)
      const { id, workdir } = execution
      return { id, result, ...(workdir !== undefined && { repository: workdir }) }
    } catch (error) {
      if (!isFault(error, executionNotFound)) throw error
      const keyId = ownerKey(this.#parts.by)?.id
      const own = this.#worktrees.filter((each) => each.group !== undefined && each.key_id === keyId)
      const id = findGroup(own, named)
      if (id === undefined) throw comparisonUnknown({ id: named })
      return { id }
    }
  }

  /** Where the kept work of a comparison without a result is. */
  async #keptPlace(id: string, repository: string | undefined): Promise<Base | undefined> {
    const base = repository === undefined ? undefined : await findBase(this.#asked(id, repository))
    return base === undefined || repository === undefined ? undefined : { base, repository }
  }

  async #find(named: string): Promise<{ execution: Execution; result: ComparisonResult | undefined }> {
    const execution = await this.#parts.executions.find(this.#parts.by, named)
    if (execution.kind !== 'compare') throw comparisonUnknown({ id: named })
    return { execution, result: execution.result as ComparisonResult | undefined }
  }

  async #contenders(execution: Execution, { result, parts }: Ended): Promise<Contender[]> {
    const { id, state, workdir: repository } = execution
    if (result === undefined) return await this.#unfinished(execution, parts)
    const names = toLabels(result.backends)
    return await Promise.all(
      result.results.map(async (each, at): Promise<Contender> => {
        const part = parts.find((one) => one.id === each.execution_id)
        const name = names[at] ?? each.backend
        const work = await this.#work(id, name, { result, worktree: each.worktree })
        // Of a canceled comparison of an older version, the answer has none.
        const { worktree = await this.#measureWork(id, { name, repository }, work) } = each
        const known = part === undefined ? { backend: each.backend, state: stateOf(each, state) } : ofExecution(part)
        return { ...answered(known, each), ...{ name, ...work }, ...(worktree !== undefined && { worktree }) }
      }),
    )
  }

  /** Of a comparison that still runs, or whose process was killed: its worktrees are where they were. */
  async #unfinished({ id, state, workdir }: Execution, parts: readonly Execution[]): Promise<Contender[]> {
    const names = toLabels(parts.map(({ backend = '' }) => backend))
    return await Promise.all(
      parts.map(async (part, at): Promise<Contender> => {
        const open = this.#worktrees.find((each) => each.group === id && isBelow(part.workdir, each.path))
        const name = open?.label ?? names[at] ?? ''
        const known = { ...answered(ofExecution(part), await this.#result(part)), name }
        if (!isFinal(state)) return { ...known, work: 'none' }
        const place = { name, repository: workdir }
        const work = open === undefined ? await this.#endedWork(id, place, part) : { work: 'open' as const }
        const worktree = await this.#measureWork(id, place, work)
        return { ...known, ...work, ...(worktree !== undefined && { worktree }) }
      }),
    )
  }

  async #endedWork(id: string, { name, repository }: Place, part: Execution): Promise<Work> {
    if (repository === undefined || !isBelow(part.workdir, this.#parts.worktrees)) return { work: 'none' }
    const commit = await this.#kept(id, { name, repository })
    return commit === undefined ? await this.#dropped(id, { name, repository }) : { work: 'kept', commit }
  }

  /** Only the execution alone has its result. */
  async #result({ id, state }: Execution): Promise<ComparedResult | undefined> {
    if (!isFinal(state)) return undefined
    const { executions, by } = this.#parts
    const { result } = await executions.find(by, id).catch((error: unknown) => {
      if (isFault(error, executionNotFound)) return { result: undefined }
      throw error
    })
    return result as ComparedResult | undefined
  }

  /** Of work that the answer has not measured. */
  async #measureWork(id: string, { name, repository }: Place, { commit }: Work): Promise<Contender['worktree']> {
    const open = this.#open(id, name)
    if (open !== undefined) return await this.#measureOpen(name, open)
    if (repository === undefined || commit === undefined) return undefined
    return await this.#measureCommit(id, { name, repository }, commit)
  }

  async #measureOpen(name: string, open: Worktree): Promise<Contender['worktree']> {
    const { path, branch, base, repository } = open
    const { signal } = this.#parts
    return await this.#measured({ name, path, branch, base, repository }, async () => {
      return (await diffWorktree({ ...pinned(this.#git, open), base, signal })).files
    })
  }

  async #measureCommit(id: string, named: Named, to: string): Promise<Contender['worktree']> {
    const { repository } = named
    const base = await findBase(this.#asked(id, repository))
    if (base === undefined) return undefined
    const { signal } = this.#parts
    const branch = await findBranch(this.#asked(id, repository), to)
    return await this.#measured({ ...named, base, ...(branch !== undefined && { branch }) }, () =>
      diffCommits({ git: this.#git, directory: repository, from: base, to, signal }),
    )
  }

  /** Without the sizes if git fails: the work is there anyway. */
  async #measured(
    place: Omit<ComparedWorktree, 'files' | 'insertions' | 'deletions' | 'changes' | 'checks'>,
    measure: () => Promise<Patch['files']>,
  ): Promise<Contender['worktree']> {
    try {
      const changes = await measure()
      const sum = (field: 'insertions' | 'deletions') => changes.reduce((total, each) => total + (each[field] ?? 0), 0)
      const sizes = { files: changes.length, insertions: sum('insertions'), deletions: sum('deletions') }
      return { ...place, ...sizes, changes: [...changes], checks: [] }
    } catch (error) {
      if (!(error instanceof Fault) || this.#parts.signal.aborted) throw error
      return undefined
    }
  }

  async #work(
    id: string,
    name: string,
    { result, worktree }: { result: ComparisonResult; worktree: ComparedWorktree | undefined },
  ): Promise<Work> {
    if (worktree === undefined) {
      if (this.#open(id, name) !== undefined) return { work: 'open' }
      const dropped = result.dropped?.find((each) => each.name === name)
      return dropped?.commit === undefined ? { work: 'none' } : { work: 'dropped', commit: dropped.commit }
    }
    if (worktree.files === 0) return { work: 'none' }
    if (this.#open(id, name) !== undefined) return { work: 'open' }
    const commit = await this.#kept(id, worktree)
    return commit === undefined ? await this.#dropped(id, worktree) : { work: 'kept', commit }
  }

  #open(id: string, name: string): Worktree | undefined {
    return this.#worktrees.find((each) => each.group === id && each.label === name)
  }

  get #worktrees(): readonly FoundWorktree[] {
    this.#listed ??= listWorktrees(this.#parts.worktrees)
    return this.#listed
  }

  async #kept(id: string, { name, repository }: Named): Promise<string | undefined> {
    return await findKept(this.#asked(id, repository), name)
  }

  async #dropped(id: string, { name, repository }: Named): Promise<{ work: 'dropped'; commit?: string }> {
    const commit = await findDropped(this.#asked(id, repository), name)
    return { work: 'dropped', ...(commit !== undefined && { commit }) }
  }

  #asked(id: string, repository: string) {
    return { git: this.#git, signal: this.#parts.signal, id, repository }
  }

  async #patch(id: string, worktree: Base & Named): Promise<Patch> {
    const { signal } = this.#parts
    const { name, base, repository } = worktree
    const open = this.#open(id, name)
    if (open !== undefined) {
      return await patchWorktree({ ...pinned(this.#git, open), base, signal })
    }
    const commit = await this.#kept(id, worktree)
    if (commit === undefined) {
      throw comparedWorkGone({ id, name, known: [], commit: await findDropped(this.#asked(id, repository), name) })
    }
    return await patchCommits({ git: this.#git, directory: repository, from: base, to: commit, signal })
  }
}

/** Git for a worktree of the repository, whatever `.git` in it says. */
function pinned(from: Git, { path, git_common_dir }: Worktree) {
  const git = pinToWorktree(from, { path, git_common_dir })
  return { git, workspace: { ...git.pinned, git_common_dir } }
}

function isBelow(path: string | undefined, directory: string): boolean {
  return path !== undefined && isInDirectory(path, directory)
}

type Known = Omit<Contender, 'name' | 'work'>

function ofExecution(part: Execution): Known {
  const { id, backend = '', state, session_id, usage, cost_usd, cost_kind, started_at: start, ended_at: end } = part
  const { error, model, is_demo: isDemo } = part
  const hasTimes = start !== undefined && end !== undefined
  const duration_ms = hasTimes ? Math.max(0, Date.parse(end) - Date.parse(start)) : undefined
  const failure = { error: error?.message, error_code: error?.code }
  const is_demo = isDemo === true ? (true as const) : undefined
  const known = { ...failure, session_id, duration_ms, model, is_demo, cost_usd, cost_kind }
  return { backend, state, execution_id: id, ...tokensOf(usage, backend), ...withoutUndefined(known) }
}

/** As the answer has it: its time is without what came before and after the agent. One that never began has none. */
function answered({ duration_ms: time, ...known }: Known, result: ComparedResult | undefined): Known {
  if (result === undefined) return { ...known, ...withoutUndefined({ duration_ms: time }) }
  const { backend, output, token_usage: usage, model, agent_version, cost_usd, cost_kind, error, error_code } = result
  const duration_ms = result.duration_ms > 0 ? result.duration_ms : undefined
  const told = { duration_ms, model, agent_version, cost_usd, cost_kind, error, error_code }
  return { ...known, output, ...tokensOf(usage, backend), ...withoutUndefined(told) }
}

function tokensOf(usage: Usage | undefined, backend: string): Pick<Contender, 'usage' | 'token_usage'> {
  if (usage === undefined) return {}
  const shared = sharedUsage({ token_usage: usage, backend })
  return shared.usage === undefined ? {} : { ...shared, token_usage: usage }
}

/** Of an agent whose execution is not kept. */
function stateOf({ exit_code: code }: ComparedResult, state: Execution['state']): Contender['state'] {
  return code === 0 ? 'completed' : state === 'completed' ? 'failed' : state
}
