/*
 * Runs git; no other file does. Programs that a repository configures (fsmonitor, hooks, transports) are not run, except
 * filters: without them git could not tell whether a filtered file has changed, and every file of Git LFS would look
 * modified. In a worktree that drover created, only filters that existed when it was created are run.
 * docs/decisions/0072-no-program-of-a-repository.md goes through all settings of git.
 */
import { realpathSync } from 'node:fs'
import type { WorkspaceIdentity } from '../contract/workspace-identity.shape.ts'
import { Fault, orUndefined } from '../kit/fault.ts'
import { programOutputTooLarge } from '../kit/faults.ts'
import { toFilterOverrides, WITHOUT_PROGRAMS, withGitSettings } from '../kit/git/git-program-settings.ts'
import type { GitSetting } from '../kit/git/parse-git-config.ts'
import { readGitSettings, readUserSettings } from '../kit/git/read-settings.ts'
import type { ChildEnvironment } from '../kit/process/child-environment.ts'
import { findProgram, type SearchPlaces } from '../kit/process/find-program.ts'
import { type ProcessExit, runProcess } from '../kit/process/process.ts'
import { gitFailed, gitInterrupted, gitMissing, gitOutputTooLarge, gitTimeout } from './faults.ts'
import { toGitEnvironment } from './git-environment.ts'
import { findRecordAt } from './worktree-records.ts'

const SETTINGS = [
  ...WITHOUT_PROGRAMS.map(({ key, value }) => `${key}=${value}`),
  // In a sparse checkout git looks at files that are there, although they should not be.
  'sparse.expectFilesOutsideOfPatterns=false',
  // Git would run gpg for the commits that it shows.
  'log.showSignature=false',
  // Git would run in submodules, with the settings of the repositories there.
  'submodule.recurse=false',
  'status.submoduleSummary=false',
  'diff.submodule=short',
  // The stash is not part of the worktree, and its line would change the output of status.
  'status.showStash=false',
  // No maintenance in the background after a commit.
  'gc.auto=0',
  'maintenance.auto=false',
].flatMap((setting) => ['-c', setting])

/** For versions of git without GIT_NO_LAZY_FETCH. Settings of the repository cannot allow a protocol again. */
const NO_NETWORK = { GIT_ALLOW_PROTOCOL: 'none' }

/**
 * For status and diff: only the commit of a submodule counts. To look for changes inside, git would run with the settings of the
 * repository there, which may be an agent's.
 */
export const NOT_INTO_SUBMODULES = '--ignore-submodules=dirty'

const LINE_LIMIT = 500

export type Git = {
  /** Undefined when it is not installed. */
  program: string | undefined
  env: ChildEnvironment
  timeoutMs: number
  outputLimitBytes: number
  /** In this worktree git uses this repository, whatever its `.git` says: an agent that works there may have replaced it. */
  pinned?: Pick<WorkspaceIdentity, 'worktree_root' | 'git_dir'>
  /** The only filters that git may run. By default those of the worktree's record; without a record, any. */
  filters?: readonly GitSetting[] | undefined
}

export type GitCommand = {
  directory: string
  args: readonly [string, ...string[]]
  signal: AbortSignal
  /** Empty by default. */
  stdin?: string | undefined
  /** Only to push a branch that the user wants to be pushed. */
  allowsNetwork?: true
}

/** A non-zero exit code is an answer too. */
export type GitAnswer = { code: number; stdout: Buffer; stderr: string }

export function locateGit(places: SearchPlaces): Git {
  return {
    program: findProgram('git', places),
    env: toGitEnvironment(places.env),
    timeoutMs: 30_000,
    outputLimitBytes: 16 * 1024 * 1024,
  }
}

/** Throws `git_missing`, `git_timeout`, `git_interrupted`, `git_output_too_large` or `git_failed`. */
/** To check out or commit a large repository takes longer than what git is asked otherwise. */
export const SLOW_GIT_MS = 10 * 60_000

export async function askGit(git: Git, { directory, args, signal, ...more }: GitCommand): Promise<GitAnswer> {
  const { program, env, timeoutMs, outputLimitBytes } = git
  if (program === undefined) throw gitMissing({})
  const command = nameGitCommand(args)
  try {
    const { stdin, allowsNetwork = false } = more
    const argv = [program, '--no-pager', ...SETTINGS, ...pinFor(git, directory), ...args] as const
    const guarded = withGitSettings({ ...env, ...(allowsNetwork ? {} : NO_NETWORK) }, overrideFilters(git, directory))
    const { exit, stdout } = await runProcess(
      {
        argv,
        cwd: directory,
        env: guarded,
        timeoutMs,
        signal,
        sweep: 'when-ended',
        ...(stdin !== undefined && { stdin }),
      },
      { stdoutLimitBytes: outputLimitBytes },
    )
    return { code: readCode(exit, { command, timeoutMs }), stdout, stderr: exit.stderrTail }
  } catch (error) {
    if (!(error instanceof Fault) || error.code.startsWith('git_')) throw error
    const isTooMuch = error.code === programOutputTooLarge.code
    if (isTooMuch) throw gitOutputTooLarge({ command, limitBytes: outputLimitBytes }, error)
    throw gitFailed({ command, problem: error.message }, error)
  }
}

function pinFor({ pinned }: Git, directory: string): string[] {
  if (pinned === undefined || realPath(pinned.worktree_root) !== realPath(directory)) return []
  return [`--git-dir=${pinned.git_dir}`, `--work-tree=${directory}`]
}

/** Settings with which git runs no other filters than it may. Throws a Fault if those of the repository cannot be read. */
function overrideFilters(git: Git, directory: string): GitSetting[] {
  const { pinned, env } = git
  const allowed = git.filters ?? findRecordAt(pinned?.worktree_root ?? directory)?.filters
  if (allowed === undefined) return []
  const found = readGitSettings({ directory: pinned?.git_dir ?? directory, home: env['HOME'] })
  return toFilterOverrides([...readUserSettings(env), ...found], allowed)
}

/** The home of the worktrees may be behind a link, and only some paths of a worktree are resolved. */
function realPath(path: string): string {
  return orUndefined(() => realpathSync.native(path)) ?? path
}

/** The output of git. Throws `git_failed` for a non-zero exit code. */
export async function askGitForOutput(git: Git, command: GitCommand): Promise<Buffer> {
  const { code, stdout, stderr } = await askGit(git, command)
  if (code !== 0) throw gitFailed({ command: nameGitCommand(command.args), problem: gitErrorLine(stderr) })
  return stdout
}

/** The error line of git, without its hints. */
export function gitErrorLine(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '')
  const said = lines.find((line) => ERROR_PREFIX.test(line)) ?? lines.at(-1) ?? 'it did not say why'
  return said
    .replace(ERROR_PREFIX, '')
    .replace(/\p{Cc}/gu, '?')
    .slice(0, LINE_LIMIT)
    .toWellFormed()
}

const ERROR_PREFIX = /^(?:fatal|error): /

function readCode(exit: ProcessExit, about: { command: string; timeoutMs: number }): number {
  if (exit.ended === 'timeout') throw gitTimeout(about)
  if (exit.ended === 'cancelled') throw gitInterrupted(about)
  if (exit.code === null) throw gitFailed({ ...about, problem: `it was killed by ${exit.signal}` })
  return exit.code
}

function nameGitCommand([name]: GitCommand['args']): string {
  return `git ${name}`
}
