import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runsOf } from '../../../test/support/full-counts.ts'
import { findSchemaProblem } from './check-schema.ts'
import { findMismatch } from './match-schema.ts'

const VERDICT = {
  type: 'object',
  properties: { verdict: { enum: ['pass', 'fail'] }, count: { type: 'integer', minimum: 0 } },
  required: ['verdict', 'count'],
  additionalProperties: false,
}

describe('the first mismatch', () => {
  it.each<[unknown, Record<string, unknown>, string | undefined]>([
    [{ verdict: 'pass', count: 3 }, VERDICT, undefined],
    [{ verdict: 'maybe', count: 3 }, VERDICT, '$.verdict must be one of "pass","fail"'],
    [{ verdict: 'pass', count: 'three' }, VERDICT, '$.count must be of type integer'],
    [{ verdict: 'pass', count: -1 }, VERDICT, '$.count must be at least 0'],
    [{ verdict: 'pass' }, VERDICT, '$ must have the property "count"'],
    [{ verdict: 'pass', count: 1, extra: 1 }, VERDICT, '$.extra is not allowed'],
    ['text', VERDICT, '$ must be of type object'],
    [[1, 'a'], { prefixItems: [{ type: 'number' }], items: { type: 'number' } }, '$[1] must be of type number'],
    ['\u{1f600}', { maxLength: 1 }, undefined],
    ['\u{1f600}', { minLength: 2 }, '$ must have at least 2 characters'],
    ['abc', { pattern: '^b' }, '$ must match ^b'],
    [0.3, { multipleOf: 0.1 }, undefined],
    [
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      { uniqueItems: true },
      '$ must not contain an item twice',
    ],
    [1, { anyOf: [{ type: 'string' }, { type: 'null' }] }, '$ must match one of anyOf'],
    [1, { oneOf: [{ type: 'integer' }, { type: 'number' }] }, '$ must match exactly one of oneOf'],
    [1, { not: { type: 'number' } }, '$ must not match "not"'],
    [
      { next: { next: 1 } },
      { properties: { next: { $ref: '#' } }, type: 'object' },
      '$.next.next must be of type object',
    ],
    [
      { __proto__x: 1 },
      { properties: {}, additionalProperties: { type: 'string' } },
      '$.__proto__x must be of type string',
    ],
  ])('of %j in %j is %s', (value, schema, mismatch) => {
    expect(findSchemaProblem(schema)).toBeUndefined()
    expect(findMismatch(value, schema)).toBe(mismatch)
  })

  it('is found as by ajv', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    const leaf = fc.oneof(
      fc.constantFrom('null', 'boolean', 'number', 'integer', 'string', 'object', 'array').map((type) => ({ type })),
      fc.record({ minimum: fc.integer({ min: -3, max: 3 }), exclusiveMaximum: fc.integer({ min: -3, max: 3 }) }),
      fc.record({ minLength: fc.nat(3), maxLength: fc.nat(3) }),
      fc.record({ minItems: fc.nat(2), maxItems: fc.nat(2), uniqueItems: fc.boolean() }),
      fc
        .uniqueArray(fc.jsonValue({ maxDepth: 1 }), { minLength: 1, maxLength: 3 })
        .map((choices) => ({ enum: choices })),
      fc.jsonValue({ maxDepth: 1 }).map((only) => ({ const: only })),
      fc.constantFrom(true, false),
    )
    const { schema } = fc.letrec<{ schema: unknown }>((tie) => ({
      schema: fc.oneof(
        { depthSize: 'small' },
        leaf,
        fc.record({
          properties: fc.dictionary(fc.constantFrom('a', 'b'), tie('schema'), { maxKeys: 2, noNullPrototype: true }),
          additionalProperties: tie('schema'),
          required: fc.subarray(['a', 'b']),
        }),
        fc.record({ items: tie('schema') }),
        fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
        fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((oneOf) => ({ oneOf })),
        fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((allOf) => ({ allOf })),
        tie('schema').map((not) => ({ not })),
      ),
    }))
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.jsonValue({ maxDepth: 1 }), { noNullPrototype: true }),
      fc.array(fc.integer({ min: -3, max: 3 })),
    )
    fc.assert(
      fc.property(schema, value, (part, given) => {
        const whole = { allOf: [part as object] }
        expect(findSchemaProblem(whole)).toBeUndefined()
        // ajv calls these as functions when it compares values.
        fc.pre(!/"(?:valueOf|toString)":/.test(JSON.stringify([part, given])))
        const instance: unknown = JSON.parse(JSON.stringify(given))
        expect(findMismatch(instance, whole) === undefined).toBe(ajv.validate(whole, instance))
      }),
      { numRuns: runsOf(300) },
    )
  })
})

describe('a hostile schema', () => {
  /** The time that this thread was at work: on a busy machine it waits for others too. */
  const workedMs = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }

  it('with a catastrophic pattern is stopped soon', () => {
    const startedAt = workedMs()
    const value = Array.from({ length: 50 }, () => `${'a'.repeat(60)}!`)
    expect(findMismatch(value, { items: { pattern: '^(a+)+$' } })).toMatch(/^\$\[0\] takes too long to be matched/)
    expect(workedMs() - startedAt).toBeLessThan(1000)
  })

  it.each<[string, Record<string, unknown>, unknown]>([
    ['that refers to itself', { $ref: '#' }, 1],
    [
      'that refers to itself in a circle',
      { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
      1,
    ],
    ['that doubles the work at each step', { anyOf: [{ $ref: '#' }, { $ref: '#' }] }, 1],
  ])('%s is stopped soon', (_name, schema, value) => {
    const startedAt = workedMs()
    expect(findMismatch(value, schema)).toBeDefined()
    expect(workedMs() - startedAt).toBeLessThan(2000)
  })

  it('and a deep answer are stopped', () => {
    const deep = JSON.parse(`${'['.repeat(1000)}${']'.repeat(1000)}`)
    expect(findMismatch(deep, { items: { $ref: '#' } })).toMatch(/ is too large to be checked$/)
  })
})
