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
import { MarkdownText, NonEmptyPlainText } from './text.shape.ts'

export const SourceParent = named(
  'sourceParent',
  strict(
    {
      repository_id: meaning('Its repository.', NodeId),
      issue_id: meaning('The issue itself.', NodeId),
      canonical_url: meaning('Where it is.', IssueUrl),
    },
    { title: 'Source parent', description: 'The issue that an issue is part of. It is kept for reference only.' },
  ),
)
export type SourceParent = Message<typeof SourceParent>

export const RawSourceComment = named(
  'rawSourceComment',
  strict(
    {
      node_id: meaning('The comment, by the id that the provider gave it.', NodeId),
      database_id: Type.Integer({ minimum: 1, description: "The provider's number for the comment." }),
      url: meaning('Where it is.', CommentUrl),
      updated_at: meaning('When it was last changed.', Timestamp),
      author_id: meaning('Who wrote it.', NodeId),
      is_minimized: Type.Boolean({ description: 'Whether the comment is hidden on the page of the issue.' }),
      body: meaning('Its text, unchanged; it may be empty.', MarkdownText),
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
      issue_number: Type.Integer({ minimum: 1, description: 'The number of the issue in its repository.' }),
      canonical_url: meaning('Where the issue is.', IssueUrl),
      updated_at: meaning('When the issue was last changed.', Timestamp),
      fetched_at: meaning('When this was fetched.', Timestamp),
      title: meaning('Its title.', NonEmptyPlainText),
      body: meaning('Its text, unchanged; it may be empty.', MarkdownText),
      labels: Type.Array(NonEmptyPlainText, { maxItems: LIMITS.labels, description: 'The names of its labels.' }),
      comments: Type.Array(RawSourceComment, { maxItems: LIMITS.comments, description: 'Its comments.' }),
      parent: Type.Optional(meaning('The issue that it is part of.', SourceParent)),
    },
    {
      title: 'Raw source envelope',
      description: 'An issue as it was fetched, before anything is made of it.',
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
