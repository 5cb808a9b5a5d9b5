import { describe, expect, it } from 'vitest'
import { defineFault, errorCode, Fault, isFault, tryTo } from './fault.ts'

const shelfFull = defineFault('shelf_full', 'conflict', {
  when: 'The shelf holds all it can.',
  message: (d: { books: number }) => `the shelf holds ${d.books} books; take one away first`,
})

describe('defineFault', () => {
  it('makes errors with code, kind, details, message and cause', () => {
    const cause = new Error('why')
    const fault = shelfFull({ books: 3 }, cause)
    expect(fault).toBeInstanceOf(Fault)
    expect({ ...fault, message: fault.message, cause: fault.cause }).toEqual({
      name: 'Fault',
      code: 'shelf_full',
      kind: 'conflict',
      details: { books: 3 },
      message: 'the shelf holds 3 books; take one away first',
      cause,
    })
  })

  it('has no cause if none is given', () => {
    expect('cause' in shelfFull({ books: 1 })).toBe(false)
  })

  it('has code, kind and description for the documentation', () => {
    expect({ ...shelfFull }).toEqual({ code: 'shelf_full', kind: 'conflict', when: 'The shelf holds all it can.' })
  })
})

describe('errorCode', () => {
  it.each([
    ['a system error', Object.assign(new Error('x'), { code: 'ENOENT' }), 'ENOENT'],
    ['an error without a code', new Error('x'), undefined],
    ['an error whose code is a number', Object.assign(new Error('x'), { code: 5 }), undefined],
    ['no error at all', 'ENOENT', undefined],
  ])('reads %s', (_name, error, code) => {
    expect(errorCode(error)).toBe(code)
  })
})

describe('isFault', () => {
  it('knows the faults of a maker by their code', () => {
    const other = defineFault('other', 'conflict', { when: '', message: () => 'other' })
    expect([other({}), new Error('other'), undefined].map((error) => isFault(error, other))).toEqual([
      true,
      false,
      false,
    ])
    expect(isFault(other({}), shelfFull)).toBe(false)
  })
})

describe('tryTo', () => {
  it('gives undefined for a fault, and throws any other error', () => {
    const other = defineFault('other', 'conflict', { when: '', message: () => 'other' })
    const fail = (error: Error) =>
      tryTo(() => {
        throw error
      })
    expect([tryTo(() => 1), fail(other({}))]).toEqual([1, undefined])
    expect(() => fail(new Error('a bug'))).toThrow('a bug')
  })
})
