/** The format of an answer that a compatible request asks for: text, or JSON that matches a schema. */
import { type Backend, NATIVE_BACKENDS } from '../../agents/adapter/agent.ts'
import type { JsonRecord } from '../../agents/adapter/json-fields.ts'
import { findNativeAgent } from '../../agents/registry.ts'
import { requestInvalid } from '../../kit/faults.ts'
import { unsupportedFeature } from '../../prompts/faults.ts'

/** A format as the chat completion API and the message API have it. */
type WireFormat = {
  type: string
  json_schema?: { schema?: JsonRecord | null | undefined } | null | undefined
  schema?: JsonRecord | null | undefined
}

const ANY_OBJECT: JsonRecord = { type: 'object' }

type Asked = { place: string; format: WireFormat | null | undefined; backend: Backend }

/** The schema that the answer must match; undefined for text. Throws a Fault for a format that the agent cannot be given. */
export function toOutputSchema({ place, format, backend }: Asked): JsonRecord | undefined {
  switch (format?.type) {
    case undefined:
    case 'text':
      return undefined
    case 'json_object':
      requireAgent(place, { backend, feature: 'JSON without a schema' })
      return ANY_OBJECT
    case 'json_schema':
      requireAgent(place, { backend, feature: 'a JSON Schema for the answer' })
      return format.json_schema?.schema ?? format.schema ?? missingSchema(place, format)
    default:
      throw unsupportedFeature({
        place: `${place}.type`,
        feature: `the type ${format?.type}`,
        advice: 'use json_schema',
      })
  }
}

const takesSchemas = (backend: Backend) => findNativeAgent(backend)?.abilities.output_schema === true

function requireAgent(place: string, { backend, feature }: { backend: Backend; feature: string }): void {
  if (takesSchemas(backend)) return
  const advice = `use a model of ${NATIVE_BACKENDS.filter(takesSchemas).join(' or ')}`
  throw unsupportedFeature({ place, feature: `${feature}, on ${backend}`, advice })
}

function missingSchema(place: string, { json_schema: wrapped }: WireFormat): never {
  throw requestInvalid(wrapped === undefined ? `${place}.schema` : `${place}.json_schema.schema`, 'is required')
}
