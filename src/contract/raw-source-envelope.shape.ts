import { Type } from 'typebox'
import { type Message, meaning, named, strict } from '../kit/shape.ts'
import {
  CommentUrl,
  Host,
  IssueUrl,
  issueIds,
  NodeId,
  Provider,
  SourceVersion,
  Timestamp,
} from './identifiers.shape.ts'
import { LIMITS } from './limits.ts'
import { MarkdownText, NonEmptyPlainText } from './text-kinds.shape.ts'

export const SourceParent = named(
  'sourceParent',
  strict(
    {
      repository_id: meaning('Id of its repository.', NodeId),
      issue_id: meaning('Id of the issue.', NodeId),
      canonical_url: meaning('URL of the issue.', IssueUrl),
    },
    { title: 'Source parent', description: 'The parent of an issue, for reference only.' },
  ),
)
export type SourceParent = Message<typeof SourceParent>

export const RawSourceComment = named(
  'rawSourceComment',
  strict(
    {
      node_id: meaning('Id of the comment at the provider.', NodeId),
      database_id: Type.Integer({ minimum: 1, description: 'Number of the comment at the provider.' }),
      url: meaning('URL of the comment.', CommentUrl),
      updated_at: meaning('Time of its last change.', Timestamp),
      author_id: meaning('Id of the author.', NodeId),
      is_minimized: Type.Boolean({ description: 'Whether the comment is minimized.' }),
      body: meaning('Its text, unchanged. It may be empty.', MarkdownText),
    },
    { title: 'Raw source comment', description: 'One comment on the issue.' },
  ),
)
export type RawSourceComment = Message<typeof RawSourceComment>

export const RawSourceEnvelope = named(
  'rawSourceEnvelope',
  strict(
    {
      source_version: SourceVersion,
      provider: Provider,
      host: Host,
      ...issueIds,
      issue_number: Type.Integer({ minimum: 1, description: 'Number of the issue in its repository.' }),
      canonical_url: meaning('URL of the issue.', IssueUrl),
      updated_at: meaning('Time of the last change to the issue.', Timestamp),
      fetched_at: meaning('Time of the fetch.', Timestamp),
      title: meaning('Its title.', NonEmptyPlainText),
      body: meaning('Its text, unchanged. It may be empty.', MarkdownText),
      labels: Type.Array(NonEmptyPlainText, { maxItems: LIMITS.labels, description: 'Names of its labels.' }),
      comments: Type.Array(RawSourceComment, { maxItems: LIMITS.comments, description: 'Its comments.' }),
      parent: Type.Optional(meaning('The parent of the issue.', SourceParent)),
    },
    {
      title: 'Raw source envelope',
      description: 'An issue with its comments, as fetched.',
      'x-rules': {
        urlHasTheIssueNumber: '`canonical_url` ends with `issue_number`.',
        commentsAreOfThisIssue:
          'The `url` of a comment is `canonical_url`, `#issuecomment-` and its `database_id`, character for character.',
        commentsAreDistinct: 'No two comments have the same `node_id` or the same `database_id`.',
      },
    },
  ),
)
export type RawSourceEnvelope = Message<typeof RawSourceEnvelope>
