/** The first five are about one git command. They are the cause of a fault of discovery or observation. */
import { defineFault } from '../kit/fault.ts'

export const gitMissing = defineFault('git_missing', 'unavailable', {
  when: 'Git is not installed or not in PATH.',
  message: (_: Record<never, never>) => 'git was not found; install it or correct PATH',
})

export const gitTimeout = defineFault('git_timeout', 'unavailable', {
  when: 'A git command did not finish in time and was stopped.',
  message: (d: { command: string; timeoutMs: number }) =>
    `${d.command} did not end within ${d.timeoutMs} ms; try again when the disk is less busy`,
})

export const gitInterrupted = defineFault('git_interrupted', 'unavailable', {
  when: 'A git command was running when drover was interrupted.',
  message: (d: { command: string }) => `${d.command} was interrupted; run the command again if that was not intended`,
})

export const gitOutputTooLarge = defineFault('git_output_too_large', 'too_large', {
  when: 'A git command printed too much, because the index or the list of changes is too long.',
  message: (d: { command: string; limitBytes: number }) =>
    `${d.command} printed more than ${d.limitBytes} bytes; add files that do not belong to the repository to .gitignore`,
})

export const gitFailed = defineFault('git_failed', 'unavailable', {
  when: 'A git command could not be started, failed, or printed unexpected output.',
  message: (d: { command: string; problem: string }) => `${d.command} failed: ${d.problem}; fix that and try again`,
})

export const fileNotChanged = defineFault('file_not_changed', 'not_found', {
  when: "The changes of one file were requested, but the run's branch does not change that file.",
  message: (d: { path: string }) =>
    `no changed file ${JSON.stringify(d.path)}; name one of "files" as it is listed there`,
})

/** `found` is the version of git, or the error of git or of the system; empty if the reason is enough. */
const NO_WORKTREE = {
  path_missing: ({ path, found }) => `${path} cannot be entered: ${found}; name a directory inside a git worktree`,
  path_not_text: ({ path }) =>
    `the worktree or a git directory of ${path} has a name that is not UTF-8; rename it or use another worktree`,
  not_a_repository: ({ path }) =>
    `${path} is not inside a git worktree; go to one, name one with --root (in a program: directory), or create one with git init`,
  no_worktree: ({ path }) =>
    `${path} is a bare repository or inside a git directory, so it has no files to work on; name a worktree with --root`,
  unsafe_ownership: ({ path }) =>
    `git does not trust ${path} because it belongs to another user; if you trust it, add it to safe.directory in your git config`,
  git_missing: ({ found }) => found,
  git_too_old: ({ found }) => `${found} is too old for drover; install git 2.31 or later`,
  git_failed: ({ path, found }) => `git cannot find the worktree of ${path}: ${found}`,
} satisfies Record<string, (facts: { path: string; found: string }) => string>

export type NoWorktree = keyof typeof NO_WORKTREE

export const gitRepositoryRequired = defineFault('git_repository_required', 'usage', {
  when: 'The path is not inside a git worktree, or git cannot be used there. The details give the reason.',
  message: (d: { path: string; reason: NoWorktree; found: string }) => NO_WORKTREE[d.reason](d),
})

export const gitRepositoryUnavailable = defineFault('git_repository_unavailable', 'unavailable', {
  when: 'Git did not find the worktree in time, or was interrupted.',
  message: (d: { path: string; problem: string }) => `the worktree of ${d.path} could not be found: ${d.problem}`,
})

export const gitObservationFailed = defineFault('git_observation_failed', 'unavailable', {
  when: 'The state of a worktree could not be observed, because git failed or exceeded a limit.',
  message: (d: { root: string; problem: string }) => `the state of ${d.root} could not be observed: ${d.problem}`,
})

export const worktreeNotCreated = defineFault('worktree_not_created', 'unavailable', {
  when: 'A worktree could not be created. Nothing was left behind.',
  message: (d: { repository: string; problem: string }) =>
    `no worktree of ${d.repository} could be created: ${d.problem}`,
})

export const worktreeNotCommitted = defineFault('worktree_not_committed', 'conflict', {
  when: 'The changes in a worktree could not be committed. They are all still there.',
  message: (d: { path: string; problem: string }) => `the changes in ${d.path} were not committed: ${d.problem}`,
})

export const worktreeNotPrepared = defineFault('worktree_not_prepared', 'unavailable', {
  when: 'A setup command failed in a new worktree.',
  message: (d: { command: string; result: string; output: string }) =>
    `the setup ${d.command} ${d.result}${d.output === '' ? '' : `:\n${d.output}`}`,
})

export const preparationFailed = defineFault('preparation_failed', 'unavailable', {
  when: 'Files could not be copied into a new worktree, for example because the disk is full.',
  message: (d: { root: string; problem: string }) =>
    `${d.root} could not be prepared: ${d.problem}; fix that and try again`,
})

export const preparationPathInvalid = defineFault('preparation_path_invalid', 'usage', {
  when: 'A path to copy into a worktree leaves the repository, is a symbolic link, or is not ignored by git.',
  message: (d: { path: string; problem: string }) =>
    `${JSON.stringify(d.path)} cannot be copied into a worktree: ${d.problem}`,
})

export const originNotFetched = defineFault('origin_not_fetched', 'unavailable', {
  when: 'The newest commit of the remote `origin` could not be fetched, for example because there is no network.',
  message: (d: { ref: string; problem: string }) =>
    `${d.ref} of origin could not be fetched: ${d.problem}; check the network and "git fetch origin"`,
})
