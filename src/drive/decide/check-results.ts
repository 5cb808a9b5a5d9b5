/** What the checks of a run say about its work as it is now. Pure. */
import { posix } from 'node:path'
import { compareTestResults } from '../evidence/compare-test-results.ts'
import { changedUnseen } from '../evidence/tree.ts'
import { howItEnded } from '../prompt/follow-ups.ts'
import type { Attempt, BaselineRun, CheckRun, DeliveryCheck, DriveState } from '../record/drive-state.ts'
import type { TestChange } from '../record/test-results.shape.ts'

type CheckResult = {
  readonly command: string
  readonly passed: boolean
  readonly result: string
  /** Undefined if it was not run. */
  readonly run?: CheckRun
  /** What became of its tests since before the work. */
  readonly tests: readonly TestChange[]
}

export type Checked = Pick<DriveState, 'attempts' | 'options' | 'round' | 'delivered' | 'baseline' | 'delivery_check'>

/** Every check of the run that ran after the last change, and every one that should have. A person may have replaced some. */
export function checkResults(state: Checked): CheckResult[] {
  const runs = lastChecks(state.attempts)
  const treeId = state.delivered?.tree_id ?? runs.at(-1)?.tree_id
  const isCurrent = (run: CheckRun) => state.options.checks.includes(run.command)
  const ran = runs.filter((run) => isAbout(run, treeId) && isCurrent(run))
  const isMissing = (command: string) => !ran.some((run) => run.command === command)
  const missing = hasWork(state) ? state.options.checks.filter(isMissing) : []
  const results: CheckResult[] = [
    ...ran.map((run) => ({
      ...{ command: run.command, passed: run.passed, result: compareEnds(run, state.baseline), run },
      tests: testChanges(run, state.baseline),
    })),
    ...missing.map((command) => ({ command, passed: false, result: whyMissing(runs, command), tests: [] })),
  ]
  return isFailedDelivery(state) ? results.map((each) => inCheckout(each, state.delivery_check)) : results
}

function isFailedDelivery({ delivery_check: check, delivered }: Checked): boolean {
  return check?.result === 'failed' && check.commit === delivered?.commit
}

/** In a clean checkout of the delivered commit, what passed in the worktree may fail. Only what passes in both has passed. */
function inCheckout(result: CheckResult, check: DeliveryCheck | undefined): CheckResult {
  const run = check?.checks.find(({ command }) => command === result.command)
  if (!result.passed || run?.passed === true) return result
  const how = run === undefined ? 'could not run, because the setup failed' : howItEnded(run)
  return { ...result, passed: false, result: `${how} in a clean checkout of the commit; it passes in the worktree` }
}

/** The changes of tests, by name. None if the check did not run before the work, or is no known test runner. */
export function testChanges(run: Pick<CheckRun, 'command' | 'tests'>, baseline: readonly BaselineRun[]): TestChange[] {
  const before = baseline.find(({ command }) => command === run.command)
  return compareTestResults(before?.tests, run.tests)
}

/** A failure means more if the check passed before the work, and less if it failed already. */
export function compareEnds(run: CheckRun, baseline: readonly BaselineRun[]): string {
  const before = baseline.find(({ command }) => command === run.command)
  if (run.passed || before === undefined) return howItEnded(run)
  return `${howItEnded(run)}; it ${before.passed ? 'passed before the work' : 'was already failing before the work'}`
}

/** A check that passed may have read files before it or another process changed them. Older records do not tell. */
function isAbout({ passed, tree_id, tree_id_before }: CheckRun, treeId: string | undefined): boolean {
  if (tree_id === undefined) return true
  return tree_id === treeId && (!passed || tree_id_before === treeId)
}

function whyMissing(runs: readonly CheckRun[], command: string): string {
  const run = runs.find((each) => each.command === command)
  return run === undefined || run.tree_id_before === run.tree_id
    ? 'was not run'
    : 'was not run on the final files: they changed each time while it ran; let git ignore what it writes'
}

/** The check to run next. If files were changed since a check began, it runs once more. Undefined if all were run. */
export function nextCheck(commands: readonly string[], runs: readonly CheckRun[]): string | undefined {
  const treeId = runs.at(-1)?.tree_id
  const isNew = (command: string) => !runs.some((run) => run.command === command)
  const isOld = (run: CheckRun) => commands.includes(run.command) && run.is_repeated !== true && !isAbout(run, treeId)
  return commands.find(isNew) ?? runs.find(isOld)?.command
}

/** Whether checks failed after the last two attempts that were checked, and printed the same but for times. */
export function failsAlike(attempts: readonly Pick<Attempt, 'checks'>[]): boolean {
  const checked = attempts.filter(({ checks }) => checks.length > 0)
  const [before, last] = checked.slice(-2).map(({ checks }) =>
    checks
      .filter(({ passed }) => !passed)
      .map(toFailure)
      .sort(),
  )
  return last !== undefined && last.length > 0 && String(before) === String(last)
}

const TIME = /\bduration_ms:? [\d.]{1,20}|\b\d{1,9}(?:\.\d{1,9})?\s?(?:ms|s|secs?|seconds?|min|minutes?)\b/g

function toFailure({ command, exit_code: code, output }: CheckRun): string {
  return JSON.stringify([command, code, output.replaceAll(TIME, '')])
}

type Leftovers = {
  readonly untracked: readonly string[]
  readonly tracked: readonly string[]
  /** What checks have created before. */
  readonly putBack: readonly string[]
  /** What the agent reports as its work. */
  readonly reported: readonly string[]
}

/**
 * The untracked files that a run of a check by the agent left behind: those that drover has put back after the same check, and
 * others of their kind in folders that have nothing else, such as `__pycache__`.
 */
export function leftByChecks({ untracked, tracked, putBack, reported }: Leftovers): string[] {
  const known = new Set(tracked.flatMap(foldersOf))
  const isOfChecks = (path: string) => path.includes('/') && !known.has(posix.dirname(path))
  const kinds = new Set(putBack.filter(isOfChecks).map(kindOf))
  const isReported = (path: string) =>
    reported.some((each) => each === '.' || each === path || path.startsWith(`${each}/`))
  const isLeft = (path: string) => putBack.includes(path) || (isOfChecks(path) && kinds.has(kindOf(path)))
  return untracked.filter((path) => isLeft(path) && !isReported(path))
}

function foldersOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'))
}

/** The name of the folder and the ending of the file. */
function kindOf(path: string): string {
  return `${posix.basename(posix.dirname(path))}/${posix.extname(path)}`
}

/** Whether there is something to check. A later round works on what the one before left open. */
export function hasWork({ attempts, round, delivered }: Pick<DriveState, 'attempts' | 'round' | 'delivered'>): boolean {
  const trees = attempts.flatMap(({ tree, ended }) => [tree, ended?.tree ?? tree])
  const isChanged = trees.some(({ snapshot }) => snapshot !== trees[0]?.snapshot)
  return round > 1 || isChanged || delivered?.commit !== undefined
}

export function hasChangedFiles({ tree, ended }: Attempt): boolean {
  if (ended?.tree === undefined) return false
  return ended.tree.snapshot !== tree.snapshot || changedUnseen(tree, ended.tree).length > 0
}

/** None if the files changed after them. A check may write files itself, so the attempt after it shows what it left. */
function lastChecks(attempts: readonly Attempt[]): readonly CheckRun[] {
  const at = attempts.findLastIndex(({ checks }) => checks.length > 0)
  const later = attempts.slice(at + 1)
  const now = later.at(-1)?.ended?.tree ?? later.at(-1)?.tree
  const isStale = later[0]?.tree.snapshot !== now?.snapshot
  return isStale ? [] : (attempts[at]?.checks ?? [])
}
