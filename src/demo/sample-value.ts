/** The smallest value that matches a schema, where drover's demo agent can find one. Pure. */
type Schema = { readonly [keyword: string]: unknown }

/** A schema may contain itself. */
const MAX_DEPTH = 20

export function sampleOf(root: Schema): unknown {
  return sample(root, { root, depth: 0 })
}

function sample(schema: unknown, { root, depth }: { root: Schema; depth: number }): unknown {
  if (!isSchema(schema) || depth > MAX_DEPTH) return null
  const inner = (part: unknown) => sample(part, { root, depth: depth + 1 })
  if ('const' in schema) return schema['const']
  const [first] = [schema['enum'], schema['examples']].find((list) => Array.isArray(list)) ?? []
  if (first !== undefined) return first
  if ('default' in schema) return schema['default']
  if (typeof schema['$ref'] === 'string') return inner(findPart(root, schema['$ref']))
  const alternatives = listAt(schema, 'anyOf') ?? listAt(schema, 'oneOf')
  if (alternatives !== undefined) return inner({ ...schema, anyOf: undefined, oneOf: undefined, ...alternatives[0] })
  const all = listAt(schema, 'allOf')
  if (all !== undefined) return inner(Object.assign({ ...schema, allOf: undefined }, ...all))
  return sampleOfType(schema, inner)
}

function sampleOfType(schema: Schema, inner: (part: unknown) => unknown): unknown {
  switch ([schema['type']].flat()[0] ?? (isSchema(schema['properties']) ? 'object' : 'string')) {
    case 'object': {
      const properties = isSchema(schema['properties']) ? schema['properties'] : {}
      return Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, inner(part)]))
    }
    case 'array': {
      const firsts = listAt(schema, 'prefixItems') ?? []
      const count = Math.max(firsts.length, numberAt(schema, 'minItems') ?? 1)
      return Array.from({ length: count }, (_, at) => inner(firsts[at] ?? schema['items']))
    }
    case 'integer':
    case 'number':
      return numberAt(schema, 'minimum') ?? (numberAt(schema, 'exclusiveMinimum') ?? -1) + 1
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return 'demo'.padEnd(numberAt(schema, 'minLength') ?? 0, '.').slice(0, numberAt(schema, 'maxLength'))
  }
}

/** Only inside of the schema, as `#/$defs/name`. */
function findPart(root: Schema, reference: string): unknown {
  const names = reference.split('/').slice(1)
  return names.reduce<unknown>((part, name) => (isSchema(part) ? part[name] : undefined), root)
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function listAt(schema: Schema, keyword: string): Schema[] | undefined {
  const list = schema[keyword]
  return Array.isArray(list) ? list.filter(isSchema) : undefined
}

function numberAt(schema: Schema, keyword: string): number | undefined {
  const value = schema[keyword]
  return typeof value === 'number' ? value : undefined
}
