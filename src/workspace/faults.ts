/** The first five are about one git command. Discovery and observation report them under codes of their own, as the cause. */
import { defineFault } from '../kit/fault.ts'

export const gitMissing = defineFault({
  code: 'git_missing',
  kind: 'unavailable',
  when: 'Git is not installed, or is not in the PATH that drover was given.',
  message: (_: Record<never, never>) => 'git was not found; install it or correct PATH',
})

export const gitTimeout = defineFault({
  code: 'git_timeout',
  kind: 'unavailable',
  when: 'A git command did not end in time; it was ended.',
  message: (d: { command: string; timeoutMs: number }) =>
    `${d.command} did not end within ${d.timeoutMs} ms; try again when the disk is less busy`,
})

export const gitInterrupted = defineFault({
  code: 'git_interrupted',
  kind: 'unavailable',
  when: 'Drover was asked to stop while a git command ran.',
  message: (d: { command: string }) => `${d.command} was interrupted; start it again if that was not intended`,
})

export const gitOutputTooLarge = defineFault({
  code: 'git_output_too_large',
  kind: 'too_large',
  when: 'A git command printed more than drover reads, because the index or the list of changes is too long.',
  message: (d: { command: string; limitBytes: number }) =>
    `${d.command} printed more than ${d.limitBytes} bytes; let git ignore files that do not belong to the repository`,
})

export const gitFailed = defineFault({
  code: 'git_failed',
  kind: 'unavailable',
  when: 'A git command could not be started, ended with an error, or gave an answer that drover cannot use.',
  message: (d: { command: string; problem: string }) => `${d.command} failed: ${d.problem}; mend that and try again`,
})

/** `found` is the version of git, or what git or the system said; empty where the reason says it all. */
const NO_WORKTREE = {
  path_missing: ({ path, found }) => `${path} cannot be entered: ${found}; name a directory inside a git worktree`,
  path_not_text: ({ path }) =>
    `the worktree or a git directory of ${path} has a name that is not UTF-8; rename it or use another worktree`,
  not_a_repository: ({ path }) => `${path} is not inside a git worktree; name one with --root or make one by git init`,
  no_worktree: ({ path }) =>
    `${path} is a bare repository or inside a git directory, where there are no files to work on; name a worktree with --root`,
  unsafe_ownership: ({ path }) =>
    `git does not trust ${path} because it belongs to another user; if you do, add it to safe.directory in your git config`,
  git_missing: ({ found }) => found,
  git_too_old: ({ found }) => `${found} is too old for drover; install git 2.31 or later`,
  git_failed: ({ path, found }) => `git cannot tell the worktree of ${path}: ${found}`,
} satisfies Record<string, (facts: { path: string; found: string }) => string>

export type NoWorktree = keyof typeof NO_WORKTREE

export const gitRepositoryRequired = defineFault({
  code: 'git_repository_required',
  kind: 'usage',
  when: 'The place to work at is not inside a worktree that git can be asked about; the details give the reason.',
  message: (d: { path: string; reason: NoWorktree; found: string }) => NO_WORKTREE[d.reason](d),
})

export const gitRepositoryUnavailable = defineFault({
  code: 'git_repository_unavailable',
  kind: 'unavailable',
  when: 'Git did not say in time which worktree a place belongs to, or was interrupted before it could.',
  message: (d: { path: string; problem: string }) => `the worktree of ${d.path} is not known: ${d.problem}`,
})

export const gitObservationFailed = defineFault({
  code: 'git_observation_failed',
  kind: 'unavailable',
  when: 'The state of a worktree could not be observed, because git failed or exceeded a limit.',
  message: (d: { root: string; problem: string }) => `the state of ${d.root} could not be observed: ${d.problem}`,
})
