import { describe, expect, it } from 'vitest'
import { findSchemaProblem, SCHEMA_LIMIT_BYTES } from './check-schema.ts'

const nested = (levels: number): Record<string, unknown> => {
  let schema = {}
  for (let level = 0; level < levels; level += 1) schema = { items: schema }
  return schema
}
const withPatterns = (patterns: readonly string[]) => ({ anyOf: patterns.map((pattern) => ({ pattern })) })
const LONG_PATTERNS = [...Array<string>(4).fill('x'.repeat(1000)), 'x'.repeat(96)]
const CLASSES = ['\\p{L}'.repeat(15), '[^\\P{Lu}]']

describe('a schema is accepted', () => {
  it.each<[string, Record<string, unknown>]>([
    ['with nothing', {}],
    ['with annotations', { $schema: 'x', title: 't', format: 'date', 'x-order': 1, default: {}, examples: [] }],
    ['with references', { $ref: '#/$defs/a', $defs: { a: { properties: { next: { $ref: '#' } } } } }],
    ['with a reference into a list', { allOf: [{ type: 'string' }], not: { $ref: '#/allOf/0' } }],
    ['with several types', { type: ['string', 'null'] }],
    ['with a large number', { maximum: 2n ** 63n }],
    ['with boolean schemas', { items: false, additionalProperties: false, not: true }],
    ['at the limit of depth', nested(32)],
    ['at the limit of size', { description: 'x'.repeat(SCHEMA_LIMIT_BYTES - '{"description":""}'.length) }],
    ['at the limit of all patterns', withPatterns(LONG_PATTERNS)],
    ['at the limit of classes in patterns', withPatterns(CLASSES)],
    ['with a property called like a keyword', { properties: { type: { type: 'string' }, if: {} } }],
  ])('%s', (_name, schema) => {
    expect(findSchemaProblem(schema)).toBeUndefined()
  })
})

describe('a schema is refused', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['with a keyword that is not validated', { properties: { a: { if: {} } } }, '$.properties.a.if is not supported'],
    ['with a name of every object', { constructor: {} }, '$.constructor is not supported'],
    ['with an unknown type', { type: 'nonsense' }, '$.type must be one of null, boolean,'],
    ['with no type in a list', { type: [] }, '$.type must be one of'],
    ['with a number as a schema', { items: 1 }, '$.items must be a schema'],
    ['with an empty list of schemas', { anyOf: [] }, '$.anyOf must be a list of schemas'],
    ['with a list as properties', { properties: [] }, '$.properties must be an object of schemas'],
    ['with a negative length', { minLength: -1 }, '$.minLength must be a whole number'],
    ['with a text as a limit', { minimum: '1' }, '$.minimum must be a number'],
    ['with a divisor of zero', { multipleOf: 0 }, '$.multipleOf must be a number greater than 0'],
    ['with an empty enum', { enum: [] }, '$.enum must be a list'],
    ['with numbers as names', { required: [1] }, '$.required must be a list of strings'],
    ['with a broken pattern', { pattern: '(' }, '$.pattern is not a valid regular expression'],
    ['with a long pattern', { pattern: 'x'.repeat(1001) }, '$.pattern must be a regular expression of at most 1000'],
    [
      'with too many long patterns',
      withPatterns([...LONG_PATTERNS, 'x']),
      '$.anyOf[5].pattern is too much: all patterns together may have at most 4096 characters',
    ],
    [
      'with too many classes in patterns',
      withPatterns([...CLASSES, '\\p{L}']),
      '$.anyOf[2].pattern is too much: all patterns together may have at most 16 classes like \\p{L}',
    ],
    ['with a reference to nothing', { $ref: '#/$defs/a' }, '$.$ref must refer to a schema in this schema'],
    ['with a reference to another file', { $ref: 'https://example.org/a.json' }, '$.$ref must refer'],
    ['that is nested too deeply', nested(33), 'is nested deeper than 32 levels'],
    ['that cannot be serialized', nested(100_000), '$ is nested deeper than 32 levels'],
    ['that is too large', { description: 'x'.repeat(SCHEMA_LIMIT_BYTES) }, `at most ${SCHEMA_LIMIT_BYTES} are allowed`],
    [
      'for its size before its patterns',
      { pattern: '(', description: 'x'.repeat(SCHEMA_LIMIT_BYTES) },
      `at most ${SCHEMA_LIMIT_BYTES} are allowed`,
    ],
  ])('%s', (_name, schema, problem) => {
    expect(findSchemaProblem(schema)).toContain(problem)
  })
})
