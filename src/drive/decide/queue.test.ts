import { describe, expect, it } from 'vitest'
import {
  deliveredCommit,
  describeWait,
  filesOf,
  overlapsOf,
  planQueue,
  type QueuedRun,
  type QueueFacts,
  type QueuePlace,
  reorder,
} from './queue.ts'

const USER = { key: '', repository: '/weather' }

function queued(id: string, position: number, more: Partial<QueuedRun> = {}): QueuedRun {
  return { id, ...USER, position, isFirst: false, isTotalReached: false, ...more }
}

/** The order, with what each run waits for. */
function plan(facts: Partial<QueueFacts>): string[] {
  return planQueue({ queued: [], running: [], taken: [], parallel: 1, ...facts }).map(({ id, waitsFor }) =>
    waitsFor === undefined ? id : `${id} ${waitsFor}`,
  )
}

const OPEN = { id: 'r', is: 'open' } as const
const three = [queued('c', 3), queued('a', 1), queued('b', 2)]

describe('a new order of a queue', () => {
  it.each<[string, string, QueuePlace, string | undefined]>([
    ['the last one first', 'c', 'first', 'cab'],
    ['the first one last', 'a', 'last', 'bca'],
    ['one before another', 'c', { before: 'b' }, 'acb'],
    ['one before its successor, which changes nothing', 'a', { before: 'b' }, 'abc'],
    ['nothing before itself', 'a', { before: 'a' }, undefined],
    ['nothing before one that is not queued', 'a', { before: 'x' }, undefined],
    ['nothing that is not queued', 'x', 'first', undefined],
  ])('puts %s', (_, id, place, expected) => expect(reorder(['a', 'b', 'c'], id, place)?.join('')).toBe(expected))
})

describe('the plan of a queue', () => {
  it.each<[string, Partial<QueueFacts>, string[]]>([
    ['is empty without runs', {}, []],
    ['keeps the order', { queued: three }, ['a', 'b turn', 'c turn']],
    ['starts as many as may run', { queued: three, parallel: 2 }, ['a', 'b', 'c turn']],
    ['starts none if enough are driven', { queued: three, running: [USER] }, ['a turn', 'b turn', 'c turn']],
    [
      'starts none if more are driven than may be',
      { queued: three, running: [USER, USER] },
      ['a turn', 'b turn', 'c turn'],
    ],
    ['fills what is free', { queued: three, running: [USER], parallel: 2 }, ['a', 'b turn', 'c turn']],
    [
      'puts the last one that was moved first',
      { queued: [...three, queued('y', 0, { isFirst: true }), queued('z', -1, { isFirst: true })] },
      ['z', 'y turn', 'a turn', 'b turn', 'c turn'],
    ],
    ['orders by the id at the same position', { queued: [queued('b', 1), queued('a', 1)] }, ['a', 'b turn']],
  ])('%s', (_, facts, expected) => expect(plan(facts)).toEqual(expected))

  it.each<[string, Partial<QueuedRun>, string]>([
    ['its run before is delivered', { after: { id: 'r', is: 'delivered' } }, 'a'],
    ['its run before is not delivered yet', { after: { id: 'r', is: 'open' } }, 'a run'],
    ['its run before has ended without a branch', { after: { id: 'r', is: 'not_delivered' } }, 'a run_not_delivered'],
    ['its run before is gone', { after: { id: 'r', is: 'gone' } }, 'a run_gone'],
    ['its group has used everything', { isTotalReached: true }, 'a total'],
    ['its agent is limited', { isLimited: true }, 'a limit'],
    ['its agent is limited, and its run before is not delivered yet', { isLimited: true, after: OPEN }, 'a run'],
  ])('says what a run does if %s, and starts the next one', (_, more, expected) => {
    const isBlocked = expected !== 'a'
    const both = plan({ queued: [queued('a', 1, more), queued('b', 2)] })
    expect(both).toEqual(isBlocked ? ['b', expected] : ['a', 'b turn'])
  })

  it('takes turns between repositories', () => {
    const other = { repository: '/tides' }
    const all = [queued('a1', 1), queued('a2', 2), queued('a3', 3), queued('b1', 4, other), queued('b2', 5, other)]
    expect(plan({ queued: all })).toEqual(['a1', 'b1 turn', 'a2 turn', 'b2 turn', 'a3 turn'])
    // The repository that has waited longest is next.
    const taken = [{ ...USER, at: '2026-01-01T02:00:00Z' }]
    expect(plan({ queued: all, taken })[0]).toBe('b1')
    expect(plan({ queued: all, running: [USER], parallel: 2 })[0]).toBe('b1')
  })

  it('takes turns between keys before it does between repositories', () => {
    const [one, two] = [{ key: 'one' }, { key: 'two' }]
    const all = [queued('a', 1, one), queued('b', 2, { ...one, repository: '/tides' }), queued('c', 3, two)]
    expect(plan({ queued: all })).toEqual(['a', 'c turn', 'b turn'])
  })
})

describe('the commit on which the next run starts', () => {
  const place = { kind: 'worktree', root: '/w', branch: 'drover/a', base: 'base', repository: '/r' } as const
  it.each([
    ['that of the branch', { as: 'branch', branch: 'drover/a', commit: 'head' }, 'head'],
    ['that of the pull request', { as: 'pr', branch: 'drover/a', commit: 'head' }, 'head'],
    ['the base, if nothing was to be changed', { as: 'none', branch: 'drover/a' }, 'base'],
    ['none, if a check fails', { as: 'none', branch: 'drover/a', commit: 'head' }, undefined],
    ['none, if the work is not to be committed', { as: 'none' }, undefined],
  ] as const)('is %s', (_, delivered, expected) => expect(deliveredCommit({ delivered, place })).toBe(expected))

  it('is none without a delivery, or in place', () => {
    expect(deliveredCommit({ place } as never)).toBeUndefined()
    const delivered = { as: 'branch', commit: 'head' } as const
    expect(deliveredCommit({ delivered, place: { kind: 'in_place', root: '/w' } })).toBeUndefined()
  })
})

it.each([
  ['turn', 'waits for its turn'],
  ['run', 'starts on the branch of a, when that is delivered'],
  ['run_not_delivered', 'waits for a, which has ended without a branch'],
  ['run_gone', 'waits for a, which does not exist any more'],
  ['total', expect.stringContaining('--total-tokens')],
  ['limit', 'waits until the limit of its agent is reset'],
] as const)('a run that waits for its %s says so', (waitsFor, reason) => {
  expect(describeWait(waitsFor, 'a')).toEqual(reason)
})

describe('runs that change the same files', () => {
  const changing = (id: string, ...files: string[]) => ({ id, repository: '/r', files })
  it('are named with these files', () => {
    const others = [changing('a', 'x'), changing('b', 'z', 'x', 'y'), changing('c', 'q')]
    expect(overlapsOf(changing('a', 'y', 'x', 'z'), others)).toEqual([{ run_id: 'b', files: ['x', 'y', 'z'] }])
  })

  it('are not named in other repositories, or if one starts on the branch of the other or was continued', () => {
    const own = changing('a', 'x')
    expect(overlapsOf(own, [{ ...changing('b', 'x'), repository: '/s' }])).toEqual([])
    expect(overlapsOf(own, [{ ...changing('b', 'x'), after: 'a' }])).toEqual([])
    expect(overlapsOf({ ...own, after: 'b' }, [changing('b', 'x')])).toEqual([])
    expect(overlapsOf(own, [{ ...changing('b', 'x'), next: 'c' }])).toEqual([])
    expect(overlapsOf({ ...own, next: 'b' }, [changing('b', 'x')])).toEqual([])
  })

  it('are known from the latest attempt that has ended', () => {
    const ended = (path: string) => ({ ended: { tree: { paths: { [path]: 'file 1' } } } })
    expect(filesOf([{ attempts: [ended('old'), ended('new'), {}] } as never])).toEqual(['new'])
    expect(filesOf([{ attempts: [] }, { attempts: [ended('before')] } as never])).toEqual(['before'])
    expect(filesOf([])).toEqual([])
  })
})
