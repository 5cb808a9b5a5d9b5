/** Gathers what is known about the work of an action, and compares the claims of its outcome with it. */
import type { Outcome } from '../contract/outcome.shape.ts'
import { type DriveContext, record, stateOf } from './drive-context.ts'
import { compareClaims, type Traced } from './evidence/compare-claims.ts'
import { findFlags, isNamedBy, isTestPath } from './evidence/flags.ts'
import { fileChange, ignoredPaths, observeTree, pathsBetween } from './observe-tree.ts'
import { type Attempt, attemptsAt } from './record/drive-state.ts'

const MAX_FILES = 200

/** Records the evidence about the outcome of an attempt. */
export async function compareWork(
  context: DriveContext,
  { attempt, outcome }: { attempt: Attempt; outcome: Outcome },
): Promise<void> {
  const { implementation } = outcome
  if (implementation === null || implementation === undefined) return
  const state = stateOf(context)
  const attempts = attemptsAt(state, attempt.action_id)
  const begin = (attempts[0] ?? attempt).tree
  const beginOfRun = (state.attempts[0] ?? attempt).tree
  const now = await observeTree(context)
  const changed = await pathsBetween(context, begin, now)
  const root = context.runs.workspace.worktree_root
  const trace = attempts.flatMap(({ execution_id, ended }) =>
    (ended?.trace ?? []).map((entry): Traced => ({ ...entry, execution_id })),
  )
  const claims = compareClaims(implementation, {
    root,
    changed,
    changedInRun: await pathsBetween(context, beginOfRun, now),
    isComplete: begin.is_complete && now.is_complete,
    ignored: await ignoredPaths(context, implementation.files_changed),
    trace,
    checks: attempt.checks,
  })
  const tests = changed.filter(isTestPath).slice(0, MAX_FILES)
  const checkedByDrover = attempt.checks.map(({ command }) => command)
  const commands = [...checkedByDrover, ...implementation.activities.map(({ command }) => command)]
  const named = changed.filter((path) => isNamedBy(commands, path)).slice(0, MAX_FILES)
  const changes = async (paths: readonly string[]) =>
    await Promise.all(paths.map((path) => fileChange(context, path, beginOfRun.head)))
  const checkPrograms = (await changes(named)).filter(({ before }) => before !== undefined).map(({ path }) => path)
  const flags = findFlags({
    root,
    implementation,
    claims,
    trace,
    changed,
    tests: await changes(tests),
    checkPrograms,
    checkedByDrover,
    warnings: attempts.flatMap(({ ended }) => ended?.warnings ?? []),
  })
  record(context, 'evidence', { attempt: attempt.attempt, claims, flags })
}
