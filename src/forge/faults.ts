import { defineFault } from '../kit/fault.ts'

export const ghMissing = defineFault('gh_missing', 'unavailable', {
  when: 'The GitHub CLI `gh`, through which drover reads issues, is not installed or is not in PATH.',
  message: (_: Record<never, never>) =>
    'the GitHub CLI gh was not found; install it from https://cli.github.com and run "gh auth login"',
})

export const ghFailed = defineFault('gh_failed', 'unavailable', {
  when: 'The GitHub CLI `gh` could not be started, or failed for an unknown reason.',
  message: (d: { problem: string }) => `gh failed: ${d.problem}; run "gh api user" and fix that first`,
})

export const ghTimeout = defineFault('gh_timeout', 'unavailable', {
  when: 'The GitHub CLI `gh` did not fetch the issue in time and was stopped.',
  message: (d: { timeoutMs: number }) =>
    `GitHub did not answer within ${Math.round(d.timeoutMs / 1000)} s; check the network and try again`,
})

export const ghInterrupted = defineFault('gh_interrupted', 'unavailable', {
  when: 'The GitHub CLI `gh` was running when drover was interrupted.',
  message: (_: Record<never, never>) => 'reading from GitHub was interrupted; nothing was changed',
})

export const providerLoginRequired = defineFault('provider_login_required', 'unauthorized', {
  when: 'The GitHub CLI `gh` is not logged in, or its token is no longer valid.',
  message: (_: Record<never, never>) => 'gh is not logged in to github.com; run "gh auth login" or set GH_TOKEN',
})

export const providerForbidden = defineFault('provider_forbidden', 'unauthorized', {
  when: 'GitHub does not let the `gh` account read this, for example because a scope or a single sign-on authorization is missing.',
  message: (d: { subject: string; said: string | undefined }) => {
    const why = d.said === undefined ? '' : ` (${d.said})`
    return `GitHub does not let this account read ${d.subject}${why}; give its token the scope "repo", and authorize it for the organization if the organization uses single sign-on`
  },
})

export const providerRateLimited = defineFault('provider_rate_limited', 'rate_limited', {
  when: 'GitHub is rate-limiting this account.',
  message: (_: Record<never, never>) =>
    'GitHub received too many requests from this account; wait a while ("gh api rate_limit" shows when the limit resets)',
})

export const providerUnreachable = defineFault('provider_unreachable', 'unavailable', {
  when: 'GitHub cannot be reached, or answers with a server error.',
  message: (_: Record<never, never>) =>
    'GitHub cannot be reached; check the network and https://www.githubstatus.com, then try again',
})

export const providerAnswerInvalid = defineFault('provider_answer_invalid', 'unavailable', {
  when: 'GitHub’s response is invalid, or does not fit into an envelope. The details give the location.',
  message: (d: { subject: string; problem: string }) => `GitHub's response about ${d.subject} is invalid: ${d.problem}`,
})

export const issueNotFound = defineFault('issue_not_found', 'not_found', {
  when: 'The issue or comment does not exist, or the `gh` account may not see it.',
  message: (d: { subject: string }) =>
    `${d.subject} does not exist, or this account may not see it; check the URL and "gh auth status"`,
})
