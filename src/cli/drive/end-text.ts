/** How a drive ended, and what can follow, as text. Pure. */
import type { RunVerdict } from '../../contract/run-verdict.shape.ts'
import { checkResults } from '../../drive/decide/check-results.ts'
import { mergeCommand } from '../../drive/decide/judge-work.ts'
import type { DriveState } from '../../drive/record/drive-state.ts'
import type { RunOutline } from '../../runs/read-status.ts'
import { describeSpent } from '../output/drive-text.ts'
import { describeTests } from '../output/evidence-text.ts'
import { toPrintable } from '../output/printable.ts'
import { formatLines, type StyledLine, type TextLayout, tableWidth } from '../output/text-table.ts'
import {
  followUp,
  followUpOfVerdict,
  followUpsOfDrive,
  formatFollowUp,
  type NextCommand,
} from '../output/what-follows.ts'
import { wrapWords } from '../output/wrap-words.ts'
import { describeWait } from '../run/run-waits.ts'

type EndFacts = {
  readonly verdict: RunVerdict
  readonly state: DriveState
  /** The rounds before it, latest first. */
  readonly earlier: readonly DriveState[]
  readonly run: RunOutline
  /** The short id of the run. */
  readonly name: string
  /** The question was just shown. */
  readonly wasAsked: boolean
  /** Why the worktree stays. */
  readonly kept: string | undefined
}

/** The verdict, what was used, the whole question, and what can follow. */
export function endLines(facts: EndFacts, out: TextLayout): string[] {
  const { verdict, state, earlier, run, wasAsked, kept } = facts
  const isQuestion = run.state === 'paused' || run.state === 'stopped'
  return [
    ...formatLines(isQuestion ? [{ text: verdict.word, tone: 'open' }] : describeVerdict(verdict), out),
    describeSpent([state, ...earlier], { isDriven: false }),
    ...(run.state === 'ended' ? testLines(state, out) : []),
    ...(kept === undefined ? [] : wrapWords(kept, tableWidth(out), { keepsPaths: true })),
    ...(isQuestion && !wasAsked ? ['', ...describeWait(run, out)] : []),
    '',
    'Next:',
    ...whatFollows(facts).flatMap((each) => formatFollowUp(each, out)),
  ]
}

/** The tests that need a look, by name. */
function testLines(state: DriveState, out: TextLayout): string[] {
  const changes = checkResults(state).flatMap(({ tests }) => tests.filter(({ is_setback }) => is_setback))
  return changes.length === 0
    ? []
    : formatLines(['Tests, compared with those before the work:', ...describeTests(changes, '  ')], out)
}

/** The one that the verdict names comes first. */
function whatFollows({ verdict, state, run, name }: EndFacts): NextCommand[] {
  const report = followUp('report', { RUN: name })
  const next = mergeCommand(state, name)
  const merge = next === undefined ? [] : [followUpOfVerdict({ next })]
  switch (verdict.word) {
    case 'delivered':
      return [...merge, report]
    case 'delivered, look first':
      return [report, ...merge]
    case 'paused by limit':
      return [followUpOfVerdict(verdict)]
    case 'waits for you':
    case 'not driven':
      if (run.state === 'ended') return [followUp('drive', { RUN: name })]
      return run.state === 'active' ? [followUpOfVerdict(verdict)] : followUpsOfDrive(run, name)
    case 'not delivered':
      return verdict.next === report.line
        ? [report, ...afterFailure(state, name)]
        : [followUp('drive', { RUN: name }), report]
    default:
      return [report]
  }
}

/** What can be done with work that is not delivered, or only with its branch if there is no commit. */
function afterFailure({ place, delivered }: DriveState, name: string): NextCommand[] {
  if (place.kind !== 'worktree') return []
  const also = delivered?.commit === undefined ? [] : [followUp('also', { RUN: name })]
  return [...also, followUp('discard', { RUN: name })]
}

const TONES = {
  delivered: 'good',
  'delivered, look first': 'open',
  merged: 'good',
  discarded: 'dim',
  'nothing to change': 'good',
  'not delivered': 'bad',
  'waits for you': 'open',
  'paused by limit': 'open',
  continued: 'dim',
  queued: 'dim',
  running: 'good',
  'waiting for limit': 'open',
  'not driven': 'bad',
} as const satisfies Record<RunVerdict['word'], string>

/** In one line. What to look at comes below it, one line each. */
function describeVerdict({ word, line, look_first: lookFirst }: RunVerdict): StyledLine[] {
  const tone = TONES[word]
  const head = word === 'delivered, look first' ? word : toPrintable(line)
  return [{ text: head, tone }, ...lookFirst.map((each): StyledLine => ({ text: `  ${toPrintable(each)}`, tone }))]
}
