import { checker, type Problem, type Rule } from '../kit/schema.ts'
import { repeated } from './distinct.ts'
import { commentUrl, urlHasTheIssueNumber } from './issue-url.ts'
import type { RawSourceEnvelope } from './raw-source-envelope.shape.ts'
import { validateRawSourceEnvelope } from './source.generated.js'

function commentsAreOfThisIssue({ canonical_url, comments }: RawSourceEnvelope): Problem[] {
  return comments.flatMap(({ url, database_id }, index) => {
    const expected = commentUrl(canonical_url, database_id)
    return url === expected ? [] : [{ path: `$.comments[${index}].url`, rule: `must be ${expected}` }]
  })
}

function commentsAreDistinct({ comments }: RawSourceEnvelope): Problem[] {
  return (['node_id', 'database_id'] as const).flatMap((field) =>
    repeated(comments, (comment) => comment[field]).map((index) => ({
      path: `$.comments[${index}].${field}`,
      rule: 'must not be that of another comment',
    })),
  )
}

const rules: readonly Rule<RawSourceEnvelope>[] = [urlHasTheIssueNumber, commentsAreOfThisIssue, commentsAreDistinct]

export const checkRawSourceEnvelope = checker<RawSourceEnvelope>('rawSourceEnvelope', validateRawSourceEnvelope, rules)
