import { describe, expect, it } from 'vitest'
import type { BoundarySeen } from '../record/drive-event.shape.ts'
import { describeInside, describeRefusals, summarizeBoundary } from './summarize-boundary.ts'

const seen = (by: BoundarySeen['by'], more: Partial<BoundarySeen>): BoundarySeen => ({
  by,
  reached: [],
  refused: [],
  unwritable: [],
  ...more,
})
const refused = (host: string, count: number) => ({ host, reason: 'not listed', count })

describe('summarizeBoundary', () => {
  it('adds up what agents, checks and setups reached and were refused', () => {
    const summary = summarizeBoundary({
      boundary: { is: 'inside' },
      boundary_seen: [
        seen('setup', { reached: [{ host: 'packages.example:443', count: 2 }] }),
        seen('agent', { refused: [refused('evil.test:443', 1)], exceeded: ['too much was written'] }),
        seen('check', {
          reached: [{ host: 'packages.example:443', count: 1 }],
          refused: [refused('evil.test:443', 3)],
          unwritable: ['/etc/x', '/etc/y'],
        }),
        seen('check', { unwritable: ['/etc/x'] }),
      ],
    })
    expect(summary).toEqual({
      enforced_by: 'bubblewrap',
      around: 'checks and setups',
      reached: [{ host: 'packages.example:443', count: 3, by: ['setup', 'check'] }],
      refused: [{ ...refused('evil.test:443', 4), by: ['agent', 'check'] }],
      unwritable: [
        { path: '/etc/x', by: ['check'] },
        { path: '/etc/y', by: ['check'] },
      ],
      exceeded: [{ limit: 'too much was written', by: ['agent'] }],
    })
  })

  it('says why there was no boundary, and nothing about runs of older versions', () => {
    expect(summarizeBoundary({ boundary: { is: 'outside', why: 'no bwrap' }, boundary_seen: [] })).toEqual({
      why_not: 'no bwrap',
      reached: [],
      refused: [],
      unwritable: [],
      exceeded: [],
    })
    expect(summarizeBoundary({ boundary_seen: [] })).toBeUndefined()
  })
})

it('says how often something was refused, of all rounds', () => {
  const once = { boundary_seen: [seen('agent', { unwritable: ['/etc/x'] })] }
  const more = { boundary_seen: [seen('agent', { refused: [refused('evil.test:443', 2)], exceeded: ['too much'] })] }
  const sentences = [[], [{ boundary_seen: [seen('agent', {})] }], [once], [more, once]].map(describeRefusals)
  expect(sentences).toEqual(['', '', 'the sandbox refused something once', 'the sandbox refused something 4 times'])
})

it.each([
  [{ agents: ['claude', 'codex'] }, 'agents, checks and setups'],
  [{ agents: [], why: 'agents are not: --approval none' }, 'checks and setups (agents are not: --approval none)'],
  [{ agents: ['claude'], why: 'not acme: unknown' }, 'claude, checks and setups (not acme: unknown)'],
  [{}, 'checks and setups'],
])('%j is around %s', (boundary, text) => {
  expect(describeInside(boundary)).toBe(text)
})
