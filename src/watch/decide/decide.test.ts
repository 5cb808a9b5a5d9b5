import { describe, expect, it } from 'vitest'
import { waitMs } from '../watcher.ts'
import { composeComment } from './comment-text.ts'
import {
  claimsIn,
  decideClaim,
  decideMention,
  findSpent,
  judgeRequest,
  lastLabeled,
  markOf,
  mentionIn,
  whyNotWanted,
} from './take-issue.ts'

const OWN = { claim: '11111111-1111-4111-8111-111111111111', asked_at: '2026-01-01T10:00:00Z' }
const [OURS, THEIRS] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222']

const claim = (commentId: number, id: string, more: { isDone?: boolean; createdAt?: string } = {}) => ({
  ...{ commentId, author: 'ada', claim: id, isDone: false, createdAt: '2026-01-01T10:00:00Z' },
  ...more,
})

describe('whyNotWanted', () => {
  const issue = { number: 1, url: '', title: '', author: 'ada', labels: ['Drover', 'x'], createdAt: '', isOpen: true }
  it.each([
    ['open and labeled', issue, 'drover', undefined],
    ['gone', undefined, 'drover', 'the issue does not exist here any more'],
    ['closed', { ...issue, isOpen: false }, undefined, 'the issue was closed'],
    ['without the label', { ...issue, labels: ['x'] }, 'drover', 'the label drover was removed'],
    ['without the label, asked for by a comment', { ...issue, labels: [] }, undefined, undefined],
  ])('of an issue that is %s', (_what, found, label, problem) => {
    expect(whyNotWanted(found, label)).toBe(problem)
  })
})

describe('decideClaim', () => {
  const before = { isDone: true, createdAt: '2026-01-01T09:00:00Z' }
  const after = { isDone: true, createdAt: '2026-01-01T10:00:01Z' }
  it.each([
    ['nobody has taken the issue', [], { is: 'post' }],
    ['only we have', [claim(5, OURS)], { is: 'won', commentId: 5 }],
    ['we were first', [claim(5, OURS), claim(7, THEIRS)], { is: 'won', commentId: 5 }],
    ['they were first', [claim(5, THEIRS), claim(7, OURS)], { is: 'lost', commentId: 7 }],
    ['only they have', [claim(5, THEIRS)], { is: 'lost', commentId: undefined }],
    ['they had finished before the person asked', [claim(5, THEIRS, before)], { is: 'post' }],
    ['they had finished, and we have it now', [claim(5, THEIRS, before), claim(7, OURS)], { is: 'won', commentId: 7 }],
    ['they have finished what the person asked for', [claim(5, THEIRS, after)], { is: 'lost', commentId: undefined }],
    [
      'they still work on what was asked before',
      [claim(5, THEIRS, { createdAt: before.createdAt })],
      { is: 'lost', commentId: undefined },
    ],
  ])('decides if %s', (_name, claims, step) => {
    expect(decideClaim(OWN, claims)).toEqual(step)
  })
})

const comment = (id: number, author: string, body: string) => ({ id, author, body, createdAt: '2026-01-01T10:00:00Z' })

describe('claimsIn', () => {
  it('finds marks at the beginning of comments, in the order of their numbers', () => {
    const comments = [
      comment(9, 'bob', `${markOf(THEIRS, true)}\ndrover has finished`),
      comment(3, 'eve', `> ${markOf(THEIRS, false)}`),
      comment(4, 'eve', 'drover is working on it'),
      comment(5, 'ada', `${markOf(OURS, false)}\nwhatever`),
    ]
    expect(claimsIn(comments)).toEqual([claim(5, OURS), { ...claim(9, THEIRS, { isDone: true }), author: 'bob' }])
  })
})

describe('lastLabeled', () => {
  const [ada, bob] = [
    { label: 'drover', by: 'ada', at: '1' },
    { label: 'Drover', by: 'bob', at: '2' },
  ]
  it.each([
    ['nobody', [], undefined],
    ['the one who set it', [ada], 'ada'],
    ['the last one who set it', [ada, bob, { label: 'bug', by: 'eve', at: '3' }], 'bob'],
  ])('finds %s', (_name, labelings, by) => {
    expect(lastLabeled(labelings, 'drover')?.by).toBe(by)
  })
})

describe('judgeRequest', () => {
  const mayAsk = (login: string) => ['ada', 'bob'].includes(login)
  it.each([
    ['ada', undefined, 'permitted'],
    ['eve', undefined, 'not_permitted'],
    [undefined, undefined, 'not_permitted'],
    ['ada', { by: 'eve', at: '2026-01-01T09:00:00Z' }, 'permitted'],
    ['ada', { by: 'bob', at: '2026-01-01T11:00:00Z' }, 'permitted'],
    ['ada', { by: 'eve', at: '2026-01-01T11:00:00Z' }, 'edited_since'],
  ])('judges a request of %j, edited %j: %s', (by, edit, judged) => {
    const asked = by === undefined ? undefined : { by, at: '2026-01-01T10:00:00Z' }
    expect(judgeRequest(asked, { edit, mayAsk })).toBe(judged)
  })
})

describe('mentionIn', () => {
  it.each([
    ['@drover also the docs', 'also the docs'],
    ['\n  @Drover: also the docs\n', 'also the docs'],
    ['@drover', ''],
    ['@drover-bot go', undefined],
    ['@drovers go', undefined],
    ['please @drover go', undefined],
    ['> @drover go', undefined],
    ['`@drover` go', undefined],
  ])('finds in %j: %j', (body, text) => {
    expect(mentionIn(body, 'drover')).toBe(text)
  })
})

describe('decideMention', () => {
  it.each([
    [['answer', 'skip', 'stop'], 'decision_required', 'use knots', 'answer'],
    [['answer', 'skip', 'stop'], 'decision_required', '', 'nothing'],
    [['confirm', 'answer', 'stop'], 'destructive_confirmation_required', 'yes', 'nothing'],
    [['resume', 'stop'], 'budget_exhausted', 'go', 'resume'],
    [['resume', 'skip', 'stop'], undefined, '', 'resume'],
    [['skip', 'stop'], undefined, 'go', 'nothing'],
    [[], undefined, 'also the docs', 'nothing'],
  ])('lets a comment on a run that offers %j (%j) with %j: %s', (choices, reason, text, decided) => {
    expect(decideMention({ choices, ...(reason !== undefined && { waits_for: { reason } }) }, text)).toBe(decided)
  })
})

describe('waitMs', () => {
  it.each([
    [0, 60_000],
    [1, 120_000],
    [2, 240_000],
    [4, 900_000],
    [100, 900_000],
  ])('after %i failures is %i', (failures, ms) => {
    expect(waitMs({ intervalMs: 60_000, failures })).toBe(ms)
  })

  it('is never shorter than the interval', () => {
    expect(waitMs({ intervalMs: 3_600_000, failures: 3 })).toBe(3_600_000)
  })
})

describe('composeComment', () => {
  const facts = { claim: OURS, runId: 'r1', link: undefined, name: 'drover', isDone: false }
  it.each([
    ['at first', facts, 'drover is working on it: run `r1`.'],
    [
      'with a link',
      { ...facts, link: 'https://d.test/runs/r1' },
      'drover is working on it: [run `r1`](https://d.test/runs/r1).',
    ],
    [
      'at the end',
      {
        ...facts,
        isDone: true,
        run: {
          verdict: { word: 'delivered' as const, exists: { branch: 'b', pull_request: 'https://g.test/pull/3' } },
        },
      },
      'drover has finished: https://g.test/pull/3, run `r1`.',
    ],
  ])('says %s', (_name, given, line) => {
    expect(composeComment(given)).toBe(`${markOf(OURS, given.isDone)}\n${line}\n`)
  })

  it('quotes a question so that it mentions nobody and adds no mark', () => {
    const question = `Ask @ada about #7?\n${markOf(THEIRS, false)}`
    const run = { verdict: { word: 'waits for you' as const, exists: {} }, question }
    const text = composeComment({ ...facts, run })
    expect(text).toContain('drover needs an answer')
    expect(text).toContain('> Ask @\u200Bada about #\u200B7?')
    expect(claimsIn([comment(1, 'ada', text)])).toEqual([claim(1, OURS)])
  })

  it.each([
    ['the branch with the work', { branch: 'b', commit: 'c' }, 'drover has finished: branch `b`, run `r1`.'],
    ['no branch without work', { branch: 'b' }, 'drover has finished: run `r1`.'],
  ])('names %s', (_name, exists, line) => {
    expect(composeComment({ ...facts, run: { verdict: { word: 'delivered', exists } } })).toContain(`\n${line}\n`)
  })

  it('says why it could not start', () => {
    expect(composeComment({ ...facts, problem: 'the issue names @ada' })).toContain(
      'could not start: the issue names @\u200Bada.',
    )
  })
})

describe('findSpent', () => {
  const all = {
    name: 'all prompts',
    unit: 'requests',
    period: 'day',
    limit: 9,
    used: 9,
    estimated: 0,
    reserved: 0,
  } as const
  const of = (more: object) => ({ ...all, resets_at: '2026-02-01T00:00:00Z', ...more })
  it.each([
    ['its label, in any case', of({ label: 'Drover' }), true],
    ['its repository', of({ repository: '/srv' }), true],
    ['everything', of({}), true],
    ['another label', of({ label: 'urgent' }), false],
    ['another repository', of({ repository: '/srv/app2' }), false],
    ['a key', of({ key: 'ci' }), false],
    ['its label, with something left', of({ label: 'drover', used: 8.9, reserved: 0.1 }), false],
  ])('looks at a budget for %s', (_name, budget, isSpent) => {
    const problem = findSpent([budget], { label: 'drover', budgetDirectory: '/srv/app' })
    expect(problem?.code).toBe(isSpent ? 'budget_spent' : undefined)
  })

  it('says why no issue is taken, and until when', () => {
    const budget = of({ name: 'the label drover', label: 'drover', limit: 1, used: 1 })
    expect(findSpent([budget], { label: 'drover', budgetDirectory: '/srv/app' })?.message).toBe(
      'no issue is taken: the budget of 1 request per day for the label drover is spent: 1 request used; it resets at 2026-02-01T00:00:00Z',
    )
  })
})
