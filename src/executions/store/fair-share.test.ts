import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { shareExcess } from './fair-share.ts'

describe('shareExcess', () => {
  it.each<[Record<string, number>, number, Record<string, number>]>([
    [{}, 0, {}],
    [{ a: 10 }, 10, {}],
    [{ a: 11 }, 10, { a: 1 }],
    [{ a: 2, b: 8 }, 10, {}],
    [{ a: 2, b: 9 }, 10, { b: 1 }],
    [{ a: 5, b: 9 }, 10, { b: 4 }],
    [{ a: 6, b: 9 }, 10, { a: 1, b: 4 }],
    [{ a: 1, b: 7, c: 9 }, 10, { b: 2.5, c: 4.5 }],
    [{ a: 1, b: 2 }, 0, { a: 1, b: 2 }],
  ])('of %j with room for %i is %j', (used, max, expected) => {
    expect(Object.fromEntries(shareExcess(new Map(Object.entries(used)), max))).toEqual(expected)
  })

  it('leaves what fits, and never takes from an owner below an equal share', () => {
    const used = fc.dictionary(fc.string(), fc.nat(1000), { noNullPrototype: true })
    fc.assert(
      fc.property(used, fc.nat(5000), (amounts, max) => {
        const all = new Map(Object.entries(amounts))
        const excess = shareExcess(all, max)
        const left = [...all].map(([owner, bytes]) => bytes - (excess.get(owner) ?? 0))
        const sum = (numbers: Iterable<number>) => [...numbers].reduce((total, each) => total + each, 0)
        expect(sum(left)).toBeCloseTo(Math.min(max, sum(all.values())), 6)
        for (const owner of excess.keys()) expect(all.get(owner)).toBeGreaterThan(max / all.size)
      }),
    )
  })
})
