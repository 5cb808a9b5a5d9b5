/*
 * The one way to ask git. What a repository configures to be run (fsmonitor, hooks, transports) is not run, with one
 * exception: clean filters. Without them git could not tell whether a file that goes through one has changed, and every
 * file of Git LFS would look modified. External diffs, textconv and pagers belong to commands that are never asked here.
 */
import { Fault } from '../kit/fault.ts'
import { programOutputTooLarge } from '../kit/faults.ts'
import { findProgram, type SearchPlaces } from '../kit/process/find-program.ts'
import { type ProcessExit, runProcess } from '../kit/process/process.ts'
import { gitFailed, gitInterrupted, gitMissing, gitOutputTooLarge, gitTimeout } from './faults.ts'
import { toGitEnvironment } from './git-environment.ts'

const SETTINGS = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  // For a git that does not know GIT_NO_LAZY_FETCH.
  'protocol.allow=never',
  // The stash is no part of the worktree, and its line would change what status prints.
  'status.showStash=false',
].flatMap((setting) => ['-c', setting])

const SAID_LIMIT = 500

export type Git = {
  /** Undefined when it is not installed. */
  program: string | undefined
  env: Readonly<Record<string, string>>
  timeoutMs: number
  outputLimitBytes: number
}

export type GitCommand = { directory: string; args: readonly [string, ...string[]]; signal: AbortSignal }

/** A code other than 0 is an answer too. */
export type GitAnswer = { code: number; stdout: Buffer; stderr: string }

export function locateGit(places: SearchPlaces): Git {
  return {
    program: findProgram('git', places),
    env: toGitEnvironment(places.env),
    timeoutMs: 30_000,
    outputLimitBytes: 16 * 1024 * 1024,
  }
}

/** Throws one of the faults about a git command when there is no answer. */
export async function askGit(git: Git, { directory, args, signal }: GitCommand): Promise<GitAnswer> {
  const { program, env, timeoutMs, outputLimitBytes } = git
  if (program === undefined) throw gitMissing({})
  const command = nameOf(args)
  try {
    const argv = [program, ...SETTINGS, ...args] as const
    const { exit, stdout } = await runProcess(
      { argv, cwd: directory, env, timeoutMs, signal, sweep: 'when-ended' },
      { stdoutLimitBytes: outputLimitBytes },
    )
    return { code: codeOf(exit, { command, timeoutMs }), stdout, stderr: exit.stderrTail }
  } catch (error) {
    if (!(error instanceof Fault) || error.code.startsWith('git_')) throw error
    const isTooMuch = error.code === programOutputTooLarge.code
    if (isTooMuch) throw gitOutputTooLarge({ command, limitBytes: outputLimitBytes }, error)
    throw gitFailed({ command, problem: error.message }, error)
  }
}

/** What git prints; an answer that is an error is thrown as `git_failed`. */
export async function askGitForOutput(git: Git, command: GitCommand): Promise<Buffer> {
  const { code, stdout, stderr } = await askGit(git, command)
  if (code !== 0) throw gitFailed({ command: nameOf(command.args), problem: whatGitSaid(stderr) })
  return stdout
}

/** One line to show: git's own complaint without the advice around it. */
export function whatGitSaid(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '')
  const said = lines.find((line) => COMPLAINT.test(line)) ?? lines.at(-1) ?? 'it did not say why'
  return said
    .replace(COMPLAINT, '')
    .replace(/\p{Cc}/gu, '?')
    .slice(0, SAID_LIMIT)
    .toWellFormed()
}

const COMPLAINT = /^(?:fatal|error): /

function codeOf(exit: ProcessExit, about: { command: string; timeoutMs: number }): number {
  if (exit.ended === 'timeout') throw gitTimeout(about)
  if (exit.ended === 'cancelled') throw gitInterrupted(about)
  if (exit.code === null) throw gitFailed({ ...about, problem: `it was ended by ${exit.signal}` })
  return exit.code
}

function nameOf([name]: GitCommand['args']): string {
  return `git ${name}`
}
