/** The patterns of issue and comment URLs, and the rules about them. */
import type { Problem } from '../kit/schema.ts'

/** Captures owner, repository and number. `.` and `..` have valid characters but are not repository names. */
const ISSUE = 'https://github\\.com/([A-Za-z0-9-]+)/((?!\\.{1,2}/)[A-Za-z0-9_.-]+)/issues/([1-9][0-9]*)'

export const ISSUE_URL = `^${ISSUE}$`

/** Also captures the number of the comment. */
export const COMMENT_URL = `^${ISSUE}#issuecomment-([1-9][0-9]*)$`

type Issue = { readonly canonical_url: string; readonly issue_number: number }
type MovedIssue = Issue & { readonly url_aliases: readonly string[] }

export function urlHasTheIssueNumber({ canonical_url, issue_number }: Issue): Problem[] {
  return canonical_url.endsWith(`/${issue_number}`)
    ? []
    : [{ path: '$.canonical_url', rule: `must end with the issue number, ${issue_number}` }]
}

export function aliasesAreOtherUrls({ canonical_url, url_aliases }: MovedIssue): Problem[] {
  const index = url_aliases.indexOf(canonical_url)
  return index === -1 ? [] : [{ path: `$.url_aliases[${index}]`, rule: 'must not be the canonical URL' }]
}

export function commentUrl(issueUrl: string, databaseId: number): string {
  return `${issueUrl}#issuecomment-${databaseId}`
}
