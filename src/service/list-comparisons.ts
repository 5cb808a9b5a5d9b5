/** Earlier comparisons. Of those that are not kept as executions, the worktrees tell who took part. */
import type { Execution } from '../executions/store/execution.shape.ts'
import { executionNotFound } from '../executions/store/faults.ts'
import { isFault } from '../kit/fault.ts'
import { withoutUndefined } from '../kit/json-value.ts'
import { compareBytes } from '../kit/utf8.ts'
import { ownerKey } from '../prompts/caller.ts'
import type { ComparedWorktree } from '../prompts/prompt-result.shape.ts'
import { listWorktrees, type Worktree } from '../workspace/worktree-records.ts'
import type { ComparisonPage, ComparisonSummary, ComparisonView } from './comparison.shape.ts'
import { type ComparedParts, ComparedWork } from './show-comparison.ts'

export type ComparisonSlice = { limit: number; offset: number }

/** Newest first. The results of comparisons may be large, so only those of the page are read. */
export async function listComparisons(
  parts: ComparedParts,
  { limit, offset }: ComparisonSlice,
): Promise<ComparisonPage> {
  const { executions, by } = parts
  const { executions: recorded } = await executions.list(by, { kind: 'compare' }, { limit: offset + limit + 1 })
  const known = new Set(recorded.map(({ id }) => id))
  const others = toGroups(listWorktrees(parts.worktrees), ownerKey(by)?.id).filter(({ id }) => !known.has(id))
  const all = [...recorded, ...others].sort((one, other) => compareBytes(other.created_at, one.created_at))
  const compared = new ComparedWork(parts)
  const comparisons: ComparisonSummary[] = []
  for (const each of all.slice(offset, offset + limit)) comparisons.push(await summarize(each, compared))
  return { comparisons, limit, offset, has_more: all.length > offset + limit }
}

async function summarize(each: Execution | ComparisonSummary, compared: ComparedWork): Promise<ComparisonSummary> {
  const isRecorded = 'kind' in each
  try {
    const view = await compared.show(each.id)
    const workdir = isRecorded ? each.workdir : each.repository
    return summarizeView(view, { prompt: isRecorded ? each.prompt_start : view.prompt, workdir })
  } catch (error) {
    // Nothing of it is kept, or it was removed just now.
    if (!isFault(error, executionNotFound)) throw error
    return isRecorded ? { id: each.id, state: each.state, created_at: each.created_at, contenders: [] } : each
  }
}

type Known = { prompt: string | undefined; workdir: string | undefined }

/** Pure. */
export function summarizeView(view: ComparisonView, { prompt, workdir }: Known): ComparisonSummary {
  const { id, state, created_at, ended_at, winner } = view
  const repository = view.contenders.find(({ worktree }) => worktree !== undefined)?.worktree?.repository ?? workdir
  return {
    ...{ id, state, created_at },
    ...withoutUndefined({ ended_at, prompt_start: prompt && shorten(prompt), repository }),
    ...withoutUndefined({ workdir: view.workdir, winner }),
    contenders: view.contenders.map(({ name, backend, state: ended, work, commit, worktree }) => ({
      ...{ name, backend, state: ended, work },
      ...(commit !== undefined && { commit }),
      ...(worktree !== undefined && { checks: countChecks(worktree.checks) }),
    })),
  }
}

export type CheckCounts = NonNullable<ComparisonSummary['contenders'][number]['checks']>

/** Pure. */
export function countChecks(checks: readonly ComparedWorktree['checks'][number][]): CheckCounts {
  const passed = checks.filter((check) => check.passed).length
  const canceled = checks.filter(({ unfinished }) => unfinished === 'canceled').length
  const not_run = checks.filter(({ unfinished }) => unfinished === 'not_run').length
  const failed = checks.length - passed - canceled - not_run
  return { passed, failed, ...(canceled > 0 && { canceled }), ...(not_run > 0 && { not_run }) }
}

/** One for each comparison that has worktrees of this key. Pure. */
export function toGroups(worktrees: readonly Worktree[], keyId: string | undefined): ComparisonSummary[] {
  const groups = new Map<string, Worktree[]>()
  for (const each of worktrees) {
    if (each.group === undefined || each.key_id !== keyId) continue
    groups.set(each.group, [...(groups.get(each.group) ?? []), each])
  }
  return [...groups].flatMap(([id, [first, ...rest]]) => {
    if (first === undefined) return []
    const { title, created_at, repository } = first
    const contenders = [first, ...rest].map(({ label = '' }) => ({ name: label, work: 'open' as const }))
    return { id, created_at, repository, prompt_start: shorten(title), contenders }
  })
}

const SHOWN_CHARACTERS = 200

function shorten(prompt: string): string {
  return prompt.slice(0, SHOWN_CHARACTERS).toWellFormed()
}
