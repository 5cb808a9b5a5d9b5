import type { ProtocolState } from '../../contract/protocol-state.shape.ts'
import type { JsonValue } from '../../kit/json/json-value.ts'
import { writeJson } from '../../kit/json/write-json.ts'
import { outputLost } from '../../runs/output-lost.ts'
import type { Channel } from '../terminal.ts'

/** Tells what a run was changed to. If nobody hears it, the change is there all the same, and that has to be said elsewhere. */
export async function tellChange(out: Channel, text: string): Promise<void> {
  const written = await out.write(text).catch((error: Error) => {
    throw outputLost(error.message, error)
  })
  if (written === 'closed') throw outputLost('nobody reads standard output any more')
}

/** The same as one line of JSON. */
export async function tellState(out: Channel, state: ProtocolState): Promise<void> {
  await tellChange(out, asLine(state))
}

export function asLine(message: object): string {
  return `${writeJson(message as JsonValue)}\n`
}
