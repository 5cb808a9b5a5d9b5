/** Faults of what people do with the work of a run. Nothing was changed, unless the message says so. */

import { defineFault } from '../../kit/fault.ts'
import { quoteWord } from '../../kit/shell-words.ts'
import { listSome } from '../../kit/wording.ts'

export const runNotDelivered = defineFault('run_not_delivered', 'conflict', {
  when: 'Work was to be merged, taken or published, and the run has not delivered a branch: it has not ended, or a check fails, for example.',
  message: (d: { run_id: string; problem: string; branch?: string }) =>
    d.branch === undefined
      ? `the run ${d.run_id} has no delivered branch: ${d.problem}; "drover status ${d.run_id}" shows what comes next`
      : `the run ${d.run_id} is not delivered: ${d.problem}; let an agent continue with it, drover drive ${d.run_id} --also "…" (over HTTP: follow-up), or merge it as it is: git merge ${d.branch}`,
})

export const discardNotUndone = defineFault('discard_not_undone', 'conflict', {
  when: 'A discarded branch cannot be brought back.',
  message: (d: { run_id: string; problem: string }) => `the branch of ${d.run_id} cannot be brought back: ${d.problem}`,
})

export const runHasPullRequest = defineFault('run_has_pull_request', 'conflict', {
  when: 'The work of a run that has a pull request was to be merged without its forge.',
  message: (d: { url: string }) =>
    `the run has the pull request ${d.url}; merge it there, or pass --here (over HTTP: here) to merge into the branch of this repository only`,
})

export const pullRequestNotOpened = defineFault('pull_request_not_opened', 'unavailable', {
  when: 'A pull request was requested for a delivered branch, and it could not be pushed or opened.',
  message: (d: { run_id: string; branch: string; problem: string }) =>
    `no pull request was opened: ${d.problem}; fix that and repeat it, or merge ${d.branch}, which is delivered, with "drover merge ${d.run_id}"`,
})

export const mergeBaseUnknown = defineFault('merge_base_unknown', 'conflict', {
  when: 'It is not known which branch the work should be merged into, or there is no such branch.',
  message: (d: { into: string | undefined }) =>
    d.into === undefined
      ? 'no branch was checked out when the run was started; name the one to merge into with --into (over HTTP: into)'
      : `there is no branch ${JSON.stringify(d.into)}; name another one with --into (over HTTP: into)`,
})

export const branchChanged = defineFault('branch_changed', 'conflict', {
  when: 'The branch of a run is not at the commit that was delivered, so it was not merged or published.',
  message: (d: { branch: string; delivered: string; found: string | undefined }) =>
    d.found === undefined
      ? `the branch ${d.branch} was deleted; "git branch ${d.branch} ${d.delivered}" brings it back`
      : `the branch ${d.branch} is at ${d.found}, but ${d.delivered} was delivered and checked; merge it yourself with git`,
})

export const checkoutDirty = defineFault('checkout_dirty', 'conflict', {
  when: 'A worktree of the user has changes that are not committed, so no other commit was checked out there.',
  message: (d: { root: string; files: readonly string[]; count: number }) =>
    `${d.root} has changes that are not committed: ${listSome(d.files, d.files.length, d.count)}; commit or stash them first`,
})

export const branchCheckedOut = defineFault('branch_checked_out', 'conflict', {
  when: 'A branch is checked out in a worktree of the user, so it cannot be moved or removed.',
  message: (d: { branch: string; roots: readonly string[] }) =>
    `the branch ${d.branch} is checked out in ${d.roots.join(' and ')}; switch to another branch there first`,
})

export const mergeConflict = defineFault('merge_conflict', 'conflict', {
  when: 'The work conflicts with what was committed to the branch since the run began.',
  message: (d: { run_id: string; branch: string; into: string; files: readonly string[] }) =>
    `${d.branch} and ${d.into} conflict in ${d.files.join(', ')}; drover merges nothing then: merge it yourself, or let the agent do it in its worktree: drover drive ${d.run_id} --also ${quoteWord(`Merge ${d.into} and resolve the conflicts`)}`,
})

export const mergeCheckFailed = defineFault('merge_check_failed', 'conflict', {
  when: 'The branch has moved since the run began, and a check fails on the merge commit.',
  message: (d: { into: string; reason: string }) =>
    `${d.into} has moved since the run began, and the checks fail on the merged commit: ${d.reason}; the branch was not moved`,
})

export const mergeFailed = defineFault('merge_failed', 'conflict', {
  when: 'Git did not merge, for example because the branch moved meanwhile or an untracked file is in the way.',
  message: (d: { into: string; problem: string }) => `${d.into} was not moved: ${d.problem}; repeat it after that`,
})

export const switchFailed = defineFault('switch_failed', 'conflict', {
  when: 'Git did not check the branch of a run out, or its worktree could not be removed first.',
  message: (d: { branch: string; problem: string }) => `${d.branch} was not checked out: ${d.problem}`,
})

export const mergeUnchecked = defineFault('merge_unchecked', 'unauthorized', {
  when: 'A client asks to merge work, to check it out or to open its pull request, the work has not passed every required check, and `drive.require_checks` is true. HTTP status 403.',
  message: (d: { run_id: string; commands: readonly string[] }) =>
    `the run ${d.run_id} has not passed ${listSome(d.commands, d.commands.length)}, so clients cannot merge its work, check it out or open its pull request (drive.require_checks); a follow-up runs all checks, or the user of the server does it on the command line, such as with "drover merge ${d.run_id}"`,
})

export const mergeNotPermitted = defineFault('merge_not_permitted', 'unauthorized', {
  when: 'An API key without `may_merge` asks to merge work or to check it out. HTTP status 403.',
  message: (d: { key: string | undefined }) =>
    `${d.key === undefined ? 'clients of this server' : `the API key ${d.key}`} may not change branches of the repository; the operator can set may_merge for a key`,
})
