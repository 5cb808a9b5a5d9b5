/** The published schema of the protocol, and a strict validator for it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020, type Options } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

export const PROTOCOL_SCHEMA = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../schema/machine-protocol-v2.json'), 'utf8'),
)

/** A command starts with `drover` and has any length, which strict tuples do not allow. */
export const STRICT = { strict: true, strictTuples: false } satisfies Options

export function protocolValidator(options: Options = {}): Ajv2020 {
  const ajv = new Ajv2020({ ...STRICT, ...options })
  addFormats.default(ajv)
  return ajv.addSchema(PROTOCOL_SCHEMA)
}
