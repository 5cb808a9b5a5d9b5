import { COMMENT_URL, ISSUE_URL } from '../contract/issue-url.ts'
import { issueUrlInvalid } from './faults.ts'

export type IssueAddress = { url: string; owner: string; repo: string; number: number }
export type CommentAddress = { url: string; issue: IssueAddress; databaseId: number }

const ISSUE = new RegExp(ISSUE_URL)
const COMMENT = new RegExp(COMMENT_URL)
/** An issue URL with extra text around it, as copied from a browser. */
const LIKE_ISSUE = /github\.com\/([A-Za-z0-9-]+)\/([A-Za-z0-9_.-]+)\/issues\/([1-9][0-9]*)(?![0-9])/i
/** GraphQL has no larger integers. */
const LARGEST_NUMBER = 2 ** 31 - 1

export function parseIssueUrl(url: string): IssueAddress {
  return issueIn(url) ?? refuse(url, 'issue')
}

export function parseCommentUrl(url: string): CommentAddress {
  return commentIn(url) ?? refuse(url, 'comment')
}

/** Undefined if the URL is not a comment on an issue. Comments on pull requests have other URLs. */
export function commentIn(url: string): CommentAddress | undefined {
  const [issueUrl = ''] = url.split('#')
  const issue = issueIn(issueUrl)
  const databaseId = Number(COMMENT.exec(url)?.[4])
  return issue === undefined || !Number.isSafeInteger(databaseId) ? undefined : { url, issue, databaseId }
}

/** GitHub ignores the case of owner and repository names. */
export function isSameIssue(one: IssueAddress, other: IssueAddress): boolean {
  return one.url.toLowerCase() === other.url.toLowerCase()
}

function issueIn(url: string): IssueAddress | undefined {
  const [, owner, repo, digits] = ISSUE.exec(url) ?? []
  if (owner === undefined || repo === undefined || Number(digits) > LARGEST_NUMBER) return undefined
  return { url, owner, repo, number: Number(digits) }
}

/** The URL of the issue that a text contains, such as an address copied from a browser. */
export function findIssueUrl(text: string): string | undefined {
  const [, owner, repo, number] = LIKE_ISSUE.exec(text) ?? []
  return issueIn(`https://github.com/${owner}/${repo}/issues/${number}`)?.url
}

function refuse(given: string, expected: 'issue' | 'comment'): never {
  throw issueUrlInvalid({ given, expected, nearest: expected === 'issue' ? findIssueUrl(given) : undefined })
}
