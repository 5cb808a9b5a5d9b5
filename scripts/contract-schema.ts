/** schema/machine-protocol-v2.json: every message and part of the machine protocol, each defined once. */
import type { TSchema } from 'typebox'
import { MESSAGE_SHAPES } from '../src/contract/messages.shape.ts'
import { type Json, publishedSchema } from './rewrite-shape.ts'

export const MESSAGE_NAMES = Object.keys(MESSAGE_SHAPES)

/** The definitions by name, the messages first; they still have the words that only drover reads. */
export function contractDefinitions(): Record<string, Json> {
  const definitions: Record<string, Json> = {}
  const shapes: readonly Json[] = Object.values<TSchema>(MESSAGE_SHAPES) as Json[]
  for (const shape of shapes) publishedSchema(shape, definitions)
  const parts = Object.keys(definitions).filter((name) => !MESSAGE_NAMES.includes(name))
  return Object.fromEntries([...MESSAGE_NAMES, ...parts.sort()].map((name) => [name, definitions[name] as Json]))
}

export function contractSchema(): string {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'https://drover.dev/schema/machine-protocol-v2.json',
    title: 'drover machine protocol, version 2',
    description:
      'Every message that drover reads or prints about runs and hosts. docs/machine-protocol.md explains them.',
    oneOf: MESSAGE_NAMES.map((name) => ({ $ref: `#/$defs/${name}` })),
    $defs: contractDefinitions(),
  }
  return `${JSON.stringify(schema, inStandardWords, 2)}\n`
}

/** What the schema language cannot say is said in the description. */
function inStandardWords(_word: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const { 'x-max-utf8-bytes': bytes, 'x-rules': rules, description, ...standard } = value as Json
  const sentences = [
    ...(typeof description === 'string' ? [sentence(description)] : []),
    ...(bytes === undefined ? [] : [`At most ${bytes} bytes in UTF-8.`]),
    ...Object.values((rules ?? {}) as Record<string, string>),
  ]
  // A field may be called `description` too; its value is a schema then.
  if (typeof description === 'object') return { ...standard, description }
  return sentences.length === 0 ? standard : { description: sentences.join(' '), ...standard }
}

function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1)
  return begun.endsWith('.') ? begun : `${begun}.`
}
