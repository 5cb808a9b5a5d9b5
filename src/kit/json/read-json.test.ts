import { describe, expect, it } from 'vitest'
import { Fault } from '../fault.ts'
import type { JsonPlace, JsonReason } from '../faults.ts'
import { MAX_JSON_DEPTH } from '../json-value.ts'
import { type ReadJsonOptions, readJson } from './read-json.ts'

type Options = Partial<ReadJsonOptions>
type Details = { input: string; reason: JsonReason; problem: string; place?: JsonPlace }

const LIMIT = 64
const DEPTH_LIMIT = 4 * MAX_JSON_DEPTH

function read(source: string | Uint8Array, options: Options = {}) {
  const bytes = typeof source === 'string' ? Buffer.from(source) : source
  return readJson(bytes, { input: 'outcome', limitBytes: DEPTH_LIMIT, ...options })
}

function refusal(source: string | Uint8Array, options: Options = {}): Fault<Details> {
  try {
    read(source, options)
  } catch (error) {
    if (error instanceof Fault && error.code === 'json_invalid') return error
    throw error
  }
  throw new Error('the text was read')
}

function reason(source: string | Uint8Array, options: Options = {}): JsonReason {
  return refusal(source, options).details.reason
}

const bytes = (...values: number[]) => new Uint8Array(values)
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

const REASONS: [JsonReason, string | Uint8Array, string][] = [
  ['too_large', ' '.repeat(LIMIT + 1), 'outcome is not usable JSON: it has 65 bytes and may have at most 64'],
  ['not_utf8', bytes(0x22, 0xff, 0x22), 'outcome is not usable JSON: it is not UTF-8 text; save it as UTF-8'],
  [
    'byte_order_mark',
    '\ufeff{}',
    'outcome is not usable JSON: it starts with a byte order mark; save it as UTF-8 without one',
  ],
  ['empty', ' \t\r\n', 'outcome is not usable JSON: it is empty; one JSON value is expected'],
  ['syntax', '{"a":1', 'outcome is not usable JSON at $ (line 1, column 7): it ends where "," or "}" is expected'],
  [
    'duplicate_key',
    '{"a":1,"a":2}',
    'outcome is not usable JSON at $.a (line 1, column 8): the object has this key already',
  ],
  [
    'lone_surrogate',
    '["\\ud800"]',
    'outcome is not usable JSON at $[0] (line 1, column 2): a lone surrogate is not a character; write both halves of the pair',
  ],
  [
    'number_out_of_range',
    '1e400',
    'outcome is not usable JSON at $ (line 1, column 1): the largest number is about 1.79e308',
  ],
  ['trailing_content', '{} {}', 'outcome is not usable JSON at $ (line 1, column 4): nothing may follow the value'],
  [
    'not_an_integer',
    '{"n":1.0}',
    'outcome is not usable JSON at $.n (line 1, column 6): write it as a whole number, without fraction or exponent',
  ],
]

describe('readJson', () => {
  it.each(REASONS)('refuses with the reason %s', (expected, source, message) => {
    const fault = refusal(source, { limitBytes: LIMIT })
    expect(fault.details).toMatchObject({ input: 'outcome', reason: expected })
    expect(fault.message).toBe(message)
    expect(fault.kind).toBe('invalid')
  })

  it.each<[JsonReason, JsonReason, string | Uint8Array]>([
    ['too_large', 'not_utf8', new Uint8Array(LIMIT + 1).fill(0xff)],
    ['not_utf8', 'byte_order_mark', bytes(0xef, 0xbb, 0xbf, 0xff)],
    ['byte_order_mark', 'empty', '\ufeff '],
    ['byte_order_mark', 'syntax', '\ufeff{'],
    ['syntax', 'duplicate_key', '{"a" 1,"a":2}'],
    ['duplicate_key', 'syntax', '{"a":1,"a" 2}'],
    ['syntax', 'lone_surrogate', '[x,"\\ud800"]'],
    ['lone_surrogate', 'syntax', '["\\ud800",x]'],
    ['lone_surrogate', 'duplicate_key', '{"a":"\\ud800","a":1}'],
    ['duplicate_key', 'trailing_content', '{"a":1,"a":2} x'],
    ['number_out_of_range', 'trailing_content', '1e400 x'],
    ['syntax', 'not_an_integer', '[1.5,x]'],
    ['duplicate_key', 'not_an_integer', '{"a":1.5,"a":2}'],
    ['trailing_content', 'not_an_integer', '1.5 x'],
  ])('reports %s before %s', (first, _second, source) => {
    expect(reason(source, { limitBytes: LIMIT })).toBe(first)
  })

  it('reads as many bytes as the limit and refuses one more', () => {
    expect(read(' '.repeat(LIMIT - 1) + 7, { limitBytes: LIMIT })).toBe(7)
    expect(reason(' '.repeat(LIMIT) + 7, { limitBytes: LIMIT })).toBe('too_large')
    expect(reason('"éé"', { limitBytes: 5 })).toBe('too_large')
  })

  it('reads values nested to the limit and refuses one level more', () => {
    expect(JSON.stringify(read(nested(MAX_JSON_DEPTH)))).toBe(nested(MAX_JSON_DEPTH))
    expect(reason(nested(MAX_JSON_DEPTH + 1))).toBe('too_deep')
  })

  it('survives a text of only opening brackets', () => {
    expect(reason('['.repeat(1_000_000), { limitBytes: 1_000_000 })).toBe('too_deep')
  })

  it.each([
    ['an overlong encoding', bytes(0x22, 0xc0, 0xaf, 0x22)],
    ['a surrogate in UTF-8', bytes(0x22, 0xed, 0xa0, 0x80, 0x22)],
    ['a cut character', bytes(0x22, 0xe2, 0x82)],
    ['a code point past U+10FFFF', bytes(0x22, 0xf4, 0x90, 0x80, 0x80, 0x22)],
  ])('refuses %s as not UTF-8', (_what, source) => {
    expect(reason(source)).toBe('not_utf8')
  })

  it('accepts fractions and exponents only if any number is allowed', () => {
    expect(reason('[1.0]')).toBe('not_an_integer')
    expect(reason('[1.0]', { numbers: 'integers' })).toBe('not_an_integer')
    expect(read('[1.0, 2e3]', { numbers: 'any' })).toEqual([1, 2000])
  })

  it('reads integers beyond 2^53 exactly', () => {
    expect(read('{"modified_unix_nano":1700000000000000001}')).toEqual({
      modified_unix_nano: 1_700_000_000_000_000_001n,
    })
  })
})
