/** A comparison that has run: what each agent changed, and whose work was kept. */
import type { Execution } from '../executions/store/execution.shape.ts'
import { isFinal } from '../executions/store/execution-states.ts'
import type { Caller } from '../prompts/caller.ts'
import type { PromptContext } from '../prompts/prompt-context.ts'
import type { ComparedResult, ComparedWorktree, ComparisonResult } from '../prompts/prompt-result.shape.ts'
import { isInDirectory } from '../prompts/workdir-policy.ts'
import { discoverWorkspace } from '../workspace/discover-workspace.ts'
import { askGit, askGitForOutput, type Git, locateGit } from '../workspace/git.ts'
import { listWorktrees, type Worktree } from '../workspace/worktree-records.ts'
import { type Patch, patchCommits, patchWorktree } from '../workspace/worktrees/diff-worktree.ts'
import { pinToWorktree } from '../workspace/worktrees/pin-worktree.ts'
import type { ComparedDiff, ComparisonView } from './comparison.shape.ts'
import { toLabels } from './comparison-worktrees.ts'
import type { ExecutionService } from './drover-service.ts'
import { comparedWorkGone, comparisonNotFound } from './faults.ts'

type Contender = ComparisonView['contenders'][number]

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

/** A ref keeps the commit, also when its branch is merged and deleted. */
const keptRef = (id: string, name: string) => `refs/drover/kept/${id}/${name}`

/** Call it before the worktree is removed. */
export async function noteKept(
  worktree: Worktree,
  by: { git: Git; commit: string; signal: AbortSignal },
): Promise<void> {
  const { group, label, repository: directory } = worktree
  if (group === undefined || label === undefined) return
  const args = ['update-ref', keptRef(group, label), by.commit] as const
  await askGitForOutput(by.git, { directory, args, signal: by.signal })
}

export class ComparedWork {
  readonly #parts: ComparedParts
  readonly #git: Git
  #listed: readonly Worktree[] | undefined

  constructor(parts: ComparedParts) {
    this.#parts = parts
    this.#git = locateGit(parts)
  }

  async show(named: string): Promise<ComparisonView> {
    const { execution, result } = await this.#find(named)
    const { id, state, prompt, created_at, ended_at } = execution
    const contenders = await this.#contenders(execution, result)
    const winner = contenders.find(({ work }) => work === 'kept')?.name
    const warnings = result?.warnings
    return {
      ...{ id, state, created_at, contenders },
      ...(prompt !== undefined && { prompt }),
      ...(ended_at !== undefined && { ended_at }),
      ...(winner !== undefined && { winner }),
      ...(warnings !== undefined && { warnings: [...warnings] }),
    }
  }

  async diff({ id: named, name }: { id: string; name: string }): Promise<ComparedDiff> {
    const { execution, result } = await this.#find(named)
    const { id } = execution
    const worktree = result?.results.find((each) => each.worktree?.name === name)?.worktree
    if (worktree === undefined) throw comparedWorkGone({ id, name })
    const { files, patch, isCut } = await this.#patch(id, worktree)
    return { name, base: worktree.base, files: [...files], patch, is_cut: isCut }
  }

  async #find(named: string): Promise<{ execution: Execution; result: ComparisonResult | undefined }> {
    const execution = await this.#parts.executions.find(this.#parts.by, named)
    if (execution.kind !== 'compare') throw comparisonNotFound({ name: undefined, known: [] })
    return { execution, result: execution.result as ComparisonResult | undefined }
  }

  async #contenders(execution: Execution, result: ComparisonResult | undefined): Promise<Contender[]> {
    const { id, state } = execution
    const { executions, by } = this.#parts
    const page = await executions.list(by, { parent: id }, { limit: MAX_PARTS })
    const parts = page.executions.toReversed()
    if (result === undefined) return await this.#unfinished(execution, parts)
    const names = toLabels(result.backends)
    return await Promise.all(
      result.results.map(async (each, at): Promise<Contender> => {
        const part = parts.find((one) => one.id === each.execution_id)
        const name = names[at] ?? each.backend
        return {
          ...(part === undefined ? ofResult(each, state) : ofExecution(part)),
          ...{ name, ...(await this.#work(id, name, { result, worktree: each.worktree })) },
          ...(each.worktree !== undefined && { worktree: each.worktree }),
        }
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
        if (!isFinal(state)) return { ...ofExecution(part), name, work: 'none' }
        if (open !== undefined) return { ...ofExecution(part), name, work: 'open' }
        if (!isBelow(part.workdir, this.#parts.worktrees)) return { ...ofExecution(part), name, work: 'none' }
        const commit = workdir && (await this.#kept(id, { name, repository: workdir }))
        return { ...ofExecution(part), name, ...(commit ? { work: 'kept', commit } : { work: 'dropped' }) }
      }),
    )
  }

  async #work(
    id: string,
    name: string,
    { result, worktree }: { result: ComparisonResult; worktree: ComparedWorktree | undefined },
  ): Promise<Pick<Contender, 'work' | 'commit'>> {
    if (worktree === undefined) {
      if (this.#open(id, name) !== undefined) return { work: 'open' }
      const dropped = result.dropped?.find((each) => each.name === name)
      return { work: dropped?.commit === undefined ? 'none' : 'dropped' }
    }
    if (worktree.files === 0) return { work: 'none' }
    if (this.#open(id, name) !== undefined) return { work: 'open' }
    const commit = await this.#kept(id, worktree)
    return commit === undefined ? { work: 'dropped' } : { work: 'kept', commit }
  }

  #open(id: string, name: string): Worktree | undefined {
    return this.#worktrees.find((each) => each.group === id && each.label === name)
  }

  get #worktrees(): readonly Worktree[] {
    this.#listed ??= listWorktrees(this.#parts.worktrees)
    return this.#listed
  }

  async #kept(
    id: string,
    { name, repository: directory }: Pick<ComparedWorktree, 'name' | 'repository'>,
  ): Promise<string | undefined> {
    const args = ['rev-parse', '--verify', '--quiet', `${keptRef(id, name)}^{commit}`] as const
    const asked = await askGit(this.#git, { directory, args, signal: this.#parts.signal }).catch(() => undefined)
    return asked?.code === 0 ? asked.stdout.toString('utf8').trim() : undefined
  }

  async #patch(id: string, worktree: ComparedWorktree): Promise<Patch> {
    const { signal } = this.#parts
    const { name, base, repository } = worktree
    const open = this.#open(id, name)
    if (open !== undefined) {
      const git = pinToWorktree(this.#git, open)
      const workspace = await discoverWorkspace({ start: open.path, git: this.#git, signal })
      return await patchWorktree({ git, workspace, base, signal })
    }
    const commit = await this.#kept(id, worktree)
    if (commit === undefined) throw comparedWorkGone({ id, name })
    return await patchCommits({ git: this.#git, directory: repository, from: base, to: commit, signal })
  }
}

function isBelow(path: string | undefined, directory: string): boolean {
  return path !== undefined && isInDirectory(path, directory)
}

function ofExecution(part: Execution): Omit<Contender, 'name' | 'work'> {
  const { id, backend = '', state, session_id, usage, cost_usd, cost_kind, started_at: start, ended_at: end } = part
  return {
    ...{ backend, state, execution_id: id },
    ...(session_id !== undefined && { session_id }),
    ...(start !== undefined && end !== undefined && { duration_ms: Math.max(0, Date.parse(end) - Date.parse(start)) }),
    ...(usage !== undefined && { usage }),
    ...(cost_usd !== undefined && { cost_usd }),
    ...(cost_kind !== undefined && { cost_kind }),
  }
}

/** Its execution is not kept. */
function ofResult({ backend, exit_code: code, duration_ms }: ComparedResult, state: Execution['state']) {
  return {
    backend,
    state: code === 0 ? ('completed' as const) : state === 'completed' ? ('failed' as const) : state,
    duration_ms,
  }
}
