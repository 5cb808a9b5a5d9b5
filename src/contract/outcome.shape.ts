/** What a host reports about an action. The legal combinations of kind, status and the rest are the branches below. */
import { type TProperties, type TSchema, Type } from 'typebox'
import { literals, type Message, meaning, named, strict, tagged } from '../kit/shape.ts'
import { ContractVersion } from './identifiers.shape.ts'
import { LIMITS } from './limits.ts'
import { noneOf } from './list.shape.ts'
import { ImplementPause, Pause } from './pause.shape.ts'
import { FailedReview, FinishedReview, InconclusiveReview } from './review.shape.ts'
import { MarkdownText, NonEmptyMarkdownText, NonEmptyPlainText, nonEmptyMarkdown, PlainText } from './text.shape.ts'

export const SuggestedAction = named(
  'suggestedAction',
  strict(
    {
      kind: literals(['clarify', 'implement', 'summarize'], { description: 'What sort of work.' }),
      brief: nonEmptyMarkdown({ 'x-max-utf8-bytes': LIMITS.briefBytes, description: 'What to do.' }),
    },
    { title: 'Suggested action', description: 'What a host would do next.' },
  ),
)
export type SuggestedAction = Message<typeof SuggestedAction>

export const Activity = named(
  'activity',
  strict(
    {
      kind: literals(['test', 'typecheck', 'build', 'lint'], { description: 'What was run.' }),
      command: meaning('How it was run.', NonEmptyMarkdownText),
      exit_code: Type.Integer({ description: 'How it ended; below zero for a signal.' }),
      summary: meaning('What it showed.', NonEmptyMarkdownText),
    },
    { title: 'Activity', description: 'A check that a host ran.' },
  ),
)
export type Activity = Message<typeof Activity>

const PAUSE = 'What the action waits for; `null` if it does not wait.'
const IMPLEMENTATION = 'What was done to the files; `null` if nothing was to be done to them.'
const REVIEW = 'What was found; `null` if nothing was reviewed.'
const SUGGESTIONS = 'What to do next, as the host sees it.'

const implementation = <const R extends string[]>(results: readonly [...R]) =>
  strict(
    {
      result: literals(results, { description: 'What the work came to.' }),
      files_changed: Type.Array(PlainText, { description: 'The files that the host says it changed.' }),
      activities: Type.Array(Activity, { description: 'The checks that it ran.' }),
      uncertainties: Type.Array(MarkdownText, { description: 'What it is not sure of.' }),
      attempts: Type.Integer({ minimum: 1, description: 'How often it tried.' }),
    },
    { description: IMPLEMENTATION },
  )

/** One row of the table: the fields of every outcome, and those that the row has something to say about. */
function row<K extends TSchema, S extends TSchema, P extends TProperties>(kind: K, status: S, own: P) {
  return strict({
    contract_version: ContractVersion,
    action_id: meaning('The action that was worked on.', NonEmptyPlainText),
    action_kind: kind,
    status,
    summary: meaning('What happened, in words.', NonEmptyMarkdownText),
    observations: Type.Array(MarkdownText, { description: 'What was noticed.' }),
    known_issues: Type.Array(MarkdownText, { description: 'What is known to be wrong.' }),
    ...own,
  })
}

const noSuggestion = { suggested_actions: noneOf(SuggestedAction, { description: SUGGESTIONS }) }
const oneSuggestion = { suggested_actions: Type.Array(SuggestedAction, { maxItems: 1, description: SUGGESTIONS }) }
const noPause = { pause: Type.Null({ description: PAUSE }) }
const noImplementation = { implementation: Type.Null({ description: IMPLEMENTATION }) }
const noReview = { review: Type.Null({ description: REVIEW }) }
const done = { ...noPause, ...noImplementation, ...noReview }
const waiting = { pause: meaning(PAUSE, Pause), ...noImplementation, ...noReview, ...noSuggestion }

const kind = <const K extends string>(text: K) => Type.Literal(text, { description: 'The kind of the action.' })
const status = <const S extends string[]>(words: readonly [...S]) =>
  literals(words, { description: 'How far it came.' })

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
    { title: 'Outcome', description: 'What became of an action. All fields are always there.' },
  ),
)
export type Outcome = Message<typeof Outcome>
