import { describe, expect, it } from 'vitest'
import { checkMoment, checkNotEmpty, checkPage, checkSearch, checkTag, checkTags, checkTitle } from './session-rules.ts'

const refusal = (field: string, rule: string) =>
  expect.objectContaining({ code: 'session_field_invalid', kind: 'invalid', details: { field, rule } })

describe('checkTag', () => {
  it.each(['a', '0', 'a-b_c', 'x'.repeat(32)])('accepts %s', (tag) => expect(checkTag(tag)).toBe(tag))

  it.each(['', 'x'.repeat(33), 'A', 'a b', 'ä', 'a\n', 'a,b'])('refuses %j', (tag) => {
    expect(() => checkTag(tag)).toThrow(
      refusal(`the tag ${JSON.stringify(tag)}`, 'must have 1 to 32 of the characters a-z, 0-9, _ and -'),
    )
  })
})

describe('checkTags', () => {
  const tags = (count: number) => Array.from({ length: count }, (_, at) => `t${at}`)

  it('removes duplicates and keeps the order', () => {
    expect(checkTags(['b', 'a', 'b'])).toEqual(['b', 'a'])
  })

  it('accepts 64 tags, but no more', () => {
    expect(checkTags([...tags(64), 't0'])).toEqual(tags(64))
    expect(() => checkTags(tags(65))).toThrow(refusal('tags', 'must be at most 64'))
  })
})

describe('checkTitle', () => {
  it.each(['x', '🙂'.repeat(200), 'a "title", déjà vu'])('accepts %s', (title) => expect(checkTitle(title)).toBe(title))

  it.each(['', 'x'.repeat(201), '🙂'.repeat(201)])('refuses %j for its length', (title) => {
    expect(() => checkTitle(title)).toThrow(refusal('title', 'must have 1 to 200 characters'))
  })

  it.each([' ', '\u3000 '])('refuses %j as blank', (title) => {
    expect(() => checkTitle(title)).toThrow(refusal('title', 'must not be only white space'))
  })

  it.each(['a\nb', 'a\tb', '\u001b[2J', 'a\u0085b', 'a\u2028b', 'a\0'])('refuses the characters in %j', (title) => {
    expect(() => checkTitle(title)).toThrow(refusal('title', 'must be one line without control characters'))
  })
})

describe('checkSearch', () => {
  it('accepts up to 200 characters', () => {
    expect(checkSearch('🙂'.repeat(200))).toBe('🙂'.repeat(200))
    expect(() => checkSearch('x'.repeat(201))).toThrow(refusal('search', 'must have at most 200 characters'))
  })

  it('refuses NUL, where SQLite would stop reading', () => {
    expect(() => checkSearch('a\0b')).toThrow(refusal('search', 'must not contain a NUL character'))
  })
})

describe('checkNotEmpty', () => {
  it('refuses only an empty text', () => {
    expect(checkNotEmpty('model', ' ')).toBe(' ')
    expect(() => checkNotEmpty('model', '')).toThrow(refusal('model', 'must not be empty'))
  })
})

describe('checkMoment', () => {
  it.each([
    ['2026-01-31T09:30:00Z', '2026-01-31T09:30:00.000Z'],
    ['2026-01-31T09:30:00.5Z', '2026-01-31T09:30:00.500Z'],
    ['2026-01-31t09:30:00z', '2026-01-31T09:30:00.000Z'],
    ['2026-01-31T09:30:00+02:00', '2026-01-31T07:30:00.000Z'],
  ])('converts %s to %s', (moment, stored) => expect(checkMoment('since', moment)).toBe(stored))

  it.each(['', 'yesterday', '2026-01-31', '2026-01-31T09:30:00', '2026-13-01T00:00:00Z', '1769851800'])(
    'refuses %j',
    (moment) => {
      expect(() => checkMoment('since', moment)).toThrow(
        refusal('since', 'must be a time such as 2026-01-31T09:30:00Z'),
      )
    },
  )
})

describe('checkPage', () => {
  it.each([
    [{ limit: 0, offset: 0 }, 'limit', 'must be a whole number of at least 1'],
    [{ limit: 1.5, offset: 0 }, 'limit', 'must be a whole number of at least 1'],
    [{ limit: Number.NaN, offset: 0 }, 'limit', 'must be a whole number of at least 1'],
    [{ limit: 1, offset: -1 }, 'offset', 'must be a whole number of at least 0'],
    [{ limit: 1, offset: 0.5 }, 'offset', 'must be a whole number of at least 0'],
  ])('refuses %j for its %s', (page, field, rule) => {
    expect(() => checkPage(page)).toThrow(refusal(field, rule))
  })

  it('accepts a page of one session', () => expect(() => checkPage({ limit: 1, offset: 0 })).not.toThrow())
})
