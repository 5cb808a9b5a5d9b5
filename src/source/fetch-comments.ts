import { askProvider, openProvider } from '../forge/ask-provider.ts'
import { providerAnswerInvalid } from '../forge/faults.ts'
import type { Gh } from '../forge/gh.ts'
import { checker } from '../kit/schema.ts'
import { validateCommentAnswer } from './checks.generated.js'
import type { DraftComment } from './draft.ts'
import { issueCommentUnusable } from './faults.ts'
import type { CommentAnswer } from './gh-answers.shape.ts'
import { commentIn, isSameIssue, parseCommentUrl } from './issue-address.ts'

const checkComment = checker<CommentAnswer>('answer', validateCommentAnswer)

/** Fetches the comments at these URLs. All must belong to one issue. */
export async function fetchComments(
  urls: readonly string[],
  { gh, signal }: { gh: Gh; signal: AbortSignal },
): Promise<DraftComment[]> {
  const addresses = urls.map(parseCommentUrl)
  const [first] = addresses
  const stray = addresses.find(({ issue }) => first !== undefined && !isSameIssue(issue, first.issue))
  if (stray !== undefined) throw issueCommentUnusable({ url: stray.url, reason: 'other_issue' })
  const provider = openProvider(gh, signal)
  const comments: DraftComment[] = []
  for (const { url, issue, databaseId } of addresses) {
    const subject = `comment ${url}`
    const { id, node_id, html_url, body } = await askProvider(provider, {
      request: { path: `repos/${issue.owner}/${issue.repo}/issues/comments/${databaseId}` },
      subject,
      check: checkComment,
    })
    if (id !== databaseId) throw providerAnswerInvalid({ subject, problem: `it is about the comment ${id}` })
    // GitHub finds a comment by its number alone and ignores the issue in the URL.
    const found = commentIn(html_url)
    if (found === undefined || !isSameIssue(found.issue, issue)) {
      throw issueCommentUnusable({ url, reason: 'other_issue' })
    }
    comments.push({ node_id, database_id: id, url: html_url, body })
  }
  return comments
}
