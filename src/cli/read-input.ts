import { resolve } from 'node:path'
import { errorCode, Fault } from '../kit/fault.ts'
import { fileTooLarge } from '../kit/faults.ts'
import type { Links } from '../kit/files/disk.ts'
import { readFileBytes } from '../kit/files/read-file.ts'
import type { Invocation, Runtime } from './command.ts'
import { inputTooLarge } from './faults.ts'

/** A command that leaves a fault out gets the one of the file or of standard input itself. */
type InputFaults = {
  /** The input cannot be read. */
  unavailable?: (facts: { problem: string }, cause: unknown) => Fault
  /** The input has at least this many bytes; `unavailable` by default. */
  tooLarge?: (sizeBytes: number, cause: unknown) => Fault
  /** `signal` was aborted while the input was read. */
  interrupted?: (cause: unknown) => Fault
}

export type Input = InputFaults & {
  runtime: Runtime
  /** Relative to the working directory; undefined reads standard input. */
  file: string | undefined
  limitBytes: number
  /** Symbolic links are refused by default. */
  links?: Links
  /** Ends the reading of standard input. */
  signal?: AbortSignal
}

/** Reads the bytes of a file that the user named, or of standard input. All commands read their input with this. */
export async function readInput(input: Input): Promise<Buffer> {
  const { runtime, file, limitBytes, links = 'refuse', signal } = input
  try {
    if (file !== undefined) return readFileBytes({ path: resolve(runtime.cwd, file), limitBytes, links })
    await hintOnTerminal(runtime)
    return await runtime.stdin.read(limitBytes, signal)
  } catch (error) {
    throw chooseFault(error, input)
  }
}

/** Without a hint, a user at a terminal would not know that drover is waiting for input. */
async function hintOnTerminal({ stdin, terminal }: Runtime): Promise<void> {
  if (stdin.isTty) await terminal.err.write('drover: reading standard input; press Ctrl-D on an empty line to finish\n')
}

function chooseFault(error: unknown, { limitBytes, signal, unavailable, tooLarge, interrupted }: Input): unknown {
  if (signal?.aborted && interrupted !== undefined) return interrupted(error)
  const size = sizeWhenTooLarge(error, limitBytes)
  if (size !== undefined && tooLarge !== undefined) return tooLarge(size, error)
  const isReadError = error instanceof Fault || errorCode(error) !== undefined
  return isReadError && unavailable !== undefined ? unavailable({ problem: (error as Error).message }, error) : error
}

function sizeWhenTooLarge(error: unknown, limitBytes: number): number | undefined {
  if (!(error instanceof Fault)) return undefined
  if (error.code === inputTooLarge.code) return limitBytes + 1
  return error.code === fileTooLarge.code ? (error as Fault<{ sizeBytes: number }>).details.sizeBytes : undefined
}

/** Shown when a person runs a command meant for programs, which would otherwise appear to hang. */
export async function explainProtocol(
  { runtime }: Invocation,
  what: { command: string; client: string; instead: string },
) {
  if (!runtime.stdin.isTty) return
  const { command, client, instead } = what
  await runtime.terminal.err.write(
    `drover: ${command} waits for the messages of ${client}, which starts it and talks to it over standard input.\n` +
      `To try drover here, use ${instead}. Press Ctrl-C to stop.\n`,
  )
}
