import { describe, expect, it } from 'vitest'
import type { PullRequest } from '../../forge/forge.ts'
import type { Requirement } from '../record/follow-event.shape.ts'
import { type FollowRecord, fitting } from './follow-record.ts'
import { nextFollow, type SeenPullRequest } from './next-follow.ts'

const PULL: PullRequest = {
  number: 8,
  url: 'https://github.com/ada/weather/pull/8',
  state: 'open',
  isDraft: true,
  title: 'Wind',
  body: '',
  head: { branch: 'drover/wind', commit: 'b', repository: 'ada/weather' },
  base: { branch: 'main' },
  mergeCommit: undefined,
}
const SEEN: SeenPullRequest = {
  pull: PULL,
  comments: [],
  answered: [],
  checks: { areRunning: false, arePassed: true, failed: [] },
  isReset: false,
  isChangeRequested: false,
}
const KNOWN: FollowRecord = {
  pullRequest: { url: 'https://github.com/ada/weather/pull/1', number: 1 },
  commit: 'b',
  commits: ['b', 'a'],
  requirements: new Map(),
  asked: [],
  pending: [],
  base: 'base-1',
  described: 'b',
  branchTaken: undefined,
  rounds: 0,
  since: '2026-01-01T00:00:00.000Z',
  failure: undefined,
}
const LIMITS = { now: Date.parse('2026-01-01T01:00:00.000Z'), reached: undefined, follow_rounds: 3, ready: false }

const comment = (id: string): Requirement => ({ id, from: 'thread', text: 'Do it', by: 'grace', thread: 1 })
const failure = (id: string, signature: string): Requirement => ({
  id,
  from: 'check',
  text: 'log',
  by: 'test',
  signature,
})
const knowing = (...all: Requirement[]) => ({ requirements: new Map(all.map((each) => [each.id, each])) })
const answer = { requirement: comment('thread-1'), judged: { id: 'thread-1', verdict: 'claimed', text: 'x' } } as const
const head = (commit: string) => ({ pull: { ...PULL, head: { ...PULL.head, commit } } })
const failed = (...all: Requirement[]) => ({ checks: { areRunning: false, arePassed: false, failed: all } })
const conflict: Requirement = { id: 'base-2', from: 'base', text: 'moved', commit: 'base-2', conflicts: ['a.txt'] }

type Row = readonly [
  name: string,
  seen: Partial<SeenPullRequest>,
  known: Partial<FollowRecord>,
  limits: Partial<Parameters<typeof nextFollow>[2]>,
  step: object,
]

describe('the next step about a pull request', () => {
  it.each<Row>([
    ['waits if nothing has happened', {}, {}, {}, { do: 'wait' }],
    [
      'is to close it after the merge',
      { pull: { ...PULL, state: 'merged', mergeCommit: 'm' } },
      {},
      {},
      { do: 'close', end: 'merged', mergeCommit: 'm' },
    ],
    [
      'is to close it when it is closed',
      { pull: { ...PULL, state: 'closed' } },
      {},
      {},
      { do: 'close', end: 'closed' },
    ],
    [
      'is to answer, even after the merge',
      { pull: { ...PULL, state: 'merged' } },
      { pending: [answer] },
      {},
      { do: 'answer', isThere: false },
    ],
    [
      'is only to note an answer that is there',
      { answered: ['thread-1'] },
      { pending: [answer] },
      {},
      { do: 'answer', isThere: true },
    ],
    ['is to say that a person pushed', head('p'), {}, {}, { do: 'say_taken', commit: 'p' }],
    ['is to stop after that', head('p'), { branchTaken: 'p' }, {}, { do: 'pause', reason: 'branch_taken' }],
    ['waits if the forge shows the push before', head('a'), {}, {}, { do: 'wait' }],
    [
      'is to say that a person put the branch back',
      { ...head('a'), isReset: true },
      {},
      {},
      { do: 'say_taken', commit: 'a' },
    ],
    [
      'waits if a check that failed before passes now, on the same commit',
      {},
      knowing(failure('check-test-b', 's')),
      {},
      { do: 'wait' },
    ],
    [
      'is no round after a person pushed',
      { ...head('p'), comments: [comment('thread-1')] },
      { branchTaken: 'p' },
      {},
      { do: 'pause', reason: 'branch_taken' },
    ],
    ['is to describe a new head', {}, { described: 'a' }, {}, { do: 'describe', commit: 'b' }],
    [
      'is to stop if the last round failed',
      {},
      { failure: 'a check fails' },
      {},
      { do: 'pause', reason: 'round_failed' },
    ],
    [
      'is a round for a comment',
      { comments: [comment('thread-1')] },
      {},
      {},
      { do: 'round', requirements: [comment('thread-1')] },
    ],
    [
      'waits if every comment is known',
      { comments: [comment('thread-1')] },
      knowing(comment('thread-1')),
      {},
      { do: 'wait' },
    ],
    [
      'is a round for a failed check',
      failed(failure('check-test-b', 's')),
      {},
      {},
      { do: 'round', requirements: [failure('check-test-b', 's')] },
    ],
    [
      'waits while checks are running',
      { checks: { areRunning: true, arePassed: false, failed: [failure('c', 's')] } },
      {},
      {},
      { do: 'wait' },
    ],
    [
      'is to stop if a check fails for the same reason',
      failed(failure('check-test-b', 's')),
      knowing(failure('check-test-a', 's')),
      {},
      { do: 'pause', reason: 'same_failure' },
    ],
    [
      'is to stop if a round changed nothing about a check',
      failed(failure('check-test-b', 't')),
      knowing(failure('check-test-b', 's')),
      {},
      { do: 'pause', reason: 'same_failure' },
    ],
    [
      'is a round if a check fails for another reason',
      failed(failure('check-test-b', 't')),
      knowing(failure('check-test-a', 's')),
      {},
      { do: 'round' },
    ],
    [
      'is a round for a comment, without a check that fails as before',
      { ...failed(failure('c', 's')), comments: [comment('thread-1')] },
      knowing(failure('a', 's')),
      {},
      { do: 'round', requirements: [comment('thread-1')] },
    ],
    ['is to note a base that moved', { base: { commit: 'base-2' } }, {}, {}, { do: 'note_base', commit: 'base-2' }],
    ['waits if that is noted', { base: { commit: 'base-2' } }, { base: 'base-2' }, {}, { do: 'wait' }],
    [
      'is a round for a base in conflict',
      { base: { commit: 'base-2', conflict } },
      {},
      {},
      { do: 'round', requirements: [conflict] },
    ],
    [
      'is no round after the last one',
      { comments: [comment('thread-1')] },
      { rounds: 3 },
      {},
      { do: 'pause', reason: 'follow_rounds' },
    ],
    [
      'is no round at a limit of the run',
      { comments: [comment('thread-1')] },
      {},
      { reached: 'max_cost' },
      { do: 'pause', reason: 'max_cost' },
    ],
    ['is to stop when the time is over', {}, {}, { max_time_ms: 3_600_000 }, { do: 'pause', reason: 'max_time' }],
    ['waits until then', {}, {}, { max_time_ms: 3_600_001 }, { do: 'wait' }],
    ['is to make a green draft ready', {}, {}, { ready: true }, { do: 'make_ready' }],
    ['waits if a reviewer requests changes', { isChangeRequested: true }, {}, { ready: true }, { do: 'wait' }],
    [
      'waits if a check has not passed',
      { checks: { areRunning: false, arePassed: false, failed: [] } },
      {},
      { ready: true },
      { do: 'wait' },
    ],
    ['waits if it is ready already', { pull: { ...PULL, isDraft: false } }, {}, { ready: true }, { do: 'wait' }],
  ])('%s', (_name, seen, known, limits, step) => {
    expect(nextFollow({ ...SEEN, ...seen }, { ...KNOWN, ...known }, { ...LIMITS, ...limits })).toMatchObject(step)
  })

  it('is a round with at most 20 requirements; the others are for the next one', () => {
    const comments = Array.from({ length: 30 }, (_, at) => comment(`thread-${at}`))
    const step = nextFollow({ ...SEEN, comments }, KNOWN, LIMITS)
    expect(step.do === 'round' && step.requirements.length).toBe(20)
  })
})

describe('what fits into one round', () => {
  const of = (...lengths: number[]) =>
    lengths.map((length, at) => ({ ...comment(`c-${at}`), text: 'x'.repeat(length) }))
  it.each([
    ['20 short ones', of(...Array(21).fill(1)), 20],
    ['texts of 20,000 characters', of(8000, 8000, 4000), 3],
    ['not one character more', of(8000, 8000, 4001), 2],
    ['one that is longer', of(20_001, 1), 1],
    ['nothing', [], 0],
  ])('is %s', (_what, wanted, count) => {
    expect(fitting(wanted)).toEqual(wanted.slice(0, count))
    const step = nextFollow({ ...SEEN, comments: wanted }, KNOWN, LIMITS)
    if (count > 0) expect(step).toEqual({ do: 'round', requirements: wanted.slice(0, count) })
  })
})
