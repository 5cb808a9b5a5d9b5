/** Runs a command that checks a directory: tests, a type checker, a linter. */
import { Fault } from '../fault.ts'
import { checkCommandInvalid } from '../faults.ts'
import { splitCommand } from '../shell-words.ts'
import { type Environment, toChildEnvironment } from './child-environment.ts'
import { OutputTail } from './child-output.ts'
import { withoutGitPlaces } from './environment-variables.ts'
import { type ProcessCommand, type ProcessExit, startProcess } from './process.ts'

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
  /** Starts the command inside of a boundary. */
  enclose?: Enclose | undefined
}

/** Prepares a boundary for one command. Throws a Fault if there is none: then the command is not started. */
export type Enclose = (command: Pick<ProcessCommand, 'argv' | 'cwd'> & { env: Environment }) => Promise<Enclosure>

type Enclosure = {
  command: Pick<ProcessCommand, 'argv' | 'env' | 'descriptors'>
  /** Undefined if the command was started. Else `printed` is what the boundary said about it. */
  whyNotStarted(printed: string): string | undefined
  /** Aborts with a Fault when the command has to be ended. `settle` is called when the command is over. */
  exceeded: AbortSignal
  settle(): Promise<void>
  close(): Promise<void>
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
export async function runCheck(check: Check): Promise<CheckResult> {
  const { command, cwd, timeoutMs, signal, enclose = withoutBoundary } = check
  const argv = parseCheck(command)
  const { outputLimitBytes = DEFAULT_OUTPUT_LIMIT_BYTES } = check
  const tail = new OutputTail(outputLimitBytes)
  let bytes = 0
  const keep = (chunk: Buffer) => {
    bytes += chunk.length
    tail.add(chunk)
  }
  let enclosure: Enclosure | undefined
  try {
    enclosure = await enclose({ argv, cwd, env: withoutGitPlaces(check.env) })
    const { exceeded } = enclosure
    const either = AbortSignal.any([signal, exceeded])
    const ends = { timeoutMs, signal: either, sweep: 'always', stderrLimitBytes: 0 } as const
    const { stdout, exit } = await startProcess({ ...enclosure.command, cwd, ...ends, onStderr: keep })
    for await (const chunk of stdout) keep(chunk)
    const exited = await exit
    const problem = exited.ended === 'itself' ? enclosure.whyNotStarted(tail.text()) : undefined
    if (problem !== undefined) return notStarted(command, problem)
    await enclosure.settle()
    const ended = judge(exited, { timeoutMs, exceeded })
    return { command, isStarted: true, ...ended, output: tail.text(), isOutputCut: bytes > outputLimitBytes }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return notStarted(command, error.message)
  } finally {
    await enclosure?.close()
  }
}

const withoutBoundary: Enclose = async ({ argv, env }) => ({
  command: { argv, env: toChildEnvironment(env) },
  whyNotStarted: () => undefined,
  exceeded: new AbortController().signal,
  settle: async () => {},
  close: async () => {},
})

function notStarted(command: string, problem: string): CheckResult {
  const nothing = { durationMs: 0, output: '', isOutputCut: false }
  return { command, passed: false, isStarted: false, exitCode: null, problem, ...nothing }
}

function judge(
  { code, signal, ended, durationMs }: ProcessExit,
  { timeoutMs, exceeded }: { timeoutMs: number; exceeded: AbortSignal },
) {
  if (exceeded.aborted) return { passed: false, exitCode: null, durationMs, problem: String(exceeded.reason.message) }
  if (ended === 'timeout')
    return { passed: false, exitCode: null, durationMs, problem: `it timed out after ${timeoutMs / 1000} s` }
  if (ended === 'cancelled') return { passed: false, exitCode: null, durationMs, problem: 'it was canceled' }
  if (code === null) return { passed: false, exitCode: null, durationMs, problem: `it was killed by ${signal}` }
  return { passed: code === 0, exitCode: code, durationMs }
}
