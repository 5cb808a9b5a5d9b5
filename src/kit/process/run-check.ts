/** Runs a command that checks a directory: tests, a type checker, a linter. */
import { Fault } from '../fault.ts'
import { checkCommandInvalid } from '../faults.ts'
import { splitCommand } from '../shell-words.ts'
import { toChildEnvironment } from './child-environment.ts'
import { withoutGitPlaces } from './environment-variables.ts'
import { OutputTail } from './output-tail.ts'
import { type ProcessExit, startProcess } from './process.ts'

export const DEFAULT_CHECK_TIMEOUT_MS = 10 * 60_000
/** The last bytes of the output: a failure is described at its end. */
const DEFAULT_OUTPUT_LIMIT_BYTES = 256 * 1024

export type Check = {
  /** A command line without a shell; see `parseCheck`. */
  command: string
  cwd: string
  /** The environment of drover. Its secrets are not passed on. */
  env: Readonly<Record<string, string | undefined>>
  timeoutMs: number
  signal: AbortSignal
  /** More than this is not kept of the output. */
  outputLimitBytes?: number
}

export type CheckResult = {
  command: string
  passed: boolean
  /** False if there is no such program, or it could not be started. */
  isStarted: boolean
  /** Null if the command did not exit by itself. */
  exitCode: number | null
  /** Why there is no exit code. */
  problem?: string
  durationMs: number
  /** What it printed on both outputs, in the order in which it came. */
  output: string
  isOutputCut: boolean
}

/** The words of a check. Throws `check_command_invalid`; call it before anything is paid for. */
export function parseCheck(command: string): readonly [string, ...string[]] {
  const split = splitCommand(command)
  if ('problem' in split) throw checkCommandInvalid({ command, problem: split.problem })
  const [program, ...args] = split.words
  if (program === undefined || program === '') throw checkCommandInvalid({ command, problem: 'it names no program' })
  if (/^[A-Za-z_]\w*=/.test(program)) {
    const problem = `${JSON.stringify(program)} is not a program; put "env" in front of it`
    throw checkCommandInvalid({ command, problem })
  }
  return [program, ...args]
}

/** Throws only `check_command_invalid`. A command that cannot be started, or is ended, is a failed check. */
export async function runCheck({ command, cwd, env, timeoutMs, signal, ...limits }: Check): Promise<CheckResult> {
  const argv = parseCheck(command)
  const { outputLimitBytes = DEFAULT_OUTPUT_LIMIT_BYTES } = limits
  const tail = new OutputTail(outputLimitBytes)
  let bytes = 0
  const keep = (chunk: Buffer) => {
    bytes += chunk.length
    tail.add(chunk)
  }
  try {
    const ends = { timeoutMs, signal, sweep: 'always', stderrLimitBytes: 0 } as const
    const places = { cwd, env: toChildEnvironment(withoutGitPlaces(env)) }
    const { stdout, exit } = await startProcess({ argv, ...places, ...ends, onStderr: keep })
    for await (const chunk of stdout) keep(chunk)
    const ended = judge(await exit, timeoutMs)
    return { command, isStarted: true, ...ended, output: tail.text(), isOutputCut: bytes > outputLimitBytes }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const nothing = { durationMs: 0, output: '', isOutputCut: false }
    return { command, passed: false, isStarted: false, exitCode: null, problem: error.message, ...nothing }
  }
}

function judge({ code, signal, ended, durationMs }: ProcessExit, timeoutMs: number) {
  if (ended === 'timeout')
    return { passed: false, exitCode: null, durationMs, problem: `it timed out after ${timeoutMs / 1000} s` }
  if (ended === 'cancelled') return { passed: false, exitCode: null, durationMs, problem: 'it was canceled' }
  if (code === null) return { passed: false, exitCode: null, durationMs, problem: `it was killed by ${signal}` }
  return { passed: code === 0, exitCode: code, durationMs }
}
