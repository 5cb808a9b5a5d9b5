import { describe, expect, it } from 'vitest'
import { countAt, isShallow, objectAt, objectsAt, parseObject, textAt, textsAt, toText } from './json-fields.ts'

const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)])

describe('fields of JSON from another program', () => {
  it.each([
    ['{"a":1}', { a: 1 }],
    ['  {"a":1}\r', { a: 1 }],
    ['[1]', undefined],
    ['{"a":', undefined],
    ['null', undefined],
    ['', undefined],
  ])('parseObject reads %j as %j', (text, value) => {
    expect(parseObject(text)).toEqual(value)
  })

  it('finds the first field of the right type', () => {
    const object = { a: 1, b: 'x', c: { d: 2 }, e: -1, f: 1.5, g: 2 ** 53, h: [1, 'y', { z: 3 }] }
    expect(textAt(object, 'a', 'b')).toBe('x')
    expect(textAt(object, 'a', 'missing')).toBeUndefined()
    expect(textAt(undefined, 'a')).toBeUndefined()
    expect(countAt(object, 'b', 'a')).toBe(1)
    expect([countAt(object, 'e'), countAt(object, 'f'), countAt(object, 'g')]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect(objectAt(object, 'h', 'c')).toEqual({ d: 2 })
    expect(objectsAt(object, 'h')).toEqual([{ z: 3 }])
    expect(textsAt(object, 'h')).toEqual(['y'])
    expect([objectsAt(object, 'c'), textsAt(object, 'b')]).toEqual([[], []])
  })

  it.each([
    ['x', 'x'],
    [null, undefined],
    [undefined, undefined],
    [[{ type: 'text', text: 'a' }, 'b', 3], 'a\n"b"\n3'],
    [{ a: 1 }, '{"a":1}'],
    [false, 'false'],
  ])('toText turns %j into %j', (value, text) => {
    expect(toText(value)).toBe(text)
  })

  it('isShallow allows 100 levels', () => {
    expect(isShallow(nested(100))).toBe(true)
    expect(isShallow(nested(101))).toBe(false)
  })
})
