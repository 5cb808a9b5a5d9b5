import { describe, expect, it } from 'vitest'
import { type AccessPath, type Facet, hasStoredCount, pickAccessPath, toSessionQuery } from './session-query.ts'
import type { SessionFilter } from './session-store.ts'

describe('toSessionQuery', () => {
  it('converts a filter to the stored format', () => {
    const filter: SessionFilter = {
      backend: 'codex',
      tag: 'api',
      search: 'ÄPFEL',
      since: '2026-01-31T09:30:00Z',
      until: '2026-01-31T09:30:00+01:00',
      isResumable: true,
    }
    expect(toSessionQuery(filter)).toEqual({
      facets: new Map([
        ['backend', 'codex'],
        ['tag', 'api'],
      ]),
      isResumable: true,
      since: '2026-01-31T09:30:00.000Z',
      until: '2026-01-31T08:30:00.000Z',
      needle: 'äpfel',
    })
  })

  it('ignores an empty search', () => {
    expect(toSessionQuery({ search: '' }).needle).toBeUndefined()
  })
})

describe('hasStoredCount', () => {
  it.each<[SessionFilter, boolean]>([
    [{}, true],
    [{ backend: 'claude', status: 'error', tag: 'a', model: 'm', workdir: '/w', isResumable: false }, true],
    [{ search: 'x' }, false],
    [{ since: '2026-01-01T00:00:00Z' }, false],
    [{ until: '2026-01-01T00:00:00Z' }, false],
  ])('of %j is %s', (filter, isKept) => {
    expect(hasStoredCount(toSessionQuery(filter))).toBe(isKept)
  })
})

describe('pickAccessPath', () => {
  const SIZES: [Facet, number][] = [
    ['backend', 30],
    ['status', 10],
    ['tag', 30],
  ]

  it.each<[string, SessionFilter, number, [Facet, number][], AccessPath]>([
    ['all sessions if there is no filter', {}, 9_999, [], 'use'],
    ['the only facet', { model: 'm' }, 9_999, [], 'model'],
    ['the facet that the fewest have', { backend: 'codex', status: 'error', tag: 'a' }, 5, SIZES, 'status'],
    ['the first of two that as many have', { backend: 'codex', tag: 'a' }, 5, SIZES, 'backend'],
    ['a search that found 2,000', { search: 'x', tag: 'a' }, 2_000, [], 'search'],
    ['the facet of a search that found more', { search: 'x', tag: 'a' }, 2_001, [], 'tag'],
    ['all sessions for a search alone that found more', { search: 'x' }, 2_001, [], 'use'],
  ])('is %s', (_, filter, found, sizes, accessPath) => {
    expect(pickAccessPath(toSessionQuery(filter), { found, sizes: new Map(sizes) })).toBe(accessPath)
  })
})
