import { LIMITS } from '../contract/limits.ts'
import { ROLES } from '../contract/section-roles.ts'
import { defineFault } from '../kit/fault.ts'

export const invalidSource = defineFault({
  code: 'invalid_source',
  kind: 'usage',
  when: 'A source envelope cannot be read, breaks a rule of its form, or is of an issue that a run cannot be started with.',
  message: (d: { problem: string; classification?: string }) =>
    d.classification === undefined
      ? `the source is no envelope that drover can read: ${d.problem}`
      : `the issue cannot be pinned (${d.classification}): ${d.problem}; "drover source check" says what to do about it`,
})

export const invalidComment = defineFault({
  code: 'invalid_comment',
  kind: 'usage',
  when: 'The file with the text of a comment cannot be read, is no text or is larger than any comment.',
  message: (d: { problem: string }) => `the comment cannot be read: ${d.problem}`,
})

export const issueUrlInvalid = defineFault({
  code: 'issue_url_invalid',
  kind: 'usage',
  when: 'What should be the URL of an issue, or of a comment on one, is not.',
  message: (d: { given: string; expected: 'issue' | 'comment'; nearest: string | undefined }) => {
    const example = `https://github.com/OWNER/REPO/issues/7${d.expected === 'comment' ? '#issuecomment-1901' : ''}`
    const hint = d.nearest === undefined ? `it looks like ${example}` : `did you mean ${d.nearest}?`
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
  when: 'The GitHub CLI `gh` could not be started, or failed for a reason that drover does not know.',
  message: (d: { problem: string }) => `gh failed: ${d.problem}; try the same with "gh api user" and mend that first`,
})

export const ghTimeout = defineFault({
  code: 'gh_timeout',
  kind: 'unavailable',
  when: 'The GitHub CLI `gh` did not bring everything within the time that it has for an issue; it was ended.',
  message: (d: { timeoutMs: number }) =>
    `GitHub did not answer within ${Math.round(d.timeoutMs / 1000)} s; check the network and try again`,
})

export const ghInterrupted = defineFault({
  code: 'gh_interrupted',
  kind: 'unavailable',
  when: 'Drover was asked to stop while the GitHub CLI `gh` was running.',
  message: (_: Record<never, never>) => 'reading from GitHub was interrupted; nothing was changed',
})

export const providerLoginRequired = defineFault({
  code: 'provider_login_required',
  kind: 'unauthorized',
  when: 'The GitHub CLI `gh` is not logged in, or its token is no longer taken.',
  message: (_: Record<never, never>) => 'gh is not logged in to github.com; run "gh auth login" or set GH_TOKEN',
})

export const providerForbidden = defineFault({
  code: 'provider_forbidden',
  kind: 'unauthorized',
  when: 'GitHub does not let the account of `gh` read this, for want of a scope or a single sign-on for instance.',
  message: (d: { subject: string; said: string | undefined }) => {
    const why = d.said === undefined ? '' : ` (${d.said})`
    return `GitHub does not let this account read ${d.subject}${why}; give its token the scope "repo", and authorize it for the organization if that has single sign-on`
  },
})

export const providerRateLimited = defineFault({
  code: 'provider_rate_limited',
  kind: 'rate_limited',
  when: 'GitHub answers no more requests of this account for now.',
  message: (_: Record<never, never>) =>
    'GitHub has had too many requests from this account; wait a while ("gh api rate_limit" shows until when)',
})

export const providerUnreachable = defineFault({
  code: 'provider_unreachable',
  kind: 'unavailable',
  when: 'GitHub cannot be reached, or answers that it is in trouble itself.',
  message: (_: Record<never, never>) =>
    'GitHub cannot be reached; check the network and https://www.githubstatus.com, then try again',
})

export const providerAnswerInvalid = defineFault({
  code: 'provider_answer_invalid',
  kind: 'unavailable',
  when: 'What came from GitHub is not what was asked for, or cannot be put into an envelope; the details give the place.',
  message: (d: { subject: string; problem: string }) =>
    `what GitHub says about ${d.subject} cannot be used: ${d.problem}`,
})

export const issueNotFound = defineFault({
  code: 'issue_not_found',
  kind: 'not_found',
  when: 'There is no such issue or comment, or the account of `gh` may not see it.',
  message: (d: { subject: string }) =>
    `there is no ${d.subject}, or this account may not see it; check the URL and "gh auth status"`,
})

export const issueNotAChange = defineFault({
  code: 'issue_not_a_change',
  kind: 'invalid',
  when: 'An issue was fetched whose body does not begin with the marker of a change.',
  message: (d: { url: string; code: string; problem: string }) =>
    `${d.url} is not a change (${d.code}): ${d.problem}; "drover source draft" shows how to write one`,
})

const UNUSABLE = {
  no_author: 'its author has been deleted; post its text as a new comment and name that one instead',
  other_issue: 'it belongs to another issue; name a comment of this one',
  no_marker: 'its first line is no section marker such as <!-- drover-section:v1 key=outcome -->; add one',
  blank: 'it has no text below its marker; write one',
  too_large: `its text has more than ${LIMITS.sectionBytes} bytes; split it in two`,
  control_characters: 'it has control characters other than tabs and line ends; take them out',
  no_role: `its key does not begin with a role (${ROLES.join(', ')}); choose one like requirements-2`,
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
  when: 'An issue has more labels, or with its comments more bytes, than an envelope may have.',
  message: (d: { url: string; what: string; count: number; limit: number }) =>
    `${d.url} has ${d.count} ${d.what}; at most ${d.limit} are allowed, so take some away`,
})

export const draftInvalid = defineFault({
  code: 'draft_invalid',
  kind: 'invalid',
  when: 'The comments that were named make no manifest, because a role is missing or a key is there twice for instance.',
  message: (d: { problem: string }) => `these comments make no manifest yet: ${d.problem}`,
})
