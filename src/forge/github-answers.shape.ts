/** The fields that drover reads from answers of GitHub's REST and GraphQL APIs. Other fields are allowed. */
import { type TSchema, Type } from 'typebox'
import type { Message } from '../kit/shape.ts'

const orNull = <S extends TSchema>(shape: S) => Type.Union([Type.Null(), shape])
const number = Type.Integer({ minimum: 1 })
const text = Type.String()

/** `errors` may come together with `data`, if GitHub could answer only a part. */
export const GraphqlErrors = Type.Object({
  errors: Type.Optional(
    Type.Array(
      Type.Object({
        type: Type.Optional(Type.String()),
        message: Type.Optional(Type.String()),
        path: Type.Optional(Type.Array(Type.Union([Type.String(), Type.Integer()]))),
      }),
    ),
  ),
  /** Set instead of all other fields if GitHub refused the whole request. */
  message: Type.Optional(Type.String()),
})
export type GraphqlErrors = Message<typeof GraphqlErrors>

/** Null: the account was deleted. */
const User = orNull(Type.Object({ login: text }))

export const ViewerAnswer = Type.Object({ data: Type.Object({ viewer: Type.Object({ login: text }) }) })
export type ViewerAnswer = Message<typeof ViewerAnswer>

export const PermissionAnswer = Type.Object({ permission: text, role_name: Type.Optional(text) })
export type PermissionAnswer = Message<typeof PermissionAnswer>

export const RepositoryAnswer = Type.Object({ default_branch: text })
export type RepositoryAnswer = Message<typeof RepositoryAnswer>

export const EditAnswer = Type.Object({
  data: Type.Object({
    repository: Type.Object({
      issue: Type.Object({
        lastEditedAt: orNull(text),
        editor: User,
        timelineItems: Type.Object({ nodes: Type.Array(Type.Object({ createdAt: text, actor: User })) }),
      }),
    }),
  }),
})
export type EditAnswer = Message<typeof EditAnswer>

const Issue = Type.Object({
  number,
  html_url: text,
  title: text,
  user: User,
  created_at: text,
  labels: Type.Array(Type.Union([text, Type.Object({ name: Type.Optional(text) })])),
  /** Set if it is a pull request. */
  pull_request: Type.Optional(Type.Object({})),
})
export const LabeledAnswer = Type.Array(Issue)
export type LabeledAnswer = Message<typeof LabeledAnswer>

export const OneIssueAnswer = Type.Object({ ...Issue.properties, state: text })
export type OneIssueAnswer = Message<typeof OneIssueAnswer>

export const EventsAnswer = Type.Array(
  Type.Object({
    event: text,
    actor: Type.Optional(User),
    created_at: text,
    label: Type.Optional(Type.Object({ name: text })),
  }),
)
export type EventsAnswer = Message<typeof EventsAnswer>

const IssueComment = Type.Object({
  id: number,
  html_url: text,
  body: Type.Optional(orNull(text)),
  user: User,
  created_at: text,
  updated_at: text,
  issue_url: text,
})
export const PostedAnswer = IssueComment
export type PostedAnswer = Message<typeof PostedAnswer>
export const ListedAnswer = Type.Array(IssueComment)
export type ListedAnswer = Message<typeof ListedAnswer>

const Side = Type.Object({
  ref: text,
  sha: text,
  /** Null: the fork was deleted. */
  repo: orNull(Type.Object({ full_name: text })),
})
const PullRequestFields = {
  number,
  node_id: text,
  html_url: text,
  state: text,
  title: text,
  body: orNull(text),
  draft: Type.Optional(Type.Boolean()),
  merged_at: orNull(text),
  merge_commit_sha: orNull(text),
  head: Side,
  base: Side,
}
export const PullAnswer = Type.Object(PullRequestFields)
export type PullAnswer = Message<typeof PullAnswer>
export const PullsAnswer = Type.Array(PullAnswer)
export type PullsAnswer = Message<typeof PullsAnswer>

export const CheckRunsAnswer = Type.Object({
  check_runs: Type.Array(
    Type.Object({
      id: number,
      name: text,
      status: text,
      conclusion: orNull(text),
      html_url: orNull(text),
      app: Type.Optional(orNull(Type.Object({ slug: Type.Optional(text) }))),
      output: Type.Object({
        title: Type.Optional(orNull(text)),
        summary: Type.Optional(orNull(text)),
        text: Type.Optional(orNull(text)),
      }),
    }),
  ),
})
export type CheckRunsAnswer = Message<typeof CheckRunsAnswer>

export const StatusAnswer = Type.Object({
  statuses: Type.Array(
    Type.Object({ context: text, state: text, description: orNull(text), target_url: orNull(text) }),
  ),
})
export type StatusAnswer = Message<typeof StatusAnswer>

export const BranchAnswer = Type.Object({
  commit: Type.Object({ sha: text }),
  protection: Type.Optional(
    Type.Object({
      required_status_checks: Type.Optional(Type.Object({ contexts: Type.Array(text) })),
    }),
  ),
})
export type BranchAnswer = Message<typeof BranchAnswer>

export const RulesAnswer = Type.Array(
  Type.Object({
    type: text,
    parameters: Type.Optional(
      Type.Object({ required_status_checks: Type.Optional(Type.Array(Type.Object({ context: text }))) }),
    ),
  }),
)
export type RulesAnswer = Message<typeof RulesAnswer>

export const ReviewsAnswer = Type.Array(
  Type.Object({
    id: number,
    html_url: text,
    user: User,
    body: Type.Optional(orNull(text)),
    state: text,
    commit_id: orNull(text),
    submitted_at: Type.Optional(text),
  }),
)
export type ReviewsAnswer = Message<typeof ReviewsAnswer>

export const ReviewCommentsAnswer = Type.Array(
  Type.Object({
    id: number,
    html_url: text,
    user: User,
    body: text,
    path: text,
    /** Null: the line is no longer part of the changes. */
    line: Type.Optional(orNull(number)),
    original_line: Type.Optional(orNull(number)),
    in_reply_to_id: Type.Optional(number),
    created_at: text,
    updated_at: text,
  }),
)
export type ReviewCommentsAnswer = Message<typeof ReviewCommentsAnswer>

export const ThreadsAnswer = Type.Object({
  data: Type.Object({
    repository: Type.Object({
      pullRequest: Type.Object({
        reviewThreads: Type.Object({
          pageInfo: Type.Object({ hasNextPage: Type.Boolean(), endCursor: orNull(text) }),
          nodes: Type.Array(
            Type.Object({
              isResolved: Type.Boolean(),
              comments: Type.Object({ nodes: Type.Array(Type.Object({ databaseId: number })) }),
            }),
          ),
        }),
      }),
    }),
  }),
})
export type ThreadsAnswer = Message<typeof ThreadsAnswer>
