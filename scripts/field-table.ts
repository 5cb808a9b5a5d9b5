/** The fields of a definition as rows of a table. For a union, each field has one row that covers all branches. */
import type { Json } from './rewrite-shape.ts'

export type FieldRow = { name: string; presence: string; type: string; meaning: string }

export function fieldRows(definition: Json, definitions: Readonly<Record<string, Json>>): FieldRow[] {
  return rowsOf(branchesOf(definition), { prefix: '', definitions })
}

/** The object branches of a definition. */
function branchesOf(schema: Json): Json[] {
  const union = schema['oneOf'] ?? schema['anyOf']
  return Array.isArray(union) ? union.flatMap(branchesOf) : [schema]
}

type Table = { prefix: string; definitions: Readonly<Record<string, Json>> }

function rowsOf(branches: readonly Json[], table: Table): FieldRow[] {
  const objects = branches.filter((branch) => branch['properties'] !== undefined)
  const names = [...new Set(objects.flatMap((branch) => Object.keys(fieldsOf(branch))))]
  return names.flatMap((name) => {
    const shapes = objects.map((branch) => fieldsOf(branch)[name]).filter((shape) => shape !== undefined)
    const row = {
      name: `${table.prefix}${name}`,
      presence: presenceOf(name, objects),
      type: joinTypes(shapes.map(typeOf)),
      meaning: [...new Set(shapes.map((shape) => meaningOf(shape, table.definitions)))].join(' '),
    }
    if (row.meaning === '') throw new Error(`the field ${row.name} has no meaning`)
    return [row, ...rowsOf(shapes.flatMap(branchesOf), { ...table, prefix: `${row.name}.` })]
  })
}

/** Joins values to one list, and types to alternatives. */
function joinTypes(types: readonly string[]): string {
  const areValues = types.every((type) => type.startsWith('`'))
  const each = areValues ? types.flatMap((type) => type.split(', ')) : types
  return [...new Set(each)].join(areValues ? ', ' : ' or ')
}

function fieldsOf(branch: Json): Record<string, Json> {
  return branch['properties'] as Record<string, Json>
}

function presenceOf(name: string, branches: readonly Json[]): string {
  const requiring = branches.filter((branch) => (branch['required'] as string[] | undefined)?.includes(name))
  if (requiring.length === branches.length) return 'yes'
  return requiring.length === 0 ? 'no' : 'depends'
}

/** The description of the field, or of its named part; not of a text format, which says nothing about the field. */
function meaningOf(shape: Json, definitions: Readonly<Record<string, Json>>): string {
  const part = definitions[refName(shape) ?? '']
  const saysEnough = part !== undefined && (part['type'] !== 'string' || part['enum'] !== undefined)
  return String(shape['description'] ?? (saysEnough ? part['description'] : ''))
}

/** Describes a shape briefly; a named part becomes a link. */
export function typeOf(shape: Json): string {
  const name = refName(shape)
  if (name !== undefined) return `[${name}](#${name.toLowerCase()})`
  const union = shape['oneOf'] ?? shape['anyOf']
  if (Array.isArray(union)) return union.map(typeOf).join(' or ')
  if (shape['type'] === undefined && Array.isArray(shape['allOf'])) return typeOf(shape['allOf'][0])
  if ('const' in shape) return code(shape['const'])
  if (Array.isArray(shape['enum'])) return shape['enum'].map(code).join(', ')
  if (shape['type'] === 'array') return listType(shape)
  const words = [shape['type'], rangeOf(shape, 'minimum', 'maximum'), bytesOf(shape)]
  return words.filter((word) => word !== undefined).join(', ')
}

function listType(shape: Json): string {
  const { items, prefixItems, uniqueItems } = shape
  if (prefixItems !== undefined) return 'list of words'
  if (shape['maxItems'] === 0) return 'empty list'
  const range = rangeOf(shape, 'minItems', 'maxItems')
  const words = [range, uniqueItems === true ? 'each once' : undefined].filter((word) => word !== undefined)
  const count = words.length === 0 ? '' : ` (${words.join(', ')})`
  return `list of ${typeOf(items as Json)}${count}`
}

function rangeOf(shape: Json, low: string, high: string): string | undefined {
  const [least, most] = [shape[low], shape[high]]
  if (least === undefined) return most === undefined ? undefined : `at most ${most}`
  return most === undefined ? `at least ${least}` : `${least} to ${most}`
}

function bytesOf(shape: Json): string | undefined {
  const bytes = shape['x-max-utf8-bytes']
  return bytes === undefined ? undefined : `at most ${bytes} bytes`
}

function refName(shape: Json): string | undefined {
  return typeof shape['$ref'] === 'string' ? shape['$ref'].replace('#/$defs/', '') : undefined
}

function code(value: unknown): string {
  return `\`${value}\``
}
