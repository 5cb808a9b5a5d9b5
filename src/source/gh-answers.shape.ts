/** The fields that drover reads from GitHub's answers. Other fields are allowed. */
import { type TSchema, Type } from 'typebox'
import type { Message } from '../kit/shape.ts'

const orNull = <S extends TSchema>(shape: S) => Type.Union([Type.Null(), shape])

export const IssueAnswer = Type.Object({
  data: Type.Object({
    repository: Type.Object({
      id: Type.String(),
      issue: Type.Object({
        id: Type.String(),
        number: Type.Integer(),
        url: Type.String(),
        title: Type.String(),
        body: Type.String(),
        updatedAt: Type.String(),
        labels: orNull(
          Type.Object({ totalCount: Type.Integer(), nodes: Type.Array(Type.Object({ name: Type.String() })) }),
        ),
        parent: Type.Optional(
          orNull(
            Type.Object({
              id: Type.String(),
              url: Type.String(),
              repository: Type.Object({ id: Type.String() }),
            }),
          ),
        ),
      }),
    }),
  }),
})
export type IssueAnswer = Message<typeof IssueAnswer>

const Comment = Type.Object({
  id: Type.String(),
  /** A 64-bit integer; GitHub writes it as a string. */
  fullDatabaseId: Type.Unsafe<string>({ type: 'string', pattern: '^[1-9][0-9]{0,15}$' }),
  url: Type.String(),
  updatedAt: Type.String(),
  isMinimized: Type.Boolean(),
  body: Type.String(),
  author: orNull(Type.Object({ id: Type.String() })),
  issue: Type.Object({ id: Type.String() }),
})

export const CommentsAnswer = Type.Object({
  data: Type.Object({
    /** A node that is not a comment is an empty object; a node that does not exist is null. */
    nodes: Type.Array(Type.Union([Type.Null(), Type.Object({}, { maxProperties: 0 }), Comment])),
  }),
})
export type CommentsAnswer = Message<typeof CommentsAnswer>

export const CommentAnswer = Type.Object({
  id: Type.Integer({ minimum: 1 }),
  node_id: Type.String(),
  html_url: Type.String(),
  body: Type.String(),
})
export type CommentAnswer = Message<typeof CommentAnswer>
