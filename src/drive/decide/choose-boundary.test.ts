import { describe, expect, it } from 'vitest'
import { chooseBoundary } from './choose-boundary.ts'

const problem = 'bwrap is not in PATH'

describe('chooseBoundary', () => {
  it.each([
    ['on', false, undefined, 'inside'],
    ['on', false, problem, 'outside'],
    ['on', true, problem, 'refused'],
    ['required', false, undefined, 'inside'],
    ['required', false, problem, 'refused'],
    ['off', false, undefined, 'outside'],
    ['off', true, undefined, 'outside'],
  ] as const)('decides for mode %s, inside before: %s, problem: %s: %s', (mode, wasInside, found, is) => {
    expect(chooseBoundary({ mode, wasInside, problem: found }).is).toBe(is)
  })

  it('says why there is none', () => {
    expect(chooseBoundary({ mode: 'on', wasInside: false, problem })).toEqual({ is: 'outside', why: problem })
    expect(chooseBoundary({ mode: 'required', wasInside: false, problem })).toEqual({ is: 'refused', problem })
  })
})
