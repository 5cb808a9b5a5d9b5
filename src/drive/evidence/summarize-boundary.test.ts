import { describe, expect, it } from 'vitest'
import { actionOf, attemptAt } from '../../../test/support/drive-fixture.ts'
import type { BoundarySeen } from '../record/boundary-summary.shape.ts'
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
    const boundary_seen = [
      seen('setup', { reached: [{ host: 'packages.example:443', count: 2 }] }),
      seen('agent', { refused: [refused('evil.test:443', 1)], exceeded: ['too much was written'] }),
      seen('check', {
        reached: [{ host: 'packages.example:443', count: 1 }],
        refused: [refused('evil.test:443', 3)],
        unwritable: ['/etc/x', '/etc/y'],
      }),
      seen('check', { unwritable: ['/etc/x'] }),
    ]
    const summary = summarizeBoundary([{ round: 1, boundary: { is: 'inside' }, boundary_seen }])
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
    expect(summarizeBoundary([{ round: 1, boundary: { is: 'outside', why: 'no bwrap' }, boundary_seen: [] }])).toEqual({
      why_not: 'no bwrap',
      reached: [],
      refused: [],
      unwritable: [],
      exceeded: [],
    })
    expect(summarizeBoundary([{ round: 1, boundary_seen: [] }])).toBeUndefined()
  })

  it('adds up all rounds, and names the round of each refusal', () => {
    const once = [seen('agent', { refused: [refused('evil.test:443', 1)], unwritable: ['/etc/x'] })]
    const again = [seen('check', { refused: [refused('evil.test:443', 2)], exceeded: ['too much was written'] })]
    const inside = { is: 'inside', agents: ['claude'] } as const
    const rounds = [
      { round: 2, boundary: inside, boundary_seen: again },
      { round: 1, boundary: inside, boundary_seen: once },
    ]
    expect(summarizeBoundary(rounds)).toEqual({
      enforced_by: 'bubblewrap',
      around: 'agents, checks and setups',
      rounds: [1, 2],
      reached: [],
      refused: [{ ...refused('evil.test:443', 3), by: ['agent', 'check'], rounds: [1, 2] }],
      unwritable: [{ path: '/etc/x', by: ['agent'], rounds: [1] }],
      exceeded: [{ limit: 'too much was written', by: ['check'], rounds: [2] }],
    })
  })

  it('names the rounds that were driven in another way', () => {
    const rounds = [
      { round: 4, boundary: { is: 'inside' as const }, boundary_seen: [] },
      { round: 3, boundary: { is: 'outside' as const, why: 'no bwrap' }, boundary_seen: [] },
      { round: 2, boundary_seen: [] },
      { round: 1, boundary: { is: 'inside' as const }, boundary_seen: [] },
    ]
    expect(summarizeBoundary(rounds)).toMatchObject({
      enforced_by: 'bubblewrap',
      other_rounds: [
        { round: 2, why_not: 'it was not recorded' },
        { round: 3, why_not: 'no bwrap' },
      ],
    })
    expect(summarizeBoundary(rounds.toReversed().slice(2).toReversed())).toMatchObject({ rounds: [3, 4] })
  })
})

it('names what was refused, of all rounds, without the hosts that an agent asks for itself', () => {
  const attempts = ['codex', 'claude'].map((backend, at) =>
    attemptAt(actionOf('implement'), { attempt: at + 1, backend }),
  )
  const round = (...boundary_seen: BoundarySeen[]) => ({ attempts, boundary_seen })
  const own = [refused('api.github.com:443', 1), refused('github.com:443', 2)]
  const odd = [refused('evil.test:443', 2), refused('evil.test:80', 1)]
  const byCodex = round(seen('agent', { attempt: 1, refused: [...own, ...odd] }))
  const byOthers = round(seen('agent', { attempt: 2, refused: own }), seen('check', { unwritable: ['/etc/x'] }))
  const limit = round(seen('check', { exceeded: ['too much', 'too many'] }))
  const all = [[], [round(seen('agent', { attempt: 1, refused: own }))], [byCodex, limit], [limit, byOthers, byCodex]]
  expect(all.map(describeRefusals)).toEqual([
    ...['', '', 'the sandbox refused evil.test, evil.test:80, what exceeded a limit'],
    'the sandbox refused what exceeded a limit, api.github.com, github.com, /etc/x, evil.test and 1 more',
  ])
})

it.each([
  [{ agents: ['claude', 'codex'] }, 'agents, checks and setups'],
  [{ agents: [], why: 'agents are not: --approval none' }, 'checks and setups (agents are not: --approval none)'],
  [{ agents: ['claude'], why: 'not acme: unknown' }, 'claude, checks and setups (not acme: unknown)'],
  [{}, 'checks and setups'],
])('%j is around %s', (boundary, text) => {
  expect(describeInside(boundary)).toBe(text)
})
