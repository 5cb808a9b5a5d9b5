/** Writes the public types of the library from the shapes, with their descriptions: the package must not need TypeBox. */
import type { TSchema } from 'typebox'
import type { Json } from './rewrite-shape.ts'

const WIDTH = 116

/** The named shapes, and every named part of them, as types. */
export function libraryTypes(shapes: Readonly<Record<string, TSchema>>): string {
  const definitions = new Map<string, Json>()
  for (const [name, shape] of Object.entries(shapes)) {
    collect({ ...(JSON.parse(JSON.stringify(shape)) as Json), $id: name }, definitions)
  }
  const types = [...definitions].map(([name, shape]) => declare(name, shape))
  return `/** Written by \`npm run generate\` from the shapes of the messages. */\n\n${types.join('\n\n')}\n`
}

function collect(shape: Json, definitions: Map<string, Json>): void {
  const name = nameOf(shape)
  if (name !== undefined) {
    if (definitions.has(name)) return
    definitions.set(name, shape)
  }
  for (const part of partsOf(shape)) collect(part, definitions)
}

/** Those of the machine protocol begin with a small letter. A text or a number without a description gets no name. */
function nameOf({ $id: name, type, description }: Json): string | undefined {
  if (typeof name !== 'string' || (type !== 'object' && description === undefined)) return undefined
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`
}

function partsOf(shape: Json): Json[] {
  const fields = Object.values((shape['properties'] ?? {}) as Record<string, Json>)
  const items = isShape(shape['items']) ? [shape['items']] : []
  return [...fields, ...items, ...((shape['anyOf'] ?? []) as Json[])]
}

function isShape(value: unknown): value is Json {
  return typeof value === 'object' && value !== null
}

function declare(name: string, shape: Json): string {
  const { description } = shape
  if (description === undefined) throw new Error(`the shape of the type ${name} needs a description`)
  return `${comment(description, '')}export type ${name} = ${typeOf({ ...shape, $id: undefined }, '')}`
}

function typeOf(shape: Json, indent: string): string {
  const { type, items, properties } = shape
  const name = nameOf(shape)
  if (name !== undefined) return name
  if (shape['const'] !== undefined) return quote(shape['const'])
  if (Array.isArray(shape['enum'])) return shape['enum'].map(quote).join(' | ')
  if (Array.isArray(shape['anyOf'])) return unionOf(shape['anyOf'] as Json[], indent)
  if (type === 'array') return listOf(typeOf(items as Json, indent))
  if (type === 'object') return properties === undefined ? mapOf(shape, indent) : objectOf(shape, indent)
  if (shape['x-unit'] !== undefined) return 'number | string'
  return PLAIN[String(type)] ?? 'unknown'
}

const PLAIN: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
}

function listOf(item: string): string {
  return `readonly ${/^readonly | \| /.test(item) ? `(${item})` : item}[]`
}

function unionOf(branches: readonly Json[], indent: string): string {
  const types = branches.map((branch) => typeOf(branch, indent))
  const line = types.join(' | ')
  return line.length < WIDTH - 30 ? line : types.map((type) => `\n${indent}  | ${type}`).join('')
}

function mapOf({ patternProperties, additionalProperties }: Json, indent: string): string {
  const [value = additionalProperties] = Object.values((patternProperties ?? {}) as Record<string, Json>)
  return isShape(value) ? `Readonly<Record<string, ${typeOf(value, indent)}>>` : 'Record<string, unknown>'
}

function objectOf(shape: Json, indent: string): string {
  const required = (shape['required'] ?? []) as string[]
  const inner = `${indent}  `
  const fields = Object.entries(shape['properties'] as Record<string, Json>).map(([name, part]) => {
    const isOptional = !required.includes(name)
    const type = `${typeOf(part, inner)}${isOptional ? ' | undefined' : ''}`
    return `${comment(part['x-meaning'] ?? part['description'], inner)}${inner}${name}${isOptional ? '?' : ''}: ${type}\n`
  })
  return `{\n${fields.join('')}${othersOf(shape, inner)}${indent}}`
}

/** Fields with any name. TypeScript wants their type to include those of the named fields. */
function othersOf({ properties, additionalProperties }: Json, indent: string): string {
  if (!isShape(additionalProperties)) return ''
  const parts = [...Object.values(properties as Record<string, Json>), additionalProperties]
  const types = new Set(parts.map((part) => typeOf(part, indent)))
  return `${indent}[name: string]: ${[...types].join(' | ')} | undefined\n`
}

function quote(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value)
}

function comment(text: unknown, indent: string): string {
  return typeof text === 'string' ? `${indent}/** ${text.replaceAll('*/', '*\\/')} */\n` : ''
}
