import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { createSchemaBook } from '../../scripts/openapi/schema.ts'
import { literals, meaning, named, stated, strict, tagged, textLike, textUpToBytes } from '../../src/kit/shape.ts'

const schemaOf = (shape: Parameters<ReturnType<typeof createSchemaBook>['schemaOf']>[0]) =>
  createSchemaBook().schemaOf(shape)

const Thing = named('Thing', Type.Object({ a: Type.String() }))
const thing = { type: 'object', required: ['a'], properties: { a: { type: 'string' } } }

describe('a shape in OpenAPI 3.0', () => {
  it.each([
    ['a literal', Type.Literal('x'), { type: 'string', enum: ['x'] }],
    ['a true', Type.Literal(true), { type: 'boolean', enum: [true] }],
    ['one of several words', literals(['a', 'b']), { type: 'string', enum: ['a', 'b'] }],
    ['any value', Type.Unknown({ description: 'Any.' }), { description: 'Any.' }],
    ['null alone', Type.Null(), { type: 'string', nullable: true, description: 'Always null.' }],
    [
      'a text or null',
      Type.Union([Type.String(), Type.Null()], { description: 'D.' }),
      { type: 'string', nullable: true, description: 'D.' },
    ],
    [
      'a literal or null',
      Type.Union([Type.Literal('x'), Type.Null()]),
      { type: 'string', enum: ['x', null], nullable: true },
    ],
    [
      'several types or null',
      Type.Union([Type.String(), Type.Integer(), Type.Null()]),
      { anyOf: [{ type: 'string', nullable: true }, { type: 'integer' }] },
    ],
    [
      'a union or null',
      Type.Union([Type.Union([Type.String(), Type.Integer()]), Type.Null()]),
      { anyOf: [{ type: 'string', nullable: true }, { type: 'integer' }] },
    ],
    [
      'a closed object with a list',
      strict({ list: Type.Optional(Type.Array(Type.Literal(1), { maxItems: 2 })) }),
      {
        type: 'object',
        properties: { list: { type: 'array', items: { type: 'number', enum: [1] }, maxItems: 2 } },
        additionalProperties: false,
      },
    ],
    [
      'a text with a pattern and its description',
      textLike('^a', 'something with a'),
      { type: 'string', pattern: '^a', description: 'something with a' },
    ],
    [
      'an optional field with a default, which a generator must not take as required',
      Type.Object({ a: Type.Optional(Type.Boolean({ description: 'D.', default: false })) }),
      { type: 'object', properties: { a: { type: 'boolean', description: 'D. Default: `false`.' } } },
    ],
    ['a rule that only code checks', Type.String(stated({ pattern: '^a' })), { type: 'string', pattern: '^a' }],
    ['a text with a limit in bytes', textUpToBytes(9), { type: 'string', maxLength: 9 }],
  ])('is correct for %s', (_, shape, schema) => {
    expect(schemaOf(shape)).toEqual(schema)
  })

  it('is a bare reference if the shape has a name', () => {
    const book = createSchemaBook()
    expect(book.schemaOf(Type.Array(Thing))).toEqual({ type: 'array', items: { $ref: '#/components/schemas/Thing' } })
    expect(book.schemaOf(meaning('Here.', Thing))).toEqual({
      description: 'Here.',
      allOf: [{ $ref: '#/components/schemas/Thing' }],
    })
    expect(book.components()).toEqual({ Thing: thing })
  })

  it('allows null beside the reference to a named part', () => {
    const either = {
      anyOf: [{ $ref: '#/components/schemas/Thing' }, { type: 'object', nullable: true, maxProperties: 0 }],
    }
    expect(schemaOf(Type.Union([Thing, Type.Null()]))).toEqual(either)
  })

  it('has a discriminator for a tagged union', () => {
    const branch = (name: string, kind: string) =>
      named(name, Type.Object({ x: Type.String(), kind: Type.Literal(kind) }))
    const book = createSchemaBook()
    book.schemaOf(named('Either', tagged('kind', [branch('A', 'a'), branch('B', 'b')])))
    expect(book.components()['Either']).toEqual({
      oneOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }],
      discriminator: {
        propertyName: 'kind',
        mapping: { a: '#/components/schemas/A', b: '#/components/schemas/B' },
      },
    })
  })

  it('is an error if OpenAPI has no keyword for it', () => {
    expect(() => schemaOf(Type.Record(Type.String(), Type.String()))).toThrow('no keyword for patternProperties')
  })
})
