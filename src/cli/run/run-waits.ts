/** What a run waits for: in a few words, and whole for those who decide. Pure. */
import { toRevealed } from '../../kit/printable-text.ts'
import { pendingQuestion, type RunOutline } from '../../runs/read-status.ts'
import { toOneLine, toPrintable } from '../output/printable.ts'
import { type TextLayout, tableWidth } from '../output/text-table.ts'
import { followUp } from '../output/what-follows.ts'
import { quoteWithBar, wrapWords } from '../output/wrap-words.ts'

export function formatWaiting({ state, pause_reason, source_candidate, current_action }: RunOutline): string {
  if (state === 'ended') return ''
  if (source_candidate !== undefined) return ', waiting for a choice between its pinned source and the candidate'
  if (state === 'stopped') return ', waiting to be resumed'
  if (state === 'active') return `, waiting for the outcome of ${current_action?.kind}`
  return `, waiting for ${WAITS_FOR[pause_reason ?? 'decision_required']}`
}

const WAITS_FOR: Readonly<Record<NonNullable<RunOutline['pause_reason']>, string>> = {
  decision_required: 'an answer',
  destructive_confirmation_required: 'a confirmation, or an answer that declines it',
  environment_unavailable: 'something that it lacks',
  budget_exhausted: 'more budget, which it gets when it is resumed',
}

/** A long question is cut in a list; the status of the run has all of it. */
const QUESTION_COLUMNS = 120

/** What a paused run of a list waits for, with the command that answers a question. `next` continues a driven run. */
export function describePause(run: RunOutline, name: string, next?: string): string | undefined {
  if (run.state !== 'paused') return undefined
  if (run.pause_reason === 'environment_unavailable' && next !== undefined) {
    const lacking = toOneLine(pendingQuestion(run) ?? '', QUESTION_COLUMNS)
    return `waiting for something that it lacks${lacking === '' ? '' : `, "${lacking}"`}: ${next}`
  }
  const isQuestion =
    run.source_candidate === undefined && (run.pause_reason ?? 'decision_required') === 'decision_required'
  const question = isQuestion ? pendingQuestion(run) : undefined
  const waits = formatWaiting(run).replace(/^, /, '')
  const to = question === undefined ? '' : ` to "${toOneLine(question, QUESTION_COLUMNS)}"`
  return `${waits}${to}: ${followUp(isQuestion ? 'answer-decision' : 'status', { RUN: name }).line}`
}

/** The whole question or request, before it is asked for: nothing of it is cut. */
export function describeWait(run: RunOutline, out: TextLayout): string[] {
  if (run.state === 'stopped') return ['The run is stopped.']
  if (run.source_candidate !== undefined) {
    return ['The issue has changed, and the run waits for a choice between its pinned and its current text.']
  }
  const question = quoteWithBar(toPrintable(pendingQuestion(run) ?? ''), tableWidth(out))
  switch (run.pause_reason) {
    case 'destructive_confirmation_required':
      return [...question, ...destructiveLines(run, out)]
    case 'environment_unavailable':
      return ['Something is missing:', ...question]
    case 'budget_exhausted':
      return ['The run has used all of its actions.']
    default:
      return question
  }
}

/** The question, and all of what a confirmation permits. Neither is shortened. */
export function waitingLines(run: RunOutline, out: TextLayout): string[] {
  const question = pendingQuestion(run)
  return [
    ...(question === undefined ? [] : block('Question', indent(question, out), out)),
    ...destructiveLines(run, out),
  ]
}

function destructiveLines(run: RunOutline, out: TextLayout): string[] {
  const request = run.pending_destructive_request
  if (request === undefined) return []
  const targets = request.targets.flatMap(({ kind, value }) => indent(toRevealed(`${kind} ${value}`), out))
  return [
    ...block(destroyTitle(run), targets, out),
    ...block('Impact', indent(toRevealed(request.impact), out), out),
    ...indent(`Digest: ${request.scope_sha256}`, out),
  ]
}

export function destroyTitle({ current_action }: RunOutline): string {
  return current_action?.destructive_authorization === undefined ? 'Would destroy' : 'Is allowed to destroy'
}

function indent(text: string, out: TextLayout): string[] {
  return wrapWords(toPrintable(text), tableWidth(out) - 2).map((line) => `  ${line}`)
}

/** Lines below a title; none without lines. */
export function block(title: string, lines: readonly string[], out: TextLayout): string[] {
  return lines.length === 0 ? [] : ['', out.style('bold', title), ...lines]
}
