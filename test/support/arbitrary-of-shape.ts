/** Generates values that fit a shape, and values that almost fit it, from the shape itself. */
import { tmpdir } from 'node:os'
import fc from 'fast-check'

type Schema = {
  type?: string
  enum?: readonly unknown[]
  properties?: Record<string, Schema>
  required?: readonly string[]
  items?: Schema
  minLength?: number
  minItems?: number
  maxItems?: number
  minimum?: number
  maximum?: number
  pattern?: string
}

/** Texts with a meaning for the program, mixed with random ones. */
const TELLING = [
  'claude',
  'codex',
  'gemini',
  tmpdir(),
  '/etc',
  'relative',
  '{{previous}}',
  '{{steps.a}}',
  '{{session}}',
  '--model',
  '-',
  '\0',
  '\u{d800}',
]

/** Mostly valid texts where random ones would be refused at once, so that later checks are tested too. */
const LIKELY: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  backend: fc.constantFrom('claude', 'codex', 'gemini', 'claude', 'codex', 'clod'),
  fallback: fc.constantFrom([], ['codex'], ['claude', 'gemini'], ['clod']),
  workdir: fc.constantFrom(tmpdir(), tmpdir(), tmpdir(), '/etc', 'relative', `${tmpdir()}/\0`),
  label: fc.constantFrom(undefined, undefined, undefined, 'gpu'),
  output_schema: fc.constantFrom(undefined, undefined, { type: 'object' }, { type: 7 }),
  extra: fc.constantFrom([], [], [], ['--model'], ['--nothing=1'], ['\0']),
  prompt: fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom('{{previous}}', '{{steps.a}}', ' ', 'a\0')),
}

const anyText = fc.oneof(fc.constantFrom(...TELLING), fc.string({ unit: 'binary', maxLength: 40 }))

/** A value that fits the shape, with short lists. */
export function fitting(shape: object): fc.Arbitrary<unknown> {
  const schema = shape as Schema
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  switch (schema.type) {
    case 'object':
      return schema.properties === undefined ? fc.dictionary(fc.string(), fc.jsonValue()) : fittingObject(schema)
    case 'array':
      return fc.array(fitting(schema.items ?? {}), { minLength: schema.minItems ?? 0, maxLength: 4 })
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 2 ** 31 })
    case 'string':
      return fittingText(schema)
    default:
      return fc.jsonValue()
  }
}

function fittingText({ pattern, minLength = 0 }: Schema): fc.Arbitrary<string> {
  if (pattern === undefined) return anyText.filter((text) => text.length >= minLength)
  const expression = new RegExp(pattern, 'u')
  return anyText.map((text) => (expression.test(text) ? text : 'a-name'))
}

function fittingObject({ properties = {}, required = [] }: Schema): fc.Arbitrary<object> {
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, LIKELY[name] ?? fitting(schema)]),
  )
  return fc.record(fields, { requiredKeys: [...required] })
}

/** A fitting value with one change: a field removed, added or of another type, or another value altogether. */
export function broken(schema: object): fc.Arbitrary<unknown> {
  const damaged = fc
    .tuple(fitting(schema), fc.nat(), fc.jsonValue(), fc.constantFrom('drop', 'replace', 'add'))
    .map(([value, at, other, damage]) => {
      const entries = Object.entries(value as object)
      const [name] = entries[at % Math.max(entries.length, 1)] ?? ['']
      const rest = entries.filter(([key]) => key !== name)
      if (damage === 'drop') return Object.fromEntries(rest)
      return Object.fromEntries([...(damage === 'add' ? entries : rest), [damage === 'add' ? `${name}_` : name, other]])
    })
  return fc.oneof(damaged, fc.jsonValue())
}
