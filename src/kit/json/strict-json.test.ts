import { describe, expect, it } from 'vitest'
import { Fault } from '../fault.ts'
import type { JsonPlace, JsonReason } from '../faults.ts'
import { MAX_JSON_DEPTH } from '../json-value.ts'
import { parseStrictJson } from './strict-json.ts'

type Details = { reason: JsonReason; place: JsonPlace }

const parse = (text: string) => parseStrictJson(text, { input: 'outcome', numbers: 'integers' })
const parseAny = (text: string) => parseStrictJson(text, { input: 'outcome', numbers: 'any' })

function refusal(text: string, read = parse): Details {
  try {
    read(text)
  } catch (error) {
    if (error instanceof Fault && error.code === 'json_invalid') return error.details
    throw error
  }
  throw new Error('the text was read')
}

describe('the syntax of JSON', () => {
  it.each([
    ['null', null],
    ['true', true],
    [' \t\r\nfalse\n', false],
    ['""', ''],
    ['"fifteen letters"', 'fifteen letters'],
    ['"sixteen letters!"', 'sixteen letters!'],
    ['"and more letters than sixteen"', 'and more letters than sixteen'],
    ['"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041"', '"\\/\b\f\n\r\tA'],
    ['"ends in a backslash\\\\"', 'ends in a backslash\\'],
    ['"a text with \\"three\\" quotes\\""', 'a text with "three" quotes"'],
    ['"and a quote\\\\\\""', 'and a quote\\"'],
    ['"\\ud83d\\ude42"', '🙂'],
    ['"🙂 \u2028\u007f\ufeff"', '🙂 \u2028\u007f\ufeff'],
    ['[]', []],
    ['[ 1 , [ ] , { } ]', [1, [], {}]],
    ['{}', {}],
    ['{ "a" : { "b" : [ null ] } , "c" : 0 }', { a: { b: [null] }, c: 0 }],
    ['{"a":1,"A":2,"":3}', { a: 1, A: 2, '': 3 }],
  ])('%s', (text, value) => {
    expect(parse(text)).toEqual(value)
  })

  it.each([
    ['{"a":1,}', '$', 8],
    ['{,}', '$', 2],
    ["{'a':1}", '$', 2],
    ['{a:1}', '$', 2],
    ['{"a"', '$.a', 5],
    ['{"a":}', '$.a', 6],
    ['{"a":1 "b":2}', '$', 8],
    ['{"a":1]', '$', 7],
    ['[1,]', '$[1]', 4],
    ['[,1]', '$[0]', 2],
    ['[1 2]', '$', 4],
    ['[1}', '$', 3],
    ['[', '$[0]', 2],
    [']', '$', 1],
    ['nul', '$', 1],
    ['[tru]', '$[0]', 2],
    ['[True]', '$[0]', 2],
    ['NaN', '$', 1],
    ['[-]', '$[0]', 2],
    ['[+1]', '$[0]', 2],
    ['[.5]', '$[0]', 2],
    ['[01]', '$', 3],
    ['[-01]', '$', 4],
    ['[1.]', '$', 3],
    ['[1e]', '$', 3],
    ['[1e+]', '$', 3],
    ['[0x1]', '$', 3],
    ['[1_0]', '$', 3],
    ['["a]', '$[0]', 5],
    ['["a\\"]', '$[0]', 7],
    ['["a\\', '$[0]', 4],
    ['["a\nb"]', '$[0]', 4],
    ['["a\u0000"]', '$[0]', 4],
    ['["a\u001f"]', '$[0]', 4],
    ['["ok\\n\\x"]', '$[0]', 7],
    ['["\\u12g4"]', '$[0]', 3],
    ['["a long text with a raw tab\t"]', '$[0]', 29],
    ['["\\\\\\"\\"]', '$[0]', 10],
    ['{"a\\q":1}', '$', 4],
    ['[1] // no', '$', 5],
    ['/* no */ 1', '$', 1],
    ['\u00a01', '$', 1],
    ['[\ufeff1]', '$[0]', 2],
  ])('not %j', (text, location, column) => {
    const { reason, place } = refusal(text)
    expect(reason).toBe(text.startsWith('[1] ') ? 'trailing_content' : 'syntax')
    expect(place).toEqual({ location, line: 1, column })
  })

  it.each([
    ['[1,\n 2,\n  x]', { location: '$[2]', line: 3, column: 3 }],
    ['[1,\r\n x]', { location: '$[1]', line: 2, column: 2 }],
    ['[\n "a\\q"]', { location: '$[0]', line: 2, column: 4 }],
    ['["🙂é", x]', { location: '$[1]', line: 1, column: 8 }],
    ['[\n', { location: '$[0]', line: 2, column: 1 }],
    ['{"a":{"odd key":[{},x]}}', { location: '$.a["odd key"][1]', line: 1, column: 21 }],
    ['{"a":[{"b":1}],"c":x}', { location: '$.c', line: 1, column: 20 }],
    ['{"a":{"b":1},"\\u0061":2}', { location: '$.a', line: 1, column: 14 }],
    ['[{"a":1},{"b":{"c":1,\n"c":2}}]', { location: '$[1].b.c', line: 2, column: 1 }],
    ['{"a":{"\\ud800":1}}', { location: '$.a', line: 1, column: 7 }],
    ['{"a":[0, 1e1]}', { location: '$.a[1]', line: 1, column: 10 }],
    ['[0.5, 1.5]', { location: '$[0]', line: 1, column: 2 }],
  ])('reports the position of the error in %j', (text, place) => {
    expect(refusal(text).place).toEqual(place)
  })
})

describe('depth', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

  it('may reach the limit but not exceed it', () => {
    expect(JSON.stringify(parse(nested(MAX_JSON_DEPTH)))).toBe(nested(MAX_JSON_DEPTH))
    expect(refusal(nested(MAX_JSON_DEPTH + 1))).toMatchObject({
      reason: 'too_deep',
      place: { location: `$${'[0]'.repeat(MAX_JSON_DEPTH)}`, line: 1, column: MAX_JSON_DEPTH + 1 },
    })
    expect(refusal('{"a":'.repeat(MAX_JSON_DEPTH + 1)).reason).toBe('too_deep')
  })

  it('is not the number of objects and arrays', () => {
    expect(parse(`[${'[[]],{"a":{}},'.repeat(MAX_JSON_DEPTH)}[]]`)).toHaveLength(2 * MAX_JSON_DEPTH + 1)
  })
})

describe('keys', () => {
  it.each([
    '{"a":1,"b":2,"a":3}',
    '{"a":1,"\\u0061":2}',
    '{"":1,"":2}',
    '{"x":[{"k":1,"k":1}]}',
    '{"a key that is longer than twelve":1,"a key that is longer than twelve":1}',
    '{"__proto__":1,"__proto__":2}',
    '{"1":1,"1":2}',
  ])('may not be repeated: %s', (text) => {
    expect(refusal(text).reason).toBe('duplicate_key')
  })

  it.each(['{"a":1,"A":1}', '[{"a":1},{"a":1}]', '{"a":{"a":1}}', '{"é":1,"e\u0301":1}'])('may differ: %s', (text) => {
    expect(JSON.stringify(parse(text))).toBe(text)
  })

  it.each(['toString', 'constructor', 'hasOwnProperty'])('may be named like %s, which every object inherits', (key) => {
    expect(Object.entries(parse(`{"${key}":1}`) as object)).toEqual([[key, 1]])
  })

  it('named __proto__ are members and do not change the prototype', () => {
    const value = parse('{"__proto__":{"admin":true}}') as Record<string, unknown>
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(value['admin']).toBeUndefined()
    expect(JSON.stringify(value)).toBe('{"__proto__":{"admin":true}}')
  })
})

describe('surrogates', () => {
  it.each([
    '"\\ud800"',
    '"\\udc00"',
    '"\\ud83d\\ud83d"',
    '"\\ude42\\ud83d"',
    '"\\ud83dx\\ude42"',
    '{"\\uDBFF":1}',
    '"🙂\\ud800"',
  ])('are refused in %s', (text) => {
    expect(refusal(text).reason).toBe('lone_surrogate')
  })
})

describe('numbers', () => {
  it.each([
    ['0', 0],
    ['-0', -0],
    ['7', 7],
    ['-12', -12],
    ['999999999999999', 999_999_999_999_999],
    ['9007199254740991', 9_007_199_254_740_991],
    ['9007199254740992', 9_007_199_254_740_992n],
    ['9007199254740993', 9_007_199_254_740_993n],
    ['-9007199254740991', -9_007_199_254_740_991],
    ['-9007199254740993', -9_007_199_254_740_993n],
    ['1700000000000000001', 1_700_000_000_000_000_001n],
  ])('%s is exact', (text, value) => {
    expect(parse(text)).toBe(value)
  })

  it.each(['1.0', '1e0', '1E2', '-0.0', '0e1', '1.5', '-1.5e-3', '9007199254740993.0'])(
    '%s is not an integer, and is read only if any number is allowed',
    (text) => {
      expect(refusal(text).reason).toBe('not_an_integer')
      expect(parseAny(text)).toBe(Number(text))
    },
  )

  it('stay within the range of a double in every notation', () => {
    // Half way between the largest double and where the next would be: from here on they round to infinity.
    const past = 2n ** 1024n - 2n ** 970n
    expect(parse(`${past - 1n}`)).toBe(past - 1n)
    expect(refusal(`${past}`).reason).toBe('number_out_of_range')
    expect(refusal(`-${past}`).reason).toBe('number_out_of_range')
    expect(refusal('-1e309', parseAny).reason).toBe('number_out_of_range')
    expect(parseAny('1e-400')).toBe(0)
  })
})
