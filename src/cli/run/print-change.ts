import type { ProtocolState } from '../../contract/protocol-state.shape.ts'
import { writeJson } from '../../kit/json/write-json.ts'
import type { JsonValue } from '../../kit/json-value.ts'
import { outputFailure } from '../../runs/faults.ts'
import type { Channel } from '../terminal.ts'

/** Prints the new state of a run. If that fails, the error says that the change was made anyway. */
export async function printChange(out: Channel, text: string): Promise<void> {
  const written = await out.write(text).catch((error: Error) => {
    throw outputFailure(error.message, error)
  })
  if (written === 'closed') throw outputFailure('standard output is closed')
}

export async function printState(out: Channel, state: ProtocolState): Promise<void> {
  await printChange(out, toJsonLine(state))
}

export function toJsonLine(message: object): string {
  return `${writeJson(message as JsonValue)}\n`
}
