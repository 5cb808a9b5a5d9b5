/** The report of a host about an action. The branches below are the legal combinations of kind, status and the rest. */
import { type TProperties, type TSchema, Type } from 'typebox'
import { literals, type Message, meaning, named, strict, tagged } from '../kit/shape.ts'
import { ContractVersion } from './identifiers.shape.ts'
import { LIMITS } from './limits.ts'
import { emptyList, nonEmptyList } from './list.shape.ts'
import { ImplementPause, Pause } from './pause.shape.ts'
import {
  MarkdownText,
  NonEmptyMarkdownText,
  NonEmptyPlainText,
  nonEmptyMarkdown,
  PlainText,
} from './text-kinds.shape.ts'

const RESULT = 'Result of the review.'
const FINDINGS = 'The findings.'
const DOUBTS = 'What the reviewer is unsure about.'

const Finding = named(
  'finding',
  strict(
    {
      location: meaning('Location of the finding.', NonEmptyPlainText),
      summary: meaning('The finding.', NonEmptyMarkdownText),
      detail: meaning('Why it matters.', NonEmptyMarkdownText),
    },
    { title: 'Finding', description: 'One finding of a review.' },
  ),
)

const uncertainties = Type.Array(MarkdownText, { description: DOUBTS })

/** The result states whether there are findings. */
export const FinishedReview = named(
  'finishedReview',
  tagged(
    'result',
    [
      strict({
        result: Type.Literal('no_findings_reported', { description: RESULT }),
        findings: emptyList(Finding, { description: FINDINGS }),
        uncertainties,
      }),
      strict({
        result: Type.Literal('findings_reported', { description: RESULT }),
        findings: nonEmptyList(Finding, { description: FINDINGS }),
        uncertainties,
      }),
    ],
    { title: 'Finished review', description: 'The review of a completed outcome.' },
  ),
)

const unfinished = (result: 'inconclusive' | 'error') =>
  strict({
    result: Type.Literal(result, { description: RESULT }),
    findings: Type.Array(Finding, { description: FINDINGS }),
    uncertainties,
  })

const InconclusiveReview = named('inconclusiveReview', {
  ...unfinished('inconclusive'),
  title: 'Inconclusive review',
  description: 'The review of a partial outcome.',
})

const FailedReview = named('failedReview', {
  ...unfinished('error'),
  title: 'Failed review',
  description: 'The review of a failed outcome.',
})

/** Written by drover for a skipped review; no outcome can have it. */
export const ReviewProjection = named(
  'reviewProjection',
  strict(
    {
      result: Type.Literal('not_run', { description: RESULT }),
      findings: emptyList(Finding, { description: FINDINGS }),
      uncertainties: emptyList(MarkdownText, { description: DOUBTS }),
    },
    { title: 'Review projection', description: 'Placeholder for a skipped review.' },
  ),
)
export type ReviewProjection = Message<typeof ReviewProjection>

export const SuggestedAction = named(
  'suggestedAction',
  strict(
    {
      kind: literals(['clarify', 'implement', 'summarize'], { description: 'Kind of the suggested action.' }),
      brief: nonEmptyMarkdown({ 'x-max-utf8-bytes': LIMITS.briefBytes, description: 'What to do in it.' }),
    },
    { title: 'Suggested action', description: 'The next action that a host suggests.' },
  ),
)
export type SuggestedAction = Message<typeof SuggestedAction>

export const Activity = named(
  'activity',
  strict(
    {
      kind: literals(['test', 'typecheck', 'build', 'lint'], { description: 'Kind of check.' }),
      command: meaning('Command of the check.', NonEmptyMarkdownText),
      exit_code: Type.Integer({ description: 'Exit code; negative for a signal.' }),
      summary: meaning('Result of the check.', NonEmptyMarkdownText),
    },
    { title: 'Activity', description: 'A check that a host ran.' },
  ),
)
export type Activity = Message<typeof Activity>

const PAUSE = 'What the action is waiting for; `null` if it is not waiting.'
const IMPLEMENTATION = 'The work on files; `null` if there was none.'
const REVIEW = 'The result of the review; `null` if this is not one.'
const SUGGESTIONS = 'The next action that the host suggests.'

const implementation = <const R extends string[]>(results: readonly [...R]) =>
  strict(
    {
      result: literals(results, { description: 'Result of the work.' }),
      files_changed: Type.Array(PlainText, { description: 'Files that the host reports as changed.' }),
      activities: Type.Array(Activity, { description: 'Checks that the host ran.' }),
      uncertainties: Type.Array(MarkdownText, { description: 'What the host is unsure about.' }),
      attempts: Type.Integer({ minimum: 1, description: 'Number of attempts.' }),
    },
    { description: IMPLEMENTATION },
  )

/** One row of the table: the fields of every outcome, and those that the row restricts. */
function row<K extends TSchema, S extends TSchema, P extends TProperties>(kind: K, status: S, own: P) {
  return strict({
    contract_version: ContractVersion,
    action_id: meaning('Id of the action.', NonEmptyPlainText),
    action_kind: kind,
    status,
    summary: meaning('Summary of the work.', NonEmptyMarkdownText),
    observations: Type.Array(MarkdownText, { description: 'Observations of the host.' }),
    known_issues: Type.Array(MarkdownText, { description: 'Known issues.' }),
    ...own,
  })
}

const noSuggestion = { suggested_actions: emptyList(SuggestedAction, { description: SUGGESTIONS }) }
const oneSuggestion = { suggested_actions: Type.Array(SuggestedAction, { maxItems: 1, description: SUGGESTIONS }) }
const noPause = { pause: Type.Null({ description: PAUSE }) }
const noImplementation = { implementation: Type.Null({ description: IMPLEMENTATION }) }
const noReview = { review: Type.Null({ description: REVIEW }) }
const done = { ...noPause, ...noImplementation, ...noReview }
const waiting = { pause: meaning(PAUSE, Pause), ...noImplementation, ...noReview, ...noSuggestion }

const kind = <const K extends string>(text: K) => Type.Literal(text, { description: 'Kind of the action.' })
const status = <const S extends string[]>(words: readonly [...S]) =>
  literals(words, { description: 'Status of the action.' })

const implemented = <const S extends string, const R extends string[]>(reached: S, results: readonly [...R]) =>
  row(kind('implement'), status([reached]), {
    ...noPause,
    implementation: implementation(results),
    ...noReview,
    ...noSuggestion,
  })

const reviewed = <const S extends string, R extends TSchema>(reached: S, review: R) =>
  row(kind('review'), status([reached]), {
    ...noPause,
    ...noImplementation,
    review: meaning(REVIEW, review),
    ...noSuggestion,
  })

export const Outcome = named(
  'outcome',
  tagged(
    'action_kind',
    [
      tagged('status', [
        row(kind('orient'), status(['completed', 'partial', 'error']), { ...done, ...oneSuggestion }),
        row(kind('orient'), status(['needs_input']), waiting),
      ]),
      tagged('status', [
        row(kind('clarify'), status(['completed', 'error']), { ...done, ...oneSuggestion }),
        row(kind('clarify'), status(['needs_input']), waiting),
      ]),
      tagged('status', [
        implemented('completed', ['applied', 'not_needed']),
        implemented('partial', ['partial']),
        implemented('error', ['unable']),
        row(kind('implement'), status(['needs_input']), { ...waiting, pause: meaning(PAUSE, ImplementPause) }),
      ]),
      tagged('status', [
        reviewed('completed', FinishedReview),
        reviewed('partial', InconclusiveReview),
        reviewed('error', FailedReview),
      ]),
      row(kind('summarize'), status(['completed', 'error']), { ...done, ...noSuggestion }),
    ],
    { title: 'Outcome', description: 'The result of an action. All fields are always present.' },
  ),
)
export type Outcome = Message<typeof Outcome>
