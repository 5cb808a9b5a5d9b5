/** The file that a `source` command is given. */
import { Fault } from '../../kit/fault.ts'
import type { Invocation } from '../command.ts'
import { argumentMissing } from '../faults.ts'
import { readInput } from '../read-input.ts'

export type SourceInput<T> = {
  command: string
  limitBytes: number
  /** Makes of the bytes what the command wants; `name` is for what it says about them. */
  read: (bytes: Uint8Array, name: string) => T
  /** The usage fault of the command: nothing was attempted, whatever is wrong with the file. */
  refuse: (problem: { problem: string }, cause: Fault) => Fault
}

export async function readSourceInput<T>({ args, runtime }: Invocation, input: SourceInput<T>): Promise<T> {
  const { command, limitBytes, read, refuse } = input
  const [named = ''] = args
  // Otherwise a variable that is not set would name the working directory.
  if (named === '') throw argumentMissing({ command, name: 'file' })
  try {
    const bytes = await readInput(named, { runtime, limitBytes })
    return read(bytes, named === '-' ? 'standard input' : named)
  } catch (error) {
    throw error instanceof Fault ? refuse({ problem: error.message }, error) : error
  }
}
