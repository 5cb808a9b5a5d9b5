/** What a driven run waits for, how it ended, and what can follow, as text. Pure. */
import type { DriveResult } from '../../drive/drive-rounds.ts'
import type { RunOutline } from '../../runs/read-status.ts'
import type { PeopleWords } from '../failures/people-words.ts'
import { toBarred } from '../output/barred-text.ts'
import { describeSpent } from '../output/drive-text.ts'
import { toPrintable } from '../output/printable.ts'
import { tableWidth } from '../output/text-table.ts'
import { wrapWords } from '../output/wrap-words.ts'
import { destructiveLines, wordLines } from '../run/run-view.ts'
import type { Channel } from '../terminal.ts'

type Layout = Pick<Channel, 'style' | 'isTty' | 'columns'>

/** The whole question or request: nothing of it is cut. */
export function describeWait(run: RunOutline, out: Layout): string[] {
  const { state, pause_reason, actions, source_candidate } = run
  if (state === 'stopped') return ['The run is stopped.']
  if (source_candidate !== undefined) {
    return ['The issue has changed, and the run waits for a choice between its pinned and its current text.']
  }
  const question = toBarred(toPrintable(actions.at(-1)?.outcome?.pause?.question ?? ''), tableWidth(out))
  switch (pause_reason) {
    case 'destructive_confirmation_required':
      return [...question, ...destructiveLines(run, { out })]
    case 'environment_unavailable':
      return ['Something is missing:', ...question]
    case 'budget_exhausted':
      return ['The run has used all of its actions.']
    default:
      return question
  }
}

const SHOWN_DIGEST_CHARACTERS = 16

/** The commands that let the run go on, in this order. */
function commandsAfter(run: RunOutline, name: string, drive: PeopleWords): PeopleWords[] {
  const { pause_reason, state, source_candidate, pending_destructive_request: request } = run
  const answer = { line: `drover answer ${name} "TEXT"`, says: 'answer the question' }
  if (source_candidate !== undefined) {
    return [
      { line: `drover continue ${name} --use-pinned`, says: 'keep the pinned issue' },
      { line: `drover continue ${name} --adopt`, says: 'or work from the changed issue' },
      { ...drive, says: 'then go on' },
    ]
  }
  if (state !== 'paused' || pause_reason === 'environment_unavailable') return [drive]
  if (pause_reason === 'budget_exhausted') return [{ line: `${drive.line} --actions 8`, says: 'go on with 8 more' }]
  if (request === undefined) return [answer, { ...drive, says: 'then go on' }]
  const digest = request.scope_sha256.replace('sha256:', '').slice(0, SHOWN_DIGEST_CHARACTERS)
  return [
    { line: `drover answer ${name} --confirm ${digest}`, says: 'allow exactly this, once' },
    { ...answer, says: 'or refuse, and say why' },
    { ...drive, says: 'then go on' },
  ]
}

type EndFacts = {
  readonly result: DriveResult
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
export function endLines({ result, run, name, failedChecks, wasAsked, kept }: EndFacts, out: Layout): string[] {
  const { end, state } = result
  const drive = { line: `drover drive ${name}`, says: 'go on' }
  const next = (words: readonly PeopleWords[]) => ['', 'Next:', ...words.flatMap((each) => wordLines(each, out))]
  if (end.is === 'waits' || end.is === 'interrupted') {
    const waits = end.is === 'waits' && !wasAsked ? ['', ...describeWait(run, out)] : []
    const interrupted = end.is === 'interrupted' ? ['Interrupted. Nothing is lost.'] : []
    return [...interrupted, describeSpent(state), ...waits, ...next(commandsAfter(run, name, drive))]
  }
  if (end.is === 'paused') return [describeSpent(state), ...next([drive])]
  const { delivered } = state
  const merge =
    delivered?.commit === undefined
      ? []
      : [{ line: `git merge ${delivered.branch}`, says: 'take the work over into your branch' }]
  return [
    describeSpent(state),
    ...(failedChecks.some(({ run }) => run !== undefined) ? [out.style('red', 'A check still fails.')] : []),
    ...(failedChecks.some(({ run }) => run === undefined) ? [out.style('red', 'A check was not run.')] : []),
    ...(kept === undefined ? [] : wrapWords(kept, tableWidth(out), { keepsPaths: true })),
    ...next([...merge, { line: `drover report ${name}`, says: 'what was done, and the evidence' }]),
  ]
}
