import { checkerInOrder, fieldSteps, type IndexedItem, ofItem, onEach, step } from '../kit/check-in-order.ts'
import { type Problem, type Rule, within } from '../kit/schema.ts'
import { PLAIN } from './control-characters.ts'
import { commentUrl, urlHasTheIssueNumber } from './issue-url.ts'
import { LIMITS } from './limits.ts'
import type { RawSourceComment, RawSourceEnvelope, SourceParent } from './raw-source-envelope.shape.ts'
import {
  validateRawSourceCommentFields,
  validateRawSourceEnvelopeFields,
  validateRawSourceEnvelopeForm,
} from './source.generated.js'

type Envelope = RawSourceEnvelope
type Comment = IndexedItem<RawSourceComment, Envelope>

const field = fieldSteps<Envelope>(validateRawSourceEnvelopeFields)
const comment = fieldSteps<RawSourceComment>(validateRawSourceCommentFields)
const ofComment = (name: keyof RawSourceComment & string) => ofItem(comment.required(name))

/** All these fields are checked for control characters before anything else. */
const noControlsIn =
  <T>(...names: (keyof T & string)[]): Rule<T> =>
  (value) =>
    names
      .filter((name) => typeof value[name] === 'string' && PLAIN.hasControls(value[name]))
      .map((name) => ({ path: `$.${name}`, rule: `must be ${PLAIN.says}` }))

/** Refuses a list that is too long before its items are checked. */
const hasAllowedLength: Rule<Envelope> = (envelope) => {
  const isAllowed = Array.isArray(envelope.comments) && envelope.comments.length <= LIMITS.comments
  return isAllowed ? [] : field.required('comments')(envelope)
}

function commentsAreOfThisIssue({ item, whole }: Comment): Problem[] {
  const expected = commentUrl(whole.canonical_url, item.database_id)
  return item.url === expected ? [] : [{ path: '$.url', rule: `must be ${expected}` }]
}

function commentsAreDistinct({ item, index, whole }: Comment): Problem[] {
  const earlier = whole.comments.slice(0, index)
  const shared = (['node_id', 'database_id'] as const).filter((name) =>
    earlier.some((other) => other[name] === item[name]),
  )
  return shared.map((name) => ({ path: `$.${name}`, rule: 'must not be that of another comment' }))
}

/** The order of the checks, as docs/machine-protocol.md publishes it. */
const STEPS: readonly Rule<Envelope>[] = [
  step(validateRawSourceEnvelopeForm),
  field.required('source_version'),
  noControlsIn('provider', 'host', 'repository_id', 'issue_id', 'canonical_url', 'updated_at', 'fetched_at', 'title'),
  field.required('body'),
  field.required('provider'),
  field.required('host'),
  field.required('repository_id'),
  field.required('issue_id'),
  field.required('issue_number'),
  field.required('title'),
  field.required('updated_at'),
  field.required('fetched_at'),
  field.required('canonical_url'),
  urlHasTheIssueNumber,
  field.required('labels'),
  hasAllowedLength,
  onEach('comments', [
    ofComment('node_id'),
    ofComment('database_id'),
    ofComment('author_id'),
    ofItem(noControlsIn<RawSourceComment>('url', 'updated_at')),
    ofComment('body'),
    ofComment('is_minimized'),
    ofComment('updated_at'),
    ofComment('url'),
    commentsAreOfThisIssue,
    commentsAreDistinct,
  ]),
  within('parent', [noControlsIn<SourceParent>('repository_id', 'issue_id', 'canonical_url')]),
  field.optional('parent'),
]

export const checkRawSourceEnvelope = checkerInOrder<Envelope>('rawSourceEnvelope', STEPS)
