import { describe, expect, it } from 'vitest'
import { findMismatch } from '../agents/schema/match-schema.ts'
import { sampleOf } from './call-function.ts'

const NODE = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 6, maxLength: 8 },
    next: { anyOf: [{ type: 'null' }, { $ref: '#' }] },
  },
  required: ['name', 'next'],
  additionalProperties: false,
}

describe('sampleOf', () => {
  it.each<[string, object]>([
    [
      'an object',
      {
        type: 'object',
        properties: { ok: { type: 'boolean' }, n: { type: 'integer', minimum: 3 } },
        required: ['ok', 'n'],
      },
    ],
    ['a number above a bound', { type: 'number', exclusiveMinimum: 7 }],
    ['a choice', { enum: ['pass', 'fail'] }],
    ['a constant', { const: { a: [1] } }],
    ['a list', { type: 'array', items: { type: 'string' }, minItems: 3 }],
    ['a tuple', { type: 'array', prefixItems: [{ type: 'null' }, { type: 'integer' }], minItems: 2 }],
    [
      'a definition',
      { $defs: { v: { enum: ['x'] } }, type: 'object', properties: { v: { $ref: '#/$defs/v' } }, required: ['v'] },
    ],
    ['parts', { allOf: [{ type: 'object' }, { properties: { a: { type: 'string' } }, required: ['a'] }] }],
    ['an optional text', { type: ['string', 'null'] }],
    ['a schema that contains itself', NODE],
  ])('matches the schema of %s', (_, schema) => {
    expect(findMismatch(sampleOf(schema as never), schema as never)).toBeUndefined()
  })
})
