/**
 * A shape is written for readers; a validator wants other words for the same rules, chosen so that its refusals can say
 * what is allowed. These rewrites are pure and change no verdict.
 */
export type Json = { [key: string]: unknown }

/** The schema handed to the validator compiler. */
export function validatorSchema(shape: Json): Json {
  const definitions: Json = {}
  const root = hoist(rewrite(plain(shape)), { definitions, isRoot: true })
  return Object.keys(definitions).length === 0 ? root : { ...root, $defs: definitions }
}

/** The schema as published: standard words, named parts defined once. */
export function publishedSchema(shape: Json, definitions: Json): Json {
  return hoist(published(plain(shape)), { definitions, isRoot: false })
}

/** TypeBox keeps its own marks on hidden properties; JSON has none of them. */
function plain(shape: Json): Json {
  return JSON.parse(JSON.stringify(shape)) as Json
}

function mapSchemas(schema: Json, change: (part: Json) => Json): Json {
  const mapped: Json = { ...schema }
  for (const word of ['properties', 'patternProperties', '$defs']) {
    const parts = schema[word]
    if (isObject(parts)) {
      mapped[word] = Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, change(part as Json)]))
    }
  }
  for (const word of ['anyOf', 'oneOf', 'allOf', 'prefixItems']) {
    const parts = schema[word]
    if (Array.isArray(parts)) mapped[word] = parts.map((part) => change(part))
  }
  for (const word of ['items', 'additionalProperties', 'propertyNames', 'contains', 'if', 'then', 'else', 'not']) {
    const part = schema[word]
    if (isObject(part)) mapped[word] = change(part)
  }
  return mapped
}

function rewrite(schema: Json): Json {
  const {
    'x-max-utf8-bytes': bytes,
    'x-says': says,
    'x-wide': wide,
    'x-tag': tag,
    ...rest
  } = mapSchemas(schema, rewrite)
  const extensions = Object.keys(rest).filter((word) => word.startsWith('x-'))
  const standard = Object.fromEntries(Object.entries(rest).filter(([word]) => !extensions.includes(word)))
  if (bytes !== undefined) standard['maxUtf8Bytes'] = bytes
  if (says !== undefined) {
    standard['saidPattern'] = { pattern: standard['pattern'], says }
    delete standard['pattern']
  }
  if (wide === true) {
    delete standard['type']
    standard['wideInteger'] = true
  }
  delete standard['default']
  if (tag !== undefined) return tagFirst(standard, String(tag))
  return namesInsteadOfNoOthers(standard)
}

/** "No other fields" becomes "field names are among these": the refusal then carries the names that are allowed. */
function namesInsteadOfNoOthers(schema: Json): Json {
  if (schema['additionalProperties'] !== false || schema['patternProperties'] !== undefined) return schema
  const { additionalProperties: _none, ...rest } = schema
  return { ...rest, propertyNames: { enum: Object.keys((schema['properties'] ?? {}) as Json) } }
}

/** "Any of these objects" becomes "the tag is known, and the object fits the branch that the tag names". */
function tagFirst(schema: Json, tag: string): Json {
  const { anyOf, ...rest } = schema
  const branches = anyOf as Json[]
  const cases = branches.map((branch) => ({
    branch,
    values: tagValues(branch, tag),
    isOptional: !requires(branch, tag),
  }))
  const known = { [tag]: { enum: cases.flatMap((each) => each.values) } }
  const required = cases.some((each) => each.isOptional) ? [] : [tag]
  return {
    ...rest,
    type: 'object',
    required,
    properties: known,
    allOf: cases.map(({ branch, values, isOptional }) => ({
      if: { required: isOptional ? [] : [tag], properties: { [tag]: { enum: values } } },
      // biome-ignore lint/suspicious/noThenProperty: the JSON Schema word, in a value that is never awaited
      then: branch,
    })),
  }
}

function tagValues(branch: Json, tag: string): unknown[] {
  const part = (branch['properties'] as Json | undefined)?.[tag] as Json | undefined
  const values = part?.['enum'] ?? (part !== undefined && 'const' in part ? [part['const']] : undefined)
  if (!Array.isArray(values)) throw new Error(`a branch of a tagged shape has no literal ${tag}`)
  return values
}

function requires(branch: Json, tag: string): boolean {
  return Array.isArray(branch['required']) && branch['required'].includes(tag)
}

function published(schema: Json): Json {
  const { 'x-tag': tag, 'x-says': says, 'x-wide': _wide, anyOf, ...rest } = mapSchemas(schema, published)
  const described = typeof says === 'string' && rest['description'] === undefined ? { description: says } : {}
  const union = anyOf === undefined ? {} : { [tag === undefined ? 'anyOf' : 'oneOf']: anyOf }
  return { ...rest, ...described, ...union }
}

/** Moves named parts into `definitions` and leaves references. */
function hoist(schema: Json, place: { definitions: Json; isRoot: boolean }): Json {
  const { $id, ...body } = schema
  const inner = mapSchemas(body, (part) => hoist(part, { definitions: place.definitions, isRoot: false }))
  if (typeof $id !== 'string' || place.isRoot) return inner
  place.definitions[$id] = inner
  return { $ref: `#/$defs/${$id}` }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
