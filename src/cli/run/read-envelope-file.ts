import { resolve } from 'node:path'
import { LIMITS } from '../../contract/limits.ts'
import type { RawSourceEnvelope } from '../../contract/raw-source-envelope.shape.ts'
import { Fault } from '../../kit/fault.ts'
import { readEnvelope } from '../../source/read-source.ts'
import type { Runtime } from '../command.ts'
import { readInput } from '../read-input.ts'

export type EnvelopeFile = {
  runtime: Runtime
  file: string
  /** The fault of the command, whatever is wrong with the file. */
  refuse: (facts: { problem: string }, cause: Fault) => Fault
}

/** Reads an envelope from a file. The fault does not name the path, because it may be shown on another machine. */
export async function readEnvelopeFile({ runtime, file, refuse }: EnvelopeFile): Promise<RawSourceEnvelope> {
  try {
    const bytes = await readInput({ runtime, file, limitBytes: LIMITS.envelopeBytes })
    return readEnvelope(bytes, { input: 'it' })
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    throw refuse({ problem: error.message.replaceAll(resolve(runtime.cwd, file), 'the file') }, error)
  }
}
