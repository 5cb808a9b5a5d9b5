/** Which comparison in worktrees a caller means: the one that it names, or the last one in a repository. */
import type { Execution } from '../executions/store/execution.shape.ts'
import { isFinal } from '../executions/store/execution-states.ts'
import { executionAmbiguous, executionIdMalformed, executionNotFound } from '../executions/store/faults.ts'
import { Fault, isFault } from '../kit/fault.ts'
import { type Caller, isOwn } from '../prompts/caller.ts'
import { discoverWorkspace } from '../workspace/discover-workspace.ts'
import type { Git } from '../workspace/git.ts'
import { type FoundWorktree, isInUse } from '../workspace/worktree-records.ts'
import { findBranch, findDropped, findKept } from './compared-refs.ts'
import type { ExecutionService } from './drover-service.ts'
import { comparisonNotFound, comparisonOver, comparisonRunning, comparisonUnknown, type EndedWork } from './faults.ts'

export type Choosing = {
  /** All worktrees of the user, oldest first. */
  worktrees: readonly FoundWorktree[]
  executions: Pick<ExecutionService, 'find' | 'list'>
  by: Caller
  git: Git
  signal: AbortSignal
  /** The agent whose work the caller wants. */
  name?: string | undefined
}

const SHORTEST_PREFIX = 4
/** Newer ones without worktrees are looked at. */
const MAX_NEWER = 100
const PROMPT_CHARACTERS = 200

/** The worktrees of the comparison with this id, or the beginning of it. Throws a Fault if it has none. */
export async function chooseNamed(given: string, choosing: Choosing): Promise<FoundWorktree[]> {
  const own = ownWorktrees(choosing)
  const group = findGroup(own, given)
  if (group !== undefined) return own.filter((each) => each.group === group)
  const known = await findRecorded(given, choosing)
  if (known === undefined) throw comparisonUnknown({ id: given })
  // It has no worktrees yet.
  if (!isFinal(known.state)) throw comparisonRunning({ id: known.id })
  const wanted = await findEnded(known, choosing)
  throw comparisonOver({ ...describe(known), is_last: false, others: toOpen(own), wanted })
}

/**
 * The worktrees of the last comparison in a repository. Throws a Fault if it has none: an earlier one may have, but its
 * work is not what the caller has just seen.
 */
export async function chooseLast(gitCommonDir: string, choosing: Choosing): Promise<FoundWorktree[]> {
  const here = ownWorktrees(choosing).filter((each) => each.git_common_dir === gitCommonDir)
  const last = here.at(-1)
  const newer = await findNewer(last, gitCommonDir, choosing)
  // It has no worktrees yet.
  if (newer !== undefined && !isFinal(newer.state)) throw comparisonRunning({ id: newer.id })
  if (newer !== undefined) {
    const wanted = await findEnded(newer, choosing)
    throw comparisonOver({ ...describe(newer), is_last: true, others: toOpen(here), wanted })
  }
  if (last === undefined) throw comparisonNotFound({ name: undefined, known: [] })
  return here.filter((each) => each.group === last.group)
}

/** Throws `comparison_running` if it has not ended. If it is not recorded, the process that uses the worktrees tells. */
export async function refuseRunning(
  worktrees: readonly Pick<FoundWorktree, 'group' | 'directory'>[],
  choosing: Pick<Choosing, 'executions' | 'by'>,
): Promise<void> {
  const [{ group: id } = {}] = worktrees
  if (id === undefined) return
  const known = await findRecorded(id, choosing)
  const isRunning = known === undefined ? await isAnyInUse(worktrees) : !isFinal(known.state)
  if (isRunning) throw comparisonRunning({ id })
}

async function isAnyInUse(worktrees: readonly Pick<FoundWorktree, 'directory'>[]): Promise<boolean> {
  for (const each of worktrees) if (await isInUse(each)) return true
  return false
}

/** The id of the last comparison in a repository, also if it has no worktrees any more. */
export async function findLast(gitCommonDir: string, choosing: Choosing): Promise<string | undefined> {
  const last = ownWorktrees(choosing).findLast((each) => each.git_common_dir === gitCommonDir)
  return (await findNewer(last, gitCommonDir, choosing))?.id ?? last?.group
}

/** Throws `comparison_not_found` if no agent with this name took part. Pure. */
export function checkName(worktrees: readonly Pick<FoundWorktree, 'label'>[], name: string | undefined): void {
  const known = worktrees.map(({ label }) => label ?? '')
  if (name !== undefined && !known.includes(name)) throw comparisonNotFound({ name, known })
}

/** The comparison with this id among those that have worktrees; `exec_` may be omitted. Pure. */
export function findGroup(worktrees: readonly Pick<FoundWorktree, 'group'>[], given: string): string | undefined {
  const short = given.replace(/^exec_/, '')
  if (short.length < SHORTEST_PREFIX) return undefined
  const groups = new Set(worktrees.map(({ group = '' }) => group))
  const [first, ...others] = [...groups].filter((group) => group.replace(/^exec_/, '').startsWith(short))
  if (others.length > 0) throw executionAmbiguous({ id: given })
  return first
}

function ownWorktrees({ worktrees, by }: Choosing): FoundWorktree[] {
  return worktrees.filter(({ group, key_id }) => group !== undefined && isOwn(by, key_id))
}

async function findRecorded(
  given: string,
  { executions, by }: Pick<Choosing, 'executions' | 'by'>,
): Promise<Execution | undefined> {
  try {
    const found = await executions.find(by, given)
    return found.kind === 'compare' && isOwn(by, found.key_id) ? found : undefined
  } catch (error) {
    if (isFault(error, executionNotFound) || isFault(error, executionIdMalformed)) return undefined
    throw error
  }
}

/** The newest comparison of the caller in the repository that began after these worktrees were created. */
async function findNewer(
  last: FoundWorktree | undefined,
  gitCommonDir: string,
  { executions, by, git, signal }: Choosing,
): Promise<Execution | undefined> {
  const { executions: recorded } = await executions.list(by, { kind: 'compare' }, { limit: MAX_NEWER })
  const repositories = new Map<string, string | undefined>()
  for (const each of recorded) {
    if (last !== undefined && (each.id === last.group || each.created_at <= last.created_at)) return undefined
    if (each.workdir === undefined || !isOwn(by, each.key_id)) continue
    if (!repositories.has(each.workdir)) {
      repositories.set(each.workdir, await findRepository(each.workdir, { git, signal }))
    }
    if (repositories.get(each.workdir) === gitCommonDir) return each
  }
  return undefined
}

async function findRepository(start: string, around: { git: Git; signal: AbortSignal }): Promise<string | undefined> {
  try {
    return (await discoverWorkspace({ start, ...around })).git_common_dir
  } catch (error) {
    if (!(error instanceof Fault) || around.signal.aborted) throw error
    return undefined
  }
}

/** What became of the work of one agent of a comparison without worktrees. */
async function findEnded({ id, workdir }: Execution, { git, signal, name }: Choosing): Promise<EndedWork | undefined> {
  if (name === undefined || workdir === undefined) return undefined
  const asked = { git, signal, repository: workdir, id }
  const kept = await findKept(asked, name)
  if (kept === undefined) return { name, dropped: await findDropped(asked, name) }
  const branch = await findBranch(asked, kept)
  return { name, kept: branch === undefined ? `the commit ${kept.slice(0, 12)}` : `the branch ${branch}` }
}

function describe({ id, prompt, prompt_start: start = prompt }: Execution) {
  return { id, prompt: start?.slice(0, PROMPT_CHARACTERS).toWellFormed() }
}

/** One for each comparison, newest first. */
function toOpen(worktrees: readonly FoundWorktree[]): { id: string; prompt: string }[] {
  const open = new Map(worktrees.map(({ group = '', title }) => [group, title]))
  return [...open].map(([id, prompt]) => ({ id, prompt })).reverse()
}
