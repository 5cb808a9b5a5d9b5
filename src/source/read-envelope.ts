import { LIMITS } from '../contract/limits.ts'
import type { RawSourceEnvelope } from '../contract/raw-source-envelope.shape.ts'
import { checkRawSourceEnvelope } from '../contract/raw-source-envelope.ts'
import { readJson } from '../kit/json/read-json.ts'

/** Throws `json_invalid` or `message_invalid` with the first thing that is wrong. `input` begins the former's sentence. */
export function readEnvelope(bytes: Uint8Array, { input }: { input: string }): RawSourceEnvelope {
  return checkRawSourceEnvelope(readJson(bytes, { input, limitBytes: LIMITS.envelopeBytes }))
}
