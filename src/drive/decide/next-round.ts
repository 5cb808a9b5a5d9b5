/** What an ended run leaves open, and the goal of the run that works on it. Pure. */
import type { RunOutline } from '../../runs/run-status.ts'
import { cleanText } from '../prompt/clean-text.ts'
import { howItEnded } from '../prompt/follow-ups.ts'
import type { DriveState } from '../record/drive-state.ts'

/** The goal of a run has at most 256 KiB, also as JSON. */
const MAX_CHARACTERS = 30_000

/** One entry per finding of the last review and per check that still fails. */
export function openWork(
  { actions }: Pick<RunOutline, 'actions'>,
  { attempts }: Pick<DriveState, 'attempts'>,
): string[] {
  const review = actions.findLast(({ action, voided }) => action.kind === 'review' && voided !== true)?.outcome?.review
  const checks = attempts.findLast((each) => each.checks.length > 0)?.checks ?? []
  return [
    ...checks
      .filter(({ passed }) => !passed)
      .map(
        (check) =>
          `The check \`${check.command}\` ${howItEnded(check)}. The end of its output:\n${check.output.slice(-2000)}`,
      ),
    ...(review?.findings ?? []).map(({ location, summary, detail }) => `${location}: ${summary}\n${detail}`),
  ]
}

export function mayStartRound({ round, options }: Pick<DriveState, 'round' | 'options'>): boolean {
  return round <= options.rounds
}

/** The goal of the first run comes first, because the findings are about it. */
export function goalOfRound(goal: string, open: readonly string[]): string {
  const intro = `Address what is still open after an earlier run. The work of that run is in the worktree. Its goal was:\n\n${goal}`
  const list = open.map((each, at) => `${at + 1}. ${each}`).join('\n\n')
  return cleanText(`${intro}\n\nOpen:\n\n${list}`.slice(0, MAX_CHARACTERS))
}
