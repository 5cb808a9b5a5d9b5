import { Type } from 'typebox'
import { type Message, meaning, named, strict, tagged } from '../kit/shape.ts'
import { emptyList, nonEmptyList } from './list.shape.ts'
import { MarkdownText, NonEmptyMarkdownText, NonEmptyPlainText } from './text-kinds.shape.ts'

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

export const InconclusiveReview = named('inconclusiveReview', {
  ...unfinished('inconclusive'),
  title: 'Inconclusive review',
  description: 'The review of a partial outcome.',
})

export const FailedReview = named('failedReview', {
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
