import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type JsonValue, MAX_JSON_DEPTH } from '../json-value.ts'
import {
  jsonPieces,
  shortJsonText,
  toJsonText,
  writeCanonicalJson,
  writeIndentedJson,
  writeJson,
} from './write-json.ts'

function nested(depth: number): JsonValue {
  return depth === 1 ? [] : [nested(depth - 1)]
}

describe('writeJson', () => {
  it('keeps the order of the members and adds no white space', () => {
    expect(writeJson({ b: [1, true, null], a: { c: 'x' } })).toBe('{"b":[1,true,null],"a":{"c":"x"}}')
  })

  it.each([
    ['9007199254740993', 9_007_199_254_740_993n],
    ['-1', -1n],
    ['0', -0],
    ['1.5', 1.5],
    ['"\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f"', '"\\/\b\f\n\r\t\u0000\u001f'],
    ['"<>&\u007f\u2028\u2029é🙂"', '<>&\u007f\u2028\u2029é🙂'],
    ['{"a":1}', Object.assign(Object.create(null), { a: 1 })],
    ['{"__proto__":1}', JSON.parse('{"__proto__":1}')],
  ])('writes %s', (text, value) => {
    expect(writeJson(value)).toBe(text)
  })

  it.each([
    ['undefined', undefined, '$ cannot be written as JSON: undefined'],
    ['an undefined member', { a: { b: undefined } }, '$.a.b cannot be written as JSON: undefined'],
    ['an undefined element', [1, undefined], '$[1] cannot be written as JSON: undefined'],
    // biome-ignore lint/suspicious/noSparseArray: the hole is what is tested
    ['a hole', [1, , 2], '$[1] cannot be written as JSON: undefined'],
    ['NaN', [Number.NaN], '$[0] cannot be written as JSON: NaN'],
    ['infinity', { a: Number.NEGATIVE_INFINITY }, '$.a cannot be written as JSON: -Infinity'],
    ['a function', [() => 1], '$[0] cannot be written as JSON: function'],
    ['a symbol', [Symbol('s')], '$[0] cannot be written as JSON: symbol'],
    ['a date', { at: new Date(0) }, '$.at cannot be written as JSON: an instance of a class'],
    ['a map', [new Map()], '$[0] cannot be written as JSON: an instance of a class'],
    ['a typed array', [new Uint8Array(1)], '$[0] cannot be written as JSON: an instance of a class'],
    ['half a pair', ['\ud800'], '$[0] cannot be written as JSON: a text with a lone surrogate'],
    ['half a pair as key', { '\udc00': 1 }, '$ cannot be written as JSON: a text with a lone surrogate'],
  ])('throws on %s', (_what, value, message) => {
    expect(() => writeJson(value as JsonValue)).toThrow(new TypeError(message))
  })

  it('writes values nested to the limit and throws on one level more', () => {
    expect(writeJson(nested(MAX_JSON_DEPTH))).toBe('['.repeat(MAX_JSON_DEPTH) + ']'.repeat(MAX_JSON_DEPTH))
    expect(() => writeJson(nested(MAX_JSON_DEPTH + 1))).toThrow('more than 512 levels, or a value that holds itself')
  })

  it('throws on a circular value', () => {
    const ring: { self?: JsonValue; again?: JsonValue } = {}
    ring.self = ring
    ring.again = ring
    expect(() => writeJson(ring)).toThrow('a value that holds itself')
  })

  it('writes a shared value twice', () => {
    const shared = { a: 1 }
    expect(writeJson([shared, shared])).toBe('[{"a":1},{"a":1}]')
  })
})

describe('writeCanonicalJson', () => {
  it('sorts the members of every object by the bytes of their keys', () => {
    expect(writeCanonicalJson({ '🙂': 1, '\uffff': 2, b: [{ z: 1, a: 2 }], B: 3, '10': 4, '9': 5 })).toBe(
      '{"10":4,"9":5,"B":3,"b":[{"a":2,"z":1}],"\uffff":2,"🙂":1}',
    )
  })

  it('does not change the value', () => {
    const value = { b: 1, a: [2, 1] }
    expect(writeCanonicalJson(value)).toBe('{"a":[2,1],"b":1}')
    expect(Object.keys(value)).toEqual(['b', 'a'])
  })
})

describe('writeIndentedJson', () => {
  it('puts every member and element on its own line', () => {
    expect(writeIndentedJson({ b: [1n, {}], a: { c: [] } })).toBe(
      ['{', '  "b": [', '    1,', '    {}', '  ],', '  "a": {', '    "c": []', '  }', '}'].join('\n'),
    )
  })
})

describe('toJsonText', () => {
  it.each<[string, unknown, string]>([
    ['an ordinary value', { a: [1, null, 'x'], b: undefined }, '{"a":[1,null,"x"]}'],
    [
      'a bigint at any depth',
      { a: [{ b: 2n ** 64n }], c: -(2n ** 53n) },
      '{"a":[{"b":18446744073709551616}],"c":-9007199254740992}',
    ],
    ['half a surrogate pair beside a bigint', ['\ud800', 1n], '["\\ud800",1]'],
  ])('writes %s', (_name, value, text) => {
    expect(toJsonText(value)).toBe(text)
  })

  it('throws for a value that holds itself', () => {
    const value: unknown[] = []
    value.push(value)
    expect(() => toJsonText(value)).toThrow(TypeError)
  })
})

describe('jsonPieces', () => {
  it.each<[string, unknown]>([
    [
      'a page of many sessions',
      { sessions: Array.from({ length: 3_000 }, (_, at) => ({ at, tags: ['a'], none: undefined })) },
    ],
    ['a long text with quotes', { text: '"a\n'.repeat(100_000) }],
    ['a long text of surrogate pairs', { text: `x${'🐑'.repeat(100_000)}` }],
    ['a long text with half of a pair', { text: `${'x'.repeat(65_535)}\ud83d${'y'.repeat(65_536)}` }],
    ['a bigint', { metadata: { number: 2n ** 60n }, text: 'x'.repeat(70_000) }],
  ])('gives the same text as toJsonText for %s, in pieces', async (_name, value) => {
    const pieces = await collect(value)
    expect(pieces.join('')).toBe(toJsonText(value))
    expect(pieces.length).toBeGreaterThan(1)
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(400_000)
    expect(shortJsonText(value)).toBeUndefined()
  })

  it('gives the same text as toJsonText for every value', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        expect((await collect(value)).join('')).toBe(toJsonText(value))
        expect(shortJsonText(value)).toBe(toJsonText(value))
      }),
    )
  })
})

async function collect(value: unknown): Promise<string[]> {
  const pieces: string[] = []
  for await (const piece of jsonPieces(value)) pieces.push(piece)
  return pieces
}
