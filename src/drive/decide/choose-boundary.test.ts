import { describe, expect, it } from 'vitest'
import { type BoundaryFacts, chooseBoundary } from './choose-boundary.ts'

const problem = 'bwrap is not in PATH'
const KNOWN = { name: 'claude', isKnown: true }
const UNKNOWN = { name: 'acme', isKnown: false }

function choose(facts: Partial<BoundaryFacts>) {
  return chooseBoundary({
    mode: 'on',
    approval: 'default',
    agents: [KNOWN],
    isWanted: false,
    wasInside: false,
    problem: undefined,
    ...facts,
  })
}

describe('chooseBoundary', () => {
  it.each([
    ['on', 'default', false, undefined, 'inside'],
    ['on', 'default', false, problem, 'outside'],
    ['on', 'default', true, problem, 'refused'],
    ['on', 'auto', false, problem, 'outside'],
    ['on', 'sandboxed', false, problem, 'refused'],
    ['required', 'default', false, undefined, 'inside'],
    ['required', 'auto', false, problem, 'refused'],
    ['off', 'default', false, undefined, 'outside'],
    ['off', 'default', true, undefined, 'outside'],
    ['off', 'sandboxed', false, undefined, 'refused'],
  ] as const)('decides for mode %s, approval %s, inside before: %s, problem: %s: %s', (...row) => {
    const [mode, approval, wasInside, found, is] = row
    expect(choose({ mode, approval, wasInside, problem: found }).is).toBe(is)
  })

  it('says why there is none', () => {
    expect(choose({ problem })).toEqual({ is: 'outside', why: problem })
    expect(choose({ mode: 'required', problem })).toEqual({ is: 'refused', problem })
  })

  it.each([
    ['that drover knows', {}, ['claude'], undefined],
    [
      'that drover knows, but not others',
      { agents: [KNOWN, UNKNOWN] },
      ['claude'],
      'not acme: drover does not know what it needs there',
    ],
    ['of all kinds if it is required', { agents: [UNKNOWN], mode: 'required' }, ['acme'], undefined],
    ['of all kinds with sandboxed', { agents: [UNKNOWN], approval: 'sandboxed' }, ['acme'], undefined],
    [
      'of all kinds if sandbox.mode is on',
      { agents: [UNKNOWN], approval: 'auto', isWanted: true },
      ['acme'],
      undefined,
    ],
    ['if another mode is asked for, none', { approval: 'none' }, [], 'agents are not: --approval none'],
    ['in a required one, also with another mode', { approval: 'auto', mode: 'required' }, ['claude'], undefined],
  ] as const)('has the agents inside %s', (_, facts, agents, why) => {
    expect(choose(facts)).toEqual({ is: 'inside', agents, ...(why !== undefined && { why }) })
  })
})
