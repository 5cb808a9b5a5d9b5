/** What things are called by, and the words that several messages share. */
import { Type } from 'typebox'
import { literals, meaning, named, textLike } from '../kit/shape.ts'
import { COMMENT_URL, ISSUE_URL } from './issue-url.ts'
import { CONTRACT_VERSION, LIMITS } from './limits.ts'
import { ROLES } from './section-roles.ts'

export const ContractVersion = Type.Literal(CONTRACT_VERSION, { description: 'The version of this contract.' })

export const Digest = named(
  'digest',
  textLike('^sha256:[0-9a-f]{64}$', 'sha256: and 64 lowercase hexadecimal digits', { title: 'Digest' }),
)

export const Timestamp = named(
  'timestamp',
  Type.String({ format: 'date-time', title: 'Timestamp', description: 'An RFC 3339 date-time.' }),
)

export const UtcTimestamp = named(
  'utcTimestamp',
  textLike('Z$', 'a time in UTC, with a Z at its end', { format: 'date-time', title: 'Timestamp in UTC' }),
)

export const NodeId = named(
  'nodeID',
  textLike('^[^\\s\\u0000-\\u001f\\u007f-\\u009f]+$', 'an id without white space and control characters', {
    title: 'Node id',
  }),
)

/** A UUID of any version and the usual variant, which the nil UUID has not. */
export const RequestId = named(
  'requestID',
  textLike(
    '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$',
    'a lowercase UUID, not the nil one',
    {
      title: 'Request id',
    },
  ),
)

export const IssueUrl = named(
  'issueURL',
  textLike(ISSUE_URL, 'an issue URL such as https://github.com/owner/repo/issues/7', {
    title: 'Issue URL',
  }),
)

export const CommentUrl = named(
  'commentURL',
  textLike(COMMENT_URL, 'an issue URL followed by #issuecomment- and a number', {
    title: 'Comment URL',
  }),
)

/** The ids by which a source names its issue. */
export const issueIds = {
  repository_id: meaning('The repository, by the id that the provider gave it.', NodeId),
  issue_id: meaning('The issue, by the id that the provider gave it.', NodeId),
}

export const Provider = Type.Literal('github', { description: 'The provider of the issue.' })
export const Host = Type.Literal('github.com', { description: 'The host of the provider.' })
export const SourceVersion = Type.Literal(2, { description: 'The version of source envelopes.' })

export const SectionKey = named(
  'sectionKey',
  textLike(
    `^[a-z0-9][a-z0-9._-]{0,${LIMITS.sectionKeyCharacters - 1}}$`,
    `1 to ${LIMITS.sectionKeyCharacters} lowercase letters, digits, dots, underscores or hyphens, the first a letter or digit`,
    { title: 'Section key' },
  ),
)

export const SectionRole = named(
  'sectionRole',
  literals(ROLES, { title: 'Section role', description: 'What the section is for.' }),
)

export const RunState = named(
  'runState',
  literals(['active', 'paused', 'stopped', 'ended'], { title: 'Run state', description: 'Where the run stands.' }),
)

export const TransactionOutcome = named(
  'transactionOutcome',
  literals(['committed', 'rolled_back', 'not_committed', 'ambiguous'], {
    title: 'Transaction outcome',
    description: 'What became of a change of files.',
  }),
)
