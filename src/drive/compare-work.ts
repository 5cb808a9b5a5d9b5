/** Gathers what is known about the work of an action, and compares the claims of its outcome with it. */
import { posix } from 'node:path'
import type { Outcome } from '../contract/outcome.shape.ts'
import { hasChangedFiles, testChanges } from './decide/check-results.ts'
import { type DriveContext, readDriveState, record } from './drive-context.ts'
import { compareClaims, fromFolder, type Traced, toRelative } from './evidence/compare-claims.ts'
import { findFlags, isRunBy } from './evidence/find-review-flags.ts'
import { changedUnseen, unreadPaths } from './evidence/tree.ts'
import { changedSince, historySince, ignoredPaths, observeWholeTree, pathsBetween } from './observe-tree.ts'
import { readChanges } from './read-changes.ts'
import type { Tree } from './record/drive-event.shape.ts'
import { type Attempt, attemptsAt, type DriveState } from './record/drive-state.ts'

/** Of edits that git does not show. */
const MAX_EDITS = 200

/** Records the evidence about the outcome of an attempt. */
export async function compareWork(
  context: DriveContext,
  { attempt, outcome }: { attempt: Attempt; outcome: Outcome },
): Promise<void> {
  const { implementation: reported } = outcome
  if (reported === null || reported === undefined) return
  const state = readDriveState(context)
  const attempts = attemptsAt(state, attempt.action_id)
  const beginOfRun = (state.attempts[0] ?? attempt).tree
  const beginOfAction = (attempts[0] ?? attempt).tree
  const unjudged = (firstUnjudged(state, attempt) ?? attempt).tree
  // A list that was cut does not show what was changed before.
  const begin = beginOfAction.is_cut ? beginOfRun : beginOfAction
  const { tree: now, hidden } = await observeWholeTree(context)
  const changed = await pathsBetween(context, begin, now)
  const flagged = await pathsBetween(context, unjudged.is_cut ? beginOfRun : unjudged, now)
  const root = context.runs.workspace.worktree_root
  const changedInRun = await pathsBetween(context, beginOfRun, now)
  const toRootPath = fromFolder(state.place.folder, changedInRun)
  const implementation = { ...reported, files_changed: reported.files_changed.map(toRootPath) }
  const trace = attempts.flatMap(({ execution_id, ended }) =>
    (ended?.trace ?? []).map((entry): Traced => {
      const named = entry.did === 'edit' ? { ...entry, paths: entry.paths.map(toRootPath) } : entry
      return { ...named, execution_id }
    }),
  )
  const claims = compareClaims(implementation, {
    root,
    changed: begin.is_cut ? changed.filter((path) => Object.hasOwn(begin.paths, path)) : changed,
    changedInRun,
    isComplete: !begin.is_cut,
    unread: unreadPaths(now),
    ignored: await ignoredPaths(context, implementation.files_changed),
    trace,
    checks: attempt.checks,
  })
  const leftOut = (now.left_out ?? 0) - (beginOfRun.left_out ?? 0)
  const edited = unseenEdits(trace, root, flagged)
  const old = new Set([...(await changedSince(context, beginOfRun.head)), ...hidden])
  const changes = await readChanges(context, { paths: flagged, old, commit: beginOfRun.head })
  const checkedByDrover = attempt.checks.map(({ command }) => command)
  const commands = [...checkedByDrover, ...implementation.activities.map(({ command }) => command)]
  const flags = findFlags({
    ...changes,
    root,
    implementation,
    claims,
    trace,
    changed: flagged,
    changedInRun,
    old,
    ignored: await ignoredPaths(context, edited.slice(0, MAX_EDITS)),
    unseenConfiguration: changedUnseen(unjudged, now),
    hidden: flagged.filter((path) => hidden.has(path)),
    history: await historySince(context, beginOfRun.head),
    checkPrograms: flagged.filter(
      (path) => old.has(path) && isRunBy(commands, posix.relative(state.place.folder ?? '', path)),
    ),
    checkedByDrover,
    checkedTests: attempt.checks.map((run) => ({ command: run.command, tests: testChanges(run, state.baseline) })),
    warnings: attempts.flatMap(({ ended }) => ended?.warnings ?? []),
    gaps: [
      ...(leftOut > 0 ? [`a sparse checkout leaves out more files than before: ${leftOut}`] : []),
      ...(beginOfAction.is_cut || unjudged.is_cut
        ? ['too many files were changed before this action to tell which it changed']
        : []),
      ...describeGaps(now, edited),
    ],
  })
  record(context, 'evidence', { attempt: attempt.attempt, claims, flags })
}

/** What was too much to look at. */
function describeGaps({ configuration_is_cut: isCut }: Tree, edited: readonly string[]): string[] {
  return [
    ...(isCut ? ['there are too many files to find all settings of agents that git ignores'] : []),
    ...(edited.length > MAX_EDITS ? [`git was asked about only ${MAX_EDITS} of ${edited.length} edited files`] : []),
  ]
}

/** The first attempt of which no evidence tells what it changed: at this action, or at one before that only asked. */
function firstUnjudged(state: DriveState, { action_id }: Attempt): Attempt | undefined {
  const isJudged = (each: Attempt) => attemptsAt(state, each.action_id).at(-1)?.evidence !== undefined
  const isOfAction = (each: Attempt) => each.action_id === action_id
  return state.attempts.find((each) => isOfAction(each) || (hasChangedFiles(each) && !isJudged(each)))
}

/** The files that an editing tool wrote in the worktree, and that git does not show as changed. */
function unseenEdits(trace: readonly Traced[], root: string, changed: readonly string[]): string[] {
  const edited = trace.flatMap((entry) => (entry.did === 'edit' ? entry.paths : []))
  const inside = edited.map((path) => toRelative(path, root)).filter((path) => path !== undefined)
  const seen = new Set(changed)
  return [...new Set(inside)].filter((path) => !seen.has(path))
}
