/** Ids, URLs and enumerations that several messages share. */
import { Type } from 'typebox'
import { literals, meaning, named, textLike } from '../kit/shape.ts'
import { COMMENT_URL, ISSUE_URL } from './issue-url.ts'
import { CONTRACT_VERSION, LIMITS, ROLES } from './limits.ts'

export const ContractVersion = Type.Literal(CONTRACT_VERSION, { description: 'Version of this contract.' })

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
  textLike('Z$', 'a time in UTC that ends with Z', { format: 'date-time', title: 'Timestamp in UTC' }),
)

export const NodeId = named(
  'nodeID',
  textLike('^[^\\s\\u0000-\\u001f\\u007f-\\u009f]+$', 'an id without white space and control characters', {
    title: 'Node id',
  }),
)

/** A UUID of any version and the RFC 9562 variant, which excludes the nil UUID. */
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

/** The ids of an issue in a source. */
export const issueIds = {
  repository_id: meaning('Id of the repository at the provider.', NodeId),
  issue_id: meaning('Id of the issue at the provider.', NodeId),
}

export const Provider = Type.Literal('github', { description: 'Provider of the issue.' })
export const Host = Type.Literal('github.com', { description: 'Host name of the provider.' })
export const SourceVersion = Type.Literal(2, { description: 'Version of the source format.' })

/** How a source names its issue. */
export const issueFields = {
  provider: Provider,
  host: Host,
  ...issueIds,
  issue_number: Type.Integer({ minimum: 1, description: 'Number of the issue in its repository.' }),
  canonical_url: meaning('URL of the issue.', IssueUrl),
  url_aliases: Type.Array(IssueUrl, {
    maxItems: LIMITS.urlAliases,
    uniqueItems: true,
    description: 'Earlier URLs of the issue.',
  }),
}

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
  literals(ROLES, { title: 'Section role', description: 'Role of the section.' }),
)

export const RunState = named(
  'runState',
  literals(['active', 'paused', 'stopped', 'ended'], { title: 'Run state', description: 'State of the run.' }),
)

export const TransactionOutcome = named(
  'transactionOutcome',
  literals(['committed', 'rolled_back', 'not_committed', 'ambiguous'], {
    title: 'Transaction outcome',
    description: 'Result of a change to files.',
  }),
)
