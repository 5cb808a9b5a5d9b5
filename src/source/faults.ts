import { LIMITS } from '../contract/limits.ts'
import { ROLES } from '../contract/section-roles.ts'
import { defineFault } from '../kit/fault.ts'

export const invalidSource = defineFault({
  code: 'invalid_source',
  kind: 'usage',
  when: 'A source envelope cannot be read, is not valid, or belongs to an issue that cannot start a run.',
  message: (d: { problem: string; classification?: string }) =>
    d.classification === undefined
      ? `the source is not a valid envelope: ${d.problem}`
      : `the issue cannot be pinned (${d.classification}): ${d.problem}; run "drover source check" to see how to fix it`,
})

export const invalidComment = defineFault({
  code: 'invalid_comment',
  kind: 'usage',
  when: 'The file with the text of a comment cannot be read, is not text or is too large for a comment.',
  message: (d: { problem: string }) => `the comment cannot be read: ${d.problem}`,
})

export const issueUrlInvalid = defineFault({
  code: 'issue_url_invalid',
  kind: 'usage',
  when: 'An argument is not the URL of an issue or of a comment on an issue.',
  message: (d: { given: string; expected: 'issue' | 'comment'; nearest: string | undefined }) => {
    const example = `https://github.com/OWNER/REPO/issues/7${d.expected === 'comment' ? '#issuecomment-1901' : ''}`
    const hint = d.nearest === undefined ? `use a URL such as ${example}` : `did you mean ${d.nearest}?`
    return `${JSON.stringify(d.given)} is not the URL of ${d.expected === 'issue' ? 'an issue' : 'a comment'}; ${hint}`
  },
})

export const ghMissing = defineFault({
  code: 'gh_missing',
  kind: 'unavailable',
  when: 'The GitHub CLI `gh`, through which drover reads issues, is not installed or is not in PATH.',
  message: (_: Record<never, never>) =>
    'the GitHub CLI gh was not found; install it from https://cli.github.com and run "gh auth login"',
})

export const ghFailed = defineFault({
  code: 'gh_failed',
  kind: 'unavailable',
  when: 'The GitHub CLI `gh` could not be started, or failed for an unknown reason.',
  message: (d: { problem: string }) => `gh failed: ${d.problem}; run "gh api user" and fix that first`,
})

export const ghTimeout = defineFault({
  code: 'gh_timeout',
  kind: 'unavailable',
  when: 'The GitHub CLI `gh` did not fetch the issue in time and was stopped.',
  message: (d: { timeoutMs: number }) =>
    `GitHub did not answer within ${Math.round(d.timeoutMs / 1000)} s; check the network and try again`,
})

export const ghInterrupted = defineFault({
  code: 'gh_interrupted',
  kind: 'unavailable',
  when: 'The GitHub CLI `gh` was running when drover was interrupted.',
  message: (_: Record<never, never>) => 'reading from GitHub was interrupted; nothing was changed',
})

export const providerLoginRequired = defineFault({
  code: 'provider_login_required',
  kind: 'unauthorized',
  when: 'The GitHub CLI `gh` is not logged in, or its token is no longer valid.',
  message: (_: Record<never, never>) => 'gh is not logged in to github.com; run "gh auth login" or set GH_TOKEN',
})

export const providerForbidden = defineFault({
  code: 'provider_forbidden',
  kind: 'unauthorized',
  when: 'GitHub does not let the `gh` account read this, for example because a scope or a single sign-on authorization is missing.',
  message: (d: { subject: string; said: string | undefined }) => {
    const why = d.said === undefined ? '' : ` (${d.said})`
    return `GitHub does not let this account read ${d.subject}${why}; give its token the scope "repo", and authorize it for the organization if the organization uses single sign-on`
  },
})

export const providerRateLimited = defineFault({
  code: 'provider_rate_limited',
  kind: 'rate_limited',
  when: 'GitHub is rate-limiting this account.',
  message: (_: Record<never, never>) =>
    'GitHub received too many requests from this account; wait a while ("gh api rate_limit" shows when the limit resets)',
})

export const providerUnreachable = defineFault({
  code: 'provider_unreachable',
  kind: 'unavailable',
  when: 'GitHub cannot be reached, or answers with a server error.',
  message: (_: Record<never, never>) =>
    'GitHub cannot be reached; check the network and https://www.githubstatus.com, then try again',
})

export const providerAnswerInvalid = defineFault({
  code: 'provider_answer_invalid',
  kind: 'unavailable',
  when: 'GitHub’s response is invalid, or does not fit into an envelope. The details give the location.',
  message: (d: { subject: string; problem: string }) => `GitHub's response about ${d.subject} is invalid: ${d.problem}`,
})

export const issueNotFound = defineFault({
  code: 'issue_not_found',
  kind: 'not_found',
  when: 'The issue or comment does not exist, or the `gh` account may not see it.',
  message: (d: { subject: string }) =>
    `${d.subject} does not exist, or this account may not see it; check the URL and "gh auth status"`,
})

export const issueNotAChange = defineFault({
  code: 'issue_not_a_change',
  kind: 'invalid',
  when: 'The body of the fetched issue does not start with a change marker.',
  message: (d: { url: string; code: string; problem: string }) =>
    `${d.url} is not a change (${d.code}): ${d.problem}; "drover source draft" shows how to write one`,
})

const UNUSABLE = {
  no_author: "its author's account was deleted; post its text as a new comment and use that one",
  other_issue: 'it belongs to another issue; use a comment on this issue',
  no_marker: 'its first line is not a section marker such as <!-- drover-section:v1 key=outcome -->; add one',
  blank: 'it has no text below its marker; add some',
  too_large: `its text has more than ${LIMITS.sectionBytes} bytes; split it in two`,
  control_characters: 'it has control characters other than tabs and line breaks; remove them',
  no_role: `its key does not start with a role (${ROLES.join(', ')}); use a key such as requirements-2`,
} as const

export const issueCommentUnusable = defineFault({
  code: 'issue_comment_unusable',
  kind: 'invalid',
  when: 'A comment cannot be a section of the issue; the details give the reason.',
  message: (d: { url: string; reason: keyof typeof UNUSABLE }) => `${d.url} cannot be a section: ${UNUSABLE[d.reason]}`,
})

export const issueTooLarge = defineFault({
  code: 'issue_too_large',
  kind: 'too_large',
  when: 'The issue has too many labels, or the issue and its comments are too large together.',
  message: (d: { url: string; what: string; count: number; limit: number }) =>
    `${d.url} has ${d.count} ${d.what}; at most ${d.limit} are allowed; remove some`,
})

export const draftInvalid = defineFault({
  code: 'draft_invalid',
  kind: 'invalid',
  when: 'The given comments do not make a valid manifest, for example because a role is missing or two comments have the same key.',
  message: (d: { problem: string }) => `these comments do not make a valid manifest: ${d.problem}`,
})

export const tooManyIssues = defineFault({
  code: 'too_many_issues',
  kind: 'too_large',
  when: 'More open issues have the label of `drover drive --label` than can be queued at once.',
  message: (d: { label: string; count: number; limit: number }) =>
    `${d.count} open issues have the label ${JSON.stringify(d.label)}, and at most ${d.limit} can be queued at once; use a label that fewer issues have`,
})
