import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runsOf } from '../../../test/support/full-counts.ts'
import { Fault } from '../fault.ts'
import type { JsonReason } from '../faults.ts'
import type { JsonValue } from '../json-value.ts'
import { parsePlainJson } from './plain-json.ts'
import { readJson } from './read-json.ts'
import { parseStrictJson } from './strict-json.ts'
import { writeCanonicalJson, writeIndentedJson, writeJson } from './write-json.ts'

const text = fc.string({ unit: 'binary' })
const key = fc.oneof(text, fc.constantFrom('__proto__', 'constructor', 'toString', '', '0', '10', 'a', 'ключ', '🙂'))
const wide = fc.bigInt({ min: -(2n ** 200n), max: 2n ** 200n }).filter((n) => !Number.isSafeInteger(Number(n)))
const fraction = fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Number.isInteger(n))
const leaf = fc.oneof(fc.constant(null), fc.boolean(), fc.maxSafeInteger(), wide, fraction, text)

const { value: anyValue } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 4 }),
    fc
      .uniqueArray(fc.tuple(key, tie('value')), { selector: ([name]) => name, maxLength: 4 })
      .map((members) => Object.fromEntries(members)),
  ),
}))

const byte = fc.oneof(fc.nat(255), fc.constantFrom(...Buffer.from('"\\{}[],:0123456789.-+eEudD8 \n\u0000')))
const edit = fc.record({ where: fc.nat(), drop: fc.nat(2), insert: fc.array(byte, { maxLength: 3 }) })
const damagedDocument = fc.tuple(anyValue, fc.array(edit, { maxLength: 4 })).map(([value, edits]) => {
  const bytes = [...Buffer.from(writeJson(value))]
  for (const { where, drop, insert } of edits) bytes.splice(where % (bytes.length + 1), drop, ...insert)
  return Uint8Array.from(bytes)
})

function read(source: string | Uint8Array): JsonValue {
  const bytes = typeof source === 'string' ? Buffer.from(source) : source
  return readJson(bytes, { input: 'document', limitBytes: 1e6, numbers: 'any' })
}

function attempt(text: string): { value: JsonValue } | { reason: JsonReason } {
  try {
    return { value: parseStrictJson(text, { input: 'document', numbers: 'any' }) }
  } catch (error) {
    if (error instanceof Fault && error.code === 'json_invalid') return { reason: error.details.reason }
    throw error
  }
}

/** The value as JSON.parse would give it. */
function rounded(value: JsonValue): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (Array.isArray(value)) return value.map(rounded)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, rounded(member)]))
}

function parsed(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** What JSON.parse lets through and the strict parser does not. */
const STRICTER = ['duplicate_key', 'lone_surrogate', 'too_deep', 'number_out_of_range']

function expectAgreement(text: string): void {
  const strict = attempt(text)
  const loose = parsed(text)
  if ('value' in strict) expect(isDeepStrictEqual(rounded(strict.value), loose?.value)).toBe(true)
  else if (loose !== undefined) expect(STRICTER).toContain(strict.reason)
  const plain = parsePlainJson(text)
  if (plain !== undefined) expect(isDeepStrictEqual({ value: plain }, strict)).toBe(true)
}

describe('what is written', () => {
  it('is read back as the same value', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        expect(isDeepStrictEqual(read(writeJson(value)), value)).toBe(true)
        expect(isDeepStrictEqual(read(writeIndentedJson(value)), value)).toBe(true)
        expect(isDeepStrictEqual(read(writeCanonicalJson(value)), value)).toBe(true)
      }),
    )
  })

  it('is written again as the same bytes after reading', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const written = writeJson(value)
        expect(writeJson(read(written))).toBe(written)
      }),
    )
  })
})

describe('readJson', () => {
  it('gives a value or a fault for documents in which random bytes were changed, dropped or put in', () => {
    fc.assert(
      fc.property(damagedDocument, (bytes) => {
        try {
          read(bytes)
        } catch (error) {
          expect(error).toMatchObject({ code: 'json_invalid' })
        }
      }),
      { numRuns: runsOf(1000) },
    )
  })
})

describe('the strict parser, the plain one and JSON.parse', () => {
  it('agree on damaged documents', () => {
    fc.assert(
      fc.property(damagedDocument, (bytes) => expectAgreement(new TextDecoder().decode(bytes))),
      { numRuns: runsOf(1000) },
    )
  })

  it('agree on texts put together from pieces of JSON', () => {
    const pieces = ['{', '}', '[', ']', ',', ':', '"a"', '"', '\\', '\\"', '\\u', 'd83d', '\\ude42', '0', '1', '-', '.']
    const more = [
      'e',
      '+',
      'true',
      'null',
      ' ',
      '\n',
      '\t',
      '{"a":',
      '[1,',
      '"a long enough text"',
      '123456789012345678',
    ]
    const pieced = fc.array(fc.constantFrom(...pieces, ...more), { maxLength: 8 }).map((parts) => parts.join(''))
    fc.assert(fc.property(pieced, expectAgreement), { numRuns: runsOf(3000) })
  })
})

describe('writers and JSON.stringify', () => {
  it('agree on every value that JSON.stringify can write', () => {
    fc.assert(
      fc.property(anyValue.map(rounded), (value) => {
        expect(writeJson(value as JsonValue)).toBe(JSON.stringify(value))
        expect(writeIndentedJson(value as JsonValue)).toBe(JSON.stringify(value, null, 2))
      }),
    )
  })
})

describe('writeCanonicalJson', () => {
  it('gives the same bytes in whatever order the members were added', () => {
    const members = fc.uniqueArray(fc.tuple(key, anyValue), { selector: ([name]) => name })
    const twoOrders = members.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
    )
    fc.assert(
      fc.property(twoOrders, ([one, other]) => {
        expect(writeCanonicalJson({ nested: Object.fromEntries(one) })).toBe(
          writeCanonicalJson({ nested: Object.fromEntries(other) }),
        )
      }),
    )
  })
})
