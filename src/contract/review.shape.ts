import { Type } from 'typebox'
import { type Message, meaning, named, strict, tagged } from '../kit/shape.ts'
import { noneOf, someOf } from './list.shape.ts'
import { MarkdownText, NonEmptyMarkdownText, NonEmptyPlainText } from './text.shape.ts'

const RESULT = 'What the review came to.'
const FINDINGS = 'What was found.'
const DOUBTS = 'What could not be told.'

const Finding = named(
  'finding',
  strict(
    {
      location: meaning('Where it is.', NonEmptyPlainText),
      summary: meaning('What it is.', NonEmptyMarkdownText),
      detail: meaning('Why it matters.', NonEmptyMarkdownText),
    },
    { title: 'Finding', description: 'One thing that a review found.' },
  ),
)

const uncertainties = Type.Array(MarkdownText, { description: DOUBTS })

/** A finished review says "none" with none, and "some" with some. */
export const FinishedReview = named(
  'finishedReview',
  tagged(
    'result',
    [
      strict({
        result: Type.Literal('no_findings_reported', { description: RESULT }),
        findings: noneOf(Finding, { description: FINDINGS }),
        uncertainties,
      }),
      strict({
        result: Type.Literal('findings_reported', { description: RESULT }),
        findings: someOf(Finding, { description: FINDINGS }),
        uncertainties,
      }),
    ],
    { title: 'Finished review', description: 'The review of an outcome that is completed.' },
  ),
)

const unfinished = (result: 'inconclusive' | 'error') =>
  strict({
    result: Type.Literal(result, { description: RESULT }),
    findings: Type.Array(Finding, { description: FINDINGS }),
    uncertainties,
  })

export const InconclusiveReview = named('inconclusiveReview', {
  ...unfinished('inconclusive'),
  title: 'Inconclusive review',
  description: 'The review of an outcome that is partial.',
})

export const FailedReview = named('failedReview', {
  ...unfinished('error'),
  title: 'Failed review',
  description: 'The review of an outcome that is an error.',
})

/** drover writes this itself when a review is skipped; no outcome can. */
export const ReviewProjection = named(
  'reviewProjection',
  strict(
    {
      result: Type.Literal('not_run', { description: RESULT }),
      findings: noneOf(Finding, { description: FINDINGS }),
      uncertainties: noneOf(MarkdownText, { description: DOUBTS }),
    },
    { title: 'Review projection', description: 'Stands for the review that was skipped.' },
  ),
)
export type ReviewProjection = Message<typeof ReviewProjection>
