/** What the checks of a run say about its work as it is now. Pure. */
import { howItEnded } from '../prompt/follow-ups.ts'
import type { Attempt, CheckRun, DriveState } from '../record/drive-state.ts'

type CheckResult = {
  readonly command: string
  readonly passed: boolean
  readonly result: string
  /** Undefined if it was not run. */
  readonly run?: CheckRun
}

/** Every check that ran after the last change, and every one that should have. */
export function checkResults(state: Pick<DriveState, 'attempts' | 'options' | 'round'>): CheckResult[] {
  const ran = lastChecks(state.attempts)
  const isMissing = (command: string) => !ran.some((run) => run.command === command)
  const missing = hasWork(state) ? state.options.checks.filter(isMissing) : []
  return [
    ...ran.map((run) => ({ command: run.command, passed: run.passed, result: howItEnded(run), run })),
    ...missing.map((command) => ({ command, passed: false, result: 'was not run' })),
  ]
}

/** Whether there is something to check. A later round works on what the one before left open. */
export function hasWork({ attempts, round }: Pick<DriveState, 'attempts' | 'round'>): boolean {
  return round > 1 || attempts.some(hasChangedFiles)
}

export function hasChangedFiles({ tree, ended }: Attempt): boolean {
  return ended?.tree !== undefined && ended.tree.snapshot !== tree.snapshot
}

/** None if the files changed after them. A check may write files itself, so the attempt after it shows what it left. */
function lastChecks(attempts: readonly Attempt[]): readonly CheckRun[] {
  const at = attempts.findLastIndex(({ checks }) => checks.length > 0)
  const later = attempts.slice(at + 1)
  const now = later.at(-1)?.ended?.tree ?? later.at(-1)?.tree
  const isStale = later[0]?.tree.snapshot !== now?.snapshot
  return isStale ? [] : (attempts[at]?.checks ?? [])
}
