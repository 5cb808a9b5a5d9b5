/** Who has taken an issue: the first comment with a mark. Pure. */
import type { ForgeComment } from '../../forge/forge.ts'

/** What a comment of drover begins with. Everything after it is for people. */
const MARK = /^<!-- drover-watch claim=([0-9a-f-]{36})( done)? -->/

/** `isDone`: the run is over, and the next label or comment may start another one. */
export function markOf(claim: string, isDone: boolean): string {
  return `<!-- drover-watch claim=${claim}${isDone ? ' done' : ''} -->`
}

export type IssueClaim = Pick<ForgeComment, 'author' | 'createdAt'> & {
  readonly commentId: number
  readonly claim: string
  readonly isDone: boolean
}

/** In the order of the comments, which GitHub numbers. */
export function claimsIn(comments: readonly Omit<ForgeComment, 'url' | 'updatedAt' | 'on'>[]): IssueClaim[] {
  return comments
    .flatMap(({ id, author, createdAt, body }) => {
      const [, claim, done] = MARK.exec(body) ?? []
      return claim === undefined ? [] : [{ commentId: id, author, createdAt, claim, isDone: done !== undefined }]
    })
    .sort((a, b) => a.commentId - b.commentId)
}

export type ClaimStep =
  /** No one has taken it. */
  | { readonly is: 'post' }
  | { readonly is: 'won'; readonly commentId: number }
  /** Another drover was first. `commentId` is our comment, if we have written one. */
  | { readonly is: 'lost'; readonly commentId: number | undefined }

/** `claims` are only those of people who may claim: a mark of a stranger blocks nothing. */
export function decideClaim(own: { claim: string; asked_at: string }, claims: readonly IssueClaim[]): ClaimStep {
  const mine = claims.find(({ claim }) => claim === own.claim)
  const first = claims.find((each) => each === mine || !each.isDone || each.createdAt >= own.asked_at)
  if (first === undefined) return { is: 'post' }
  return first === mine ? { is: 'won', commentId: first.commentId } : { is: 'lost', commentId: mine?.commentId }
}
