import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { fieldsOf, formOf } from '../../scripts/form-of-shape.ts'
import { loadValidators } from '../../test/support/load-validators.ts'
import { problemsOf } from '../../test/support/problems.ts'
import { checkerInOrder, fieldSteps, type IndexedItem, ofItem, onEach, step } from './check-in-order.ts'
import { literals, named, strict } from './shape.ts'

const Stop = named('stop', strict({ name: Type.String({ minLength: 1 }), minute: Type.Integer({ minimum: 0 }) }))
const Line = named(
  'line',
  strict({
    number: Type.Integer({ minimum: 1 }),
    kind: literals(['bus', 'tram']),
    stops: Type.Array(Stop, { maxItems: 3 }),
    depot: Type.Optional(strict({ street: Type.String() })),
  }),
)
type Stop = { name: string; minute: number }
type Line = { number: number; kind: string; stops: Stop[]; depot?: { street: string } }

const validators = await loadValidators({ form: formOf(Line), fields: fieldsOf(Line), stopFields: fieldsOf(Stop) })
const field = fieldSteps<Line>(validators.fields)
const stop = fieldSteps<Stop>(validators.stopFields)

/** Deliberately not in the order of the shape. */
const check = checkerInOrder<Line>('line', [
  step(validators.form),
  field.required('kind'),
  field.required('number'),
  onEach('stops', [
    ofItem(stop.required('minute')),
    ofItem(stop.required('name')),
    ({ item, index, whole }: IndexedItem<Stop, Line>) =>
      whole.stops[index - 1]?.name === item.name ? [{ path: '$.name', rule: 'must not be there twice' }] : [],
  ]),
  field.optional('depot'),
])

const line = { number: 7, kind: 'tram', stops: [{ name: 'Quay', minute: 0 }], depot: { street: 'Mill Lane' } }
const firstOf = (value: unknown) => problemsOf(check, value).map(({ path, rule }) => `${path} ${rule}`)

describe('checkerInOrder', () => {
  it('returns a valid value unchanged', () => {
    expect(check(line)).toBe(line)
    const { depot: _, ...rest } = line
    expect(check(rest)).toBe(rest)
  })

  it.each([
    ['no object', [], '$ must be an object'],
    ['an unknown name deep inside before a type', { ...line, number: 'x', stops: [{ zz: 1 }] }, '$.stops[0].zz is not'],
    ['null before a type', { ...line, number: 'x', stops: [{ name: null }] }, '$.stops[0].name must be a string'],
    ['null for a word', { ...line, kind: null, number: 'x' }, '$.kind must be a string'],
    [
      'a type deep inside before a value',
      { ...line, kind: 'x', stops: [{ minute: 'x' }] },
      '$.stops[0].minute must be',
    ],
    ['the first step before the next', { ...line, kind: 'x', number: 0 }, '$.kind must be one of "bus", "tram"'],
    ['what is missing, in its place', { kind: 'bus', stops: [{}] }, '$.number is required'],
    ['a list that is null, in its place', { ...line, number: 0, stops: null }, '$.number must be at least 1'],
    ['the first item before the next', { ...line, stops: [{ name: '', minute: 0 }, {}] }, '$.stops[0].name must not'],
    ['the first step of an item', { ...line, stops: [{ name: '', minute: -1 }] }, '$.stops[0].minute must be at'],
    ['an item among others', { ...line, stops: [line.stops[0], line.stops[0]] }, '$.stops[1].name must not be there'],
    ['an optional object that is null, last', { ...line, depot: null }, '$.depot must be an object'],
    ['an optional object without its field', { ...line, depot: {} }, '$.depot.street is required'],
  ])('reports %s', (_name, value, says) => {
    expect(firstOf(value)).toEqual([expect.stringContaining(says)])
  })
})
