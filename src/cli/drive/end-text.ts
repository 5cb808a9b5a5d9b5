/** How a drive ended, and what can follow, as text. Pure. */
import type { RoundsResult } from '../../drive/drive-rounds.ts'
import type { RunOutline } from '../../runs/read-status.ts'
import { describeSpent } from '../output/drive-text.ts'
import { type TextLayout, tableWidth } from '../output/text-table.ts'
import { followUp, followUpsOfDrive, formatFollowUp, type NextCommand } from '../output/what-follows.ts'
import { wrapWords } from '../output/wrap-words.ts'
import { describeWait } from '../run/run-waits.ts'

type EndFacts = {
  readonly result: RoundsResult
  readonly run: RunOutline
  /** The short id of the run. */
  readonly name: string
  /** Those that fail or were not run. */
  readonly failedChecks: readonly { readonly run?: unknown }[]
  /** The question was just shown. */
  readonly wasAsked: boolean
  /** Why the worktree stays. */
  readonly kept: string | undefined
}

/** How a drive ended, and what can follow. */
export function endLines({ result, run, name, failedChecks, wasAsked, kept }: EndFacts, out: TextLayout): string[] {
  const { end, state } = result
  const next = (each: readonly NextCommand[]) => ['', 'Next:', ...each.flatMap((one) => formatFollowUp(one, out))]
  if (end.is === 'waits' || end.is === 'interrupted') {
    const waits = end.is === 'waits' && !wasAsked ? ['', ...describeWait(run, out)] : []
    const interrupted = end.is === 'interrupted' ? ['Interrupted. Nothing is lost.'] : []
    return [...interrupted, describeSpent(state), ...waits, ...next(followUpsOfDrive(run, name))]
  }
  if (end.is === 'paused') return [describeSpent(state), ...next([followUp('drive', { RUN: name })])]
  const { delivered } = state
  const merge =
    delivered?.commit === undefined || delivered.as === 'none'
      ? []
      : [followUp('merge', { BRANCH: delivered.branch ?? '' })]
  return [
    describeSpent(state),
    ...(failedChecks.some(({ run }) => run !== undefined) ? [out.style('red', 'A check still fails.')] : []),
    ...(failedChecks.some(({ run }) => run === undefined) ? [out.style('red', 'A check was not run.')] : []),
    ...(kept === undefined ? [] : wrapWords(kept, tableWidth(out), { keepsPaths: true })),
    ...next([...merge, followUp('report', { RUN: name })]),
  ]
}
