import { Fault } from '../../kit/fault.ts'
import type { Invocation } from '../command.ts'
import { argumentMissing } from '../faults.ts'
import { readInput } from '../read-input.ts'

export type SourceInput<T> = {
  command: string
  limitBytes: number
  /** Parses the bytes; `name` is the name of the input for messages. */
  parse: (bytes: Uint8Array, name: string) => T
  /** The usage fault of the command, whatever is wrong with the input: nothing was attempted yet. */
  refuse: (facts: { problem: string }, cause: Fault) => Fault
}

/** Reads and parses the file that a `source` command is given; `-` is standard input. */
export async function readSourceInput<T>({ args, runtime }: Invocation, input: SourceInput<T>): Promise<T> {
  const { command, limitBytes, parse, refuse } = input
  const [named = ''] = args
  // An empty name, as from an unset shell variable, would resolve to the working directory.
  if (named === '') throw argumentMissing({ command, name: 'file' })
  const file = named === '-' ? undefined : named
  try {
    return parse(await readInput({ runtime, file, limitBytes }), file ?? 'standard input')
  } catch (error) {
    throw error instanceof Fault ? refuse({ problem: error.message }, error) : error
  }
}
