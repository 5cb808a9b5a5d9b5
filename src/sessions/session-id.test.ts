import { describe, expect, it } from 'vitest'
import { randomIds } from '../kit/ids.ts'
import { idsBeginningWith, newSessionId, parseIdOrPrefix } from './session-id.ts'

describe('newSessionId', () => {
  it('returns 32 random lowercase hexadecimal digits', () => {
    expect(newSessionId(randomIds)).toMatch(/^[0-9a-f]{32}$/)
    expect(newSessionId(randomIds)).not.toBe(newSessionId(randomIds))
  })
})

describe('parseIdOrPrefix', () => {
  const whole = '0123456789abcdef'.repeat(2)

  it.each(['0123', whole])('accepts 4 to 32 characters: %s', (text) => {
    expect(parseIdOrPrefix(text)).toEqual({ from: text, below: `${text}g` })
  })

  it.each([
    ['', 'give at least its first 4 characters'],
    ['012', 'give at least its first 4 characters'],
    [`${whole}0`, 'an id has 32 characters'],
    ['ABCD', 'an id has only the digits 0-9 and a-f'],
    ['abcg', 'an id has only the digits 0-9 and a-f'],
    ['../x', 'an id has only the digits 0-9 and a-f'],
    ['abcd\n', 'an id has only the digits 0-9 and a-f'],
    ['12%', 'an id has only the digits 0-9 and a-f'],
  ])('refuses %j: %s', (id, rule) => {
    expect(() => parseIdOrPrefix(id)).toThrow(
      expect.objectContaining({ code: 'session_id_malformed', kind: 'invalid', details: { id, rule } }),
    )
  })
})

describe('idsBeginningWith', () => {
  it.each([
    ['a', { from: 'a', below: 'ag' }],
    ['', undefined],
    ['A', undefined],
    ['hello', undefined],
    ['0'.repeat(32), { from: '0'.repeat(32), below: `${'0'.repeat(32)}g` }],
    ['0'.repeat(33), undefined],
  ])('of %j gives %j', (text, range) => {
    expect(idsBeginningWith(text)).toEqual(range)
  })
})
