import { resolve } from 'node:path'
import { errorCode, Fault } from '../../kit/fault.ts'
import { fileTooLarge } from '../../kit/faults.ts'
import { readFileBytes } from '../../kit/files/read-file.ts'
import { runInterrupted } from '../../runs/faults.ts'
import type { Given } from '../../runs/given-text.ts'
import type { Runtime } from '../command.ts'
import { inputTooLarge } from '../faults.ts'

/** `signal` is that of a command which already listens for signals: others are ended by them. */
type Place = { file?: string | undefined; runtime: Runtime; signal?: AbortSignal }

/** The bytes of what was handed over, from a file or from standard input. Links are not followed. */
export async function readGiven(given: Given, { file, runtime, signal }: Place): Promise<Buffer> {
  const { limitBytes } = given
  try {
    if (file !== undefined) return readFileBytes({ path: resolve(runtime.cwd, file), limitBytes })
    await promptOnTerminal(runtime)
    return await runtime.stdin.read(limitBytes, signal)
  } catch (error) {
    throw signal?.aborted ? runInterrupted({}, error) : toRefusal(given, error)
  }
}

/** Otherwise nothing would happen, and nobody would say why. */
async function promptOnTerminal({ stdin, terminal }: Runtime): Promise<void> {
  if (stdin.isTty) await terminal.err.write('drover: reading standard input; end it with Ctrl-D on a line of its own\n')
}

function toRefusal({ limitBytes, tooLarge, unavailable }: Given, error: unknown): unknown {
  const code = error instanceof Fault ? error.code : undefined
  if (code === inputTooLarge.code) return tooLarge(limitBytes + 1, error)
  if (code === fileTooLarge.code) return tooLarge((error as Fault<{ sizeBytes: number }>).details.sizeBytes, error)
  const isTrouble = code !== undefined || errorCode(error) !== undefined
  return isTrouble ? unavailable({ problem: (error as Error).message }, error) : error
}
