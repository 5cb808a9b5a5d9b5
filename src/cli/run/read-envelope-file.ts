import { resolve } from 'node:path'
import { LIMITS } from '../../contract/limits.ts'
import type { RawSourceEnvelope } from '../../contract/raw-source-envelope.shape.ts'
import { Fault } from '../../kit/fault.ts'
import { readFileBytes } from '../../kit/files/read-file.ts'
import { readEnvelope } from '../../source/read-envelope.ts'

export type EnvelopeFile = {
  cwd: string
  file: string
  /** The fault of the command, whatever is wrong with the file. */
  refuse: (facts: { problem: string }, cause: Fault) => Fault
}

/** The envelope in a file. What is wrong with it is said without the name of the file, which the message may be shown far from. */
export function readEnvelopeFile({ cwd, file, refuse }: EnvelopeFile): RawSourceEnvelope {
  const path = resolve(cwd, file)
  try {
    return readEnvelope(readFileBytes({ path, limitBytes: LIMITS.envelopeBytes }), { input: 'it' })
  } catch (error) {
    throw error instanceof Fault ? refuse({ problem: error.message.replaceAll(path, 'the file') }, error) : error
  }
}
