import { describe, expect, it } from 'vitest'
import type { PathObservation } from '../contract/git-observation.shape.ts'
import { limitObservations } from './observe-git.ts'

/** Costs 12 for each byte of the path, 6 for each of 9 + 2 + 7, 1 for each of `content`, and 320. */
const observed = (path: string, content = ''): PathObservation => ({
  path,
  category: 'untracked',
  state: '??',
  observation: 'missing',
  content_sha256: content,
})

/** With 12 bytes of content, exactly 524288. */
const LARGEST = 'x'.repeat(43_654)

describe('limitObservations', () => {
  it('keeps a list of exactly the limit', () => {
    const all = [observed(LARGEST, 'x'.repeat(12))]
    expect(limitObservations(all)).toEqual(all)
  })

  it('drops an item that exceeds the limit by one byte', () => {
    expect(limitObservations([observed(LARGEST, 'x'.repeat(13))])).toEqual([])
  })

  it('adds up the sizes of the kept items', () => {
    const small = observed('a') // 12 + 108 + 320
    const fitting = observed('x'.repeat(43_654 - 36), 'x'.repeat(4)) // 440 less
    expect(limitObservations([small, fitting])).toHaveLength(2)
    expect(limitObservations([small, { ...fitting, content_sha256: 'xxxxx' }])).toHaveLength(1)
  })

  it('ends at the first item that does not fit, even if a later one would fit', () => {
    const [first, large, last] = [observed('a'), observed(LARGEST), observed('b')]
    expect(limitObservations([first, large, last])).toEqual([first])
  })

  it('counts bytes, not characters', () => {
    expect(limitObservations([observed('ü'.repeat(21_827), 'x'.repeat(12))])).toHaveLength(1)
    expect(limitObservations([observed('ü'.repeat(21_827), 'x'.repeat(13))])).toHaveLength(0)
  })

  it.each(['category', 'state', 'observation'])('counts each byte of %s six times', (field) => {
    const longer = { ...observed(LARGEST, 'x'.repeat(6)) }
    const word = `${longer[field as 'state']}y`
    expect(limitObservations([{ ...longer, [field]: word } as PathObservation])).toHaveLength(1)
    expect(limitObservations([{ ...longer, [field]: word, content_sha256: 'x'.repeat(7) } as PathObservation])).toEqual(
      [],
    )
  })

  it('counts the kind of a digest too', () => {
    const full = { ...observed(LARGEST, 'x'), content_fingerprint_kind: 'full_sha256' } as const
    expect(limitObservations([full])).toHaveLength(1)
    expect(limitObservations([{ ...full, content_sha256: 'xx' }])).toEqual([])
  })
})
