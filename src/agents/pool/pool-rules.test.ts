import { describe, expect, it } from 'vitest'
import {
  chooseProcess,
  findExpired,
  LONGEST_RETRY_MS,
  makeRoom,
  type PooledProcess,
  retryAfterMs,
  SPARE_WINDOW_MS,
  START_MS,
  startWaitMs,
  type WarmLimits,
  wantsSpare,
  withoutSession,
  withSession,
} from './pool-rules.ts'

const KEY = { place: 'p', stamp: 's' }
const LIMITS: WarmLimits = {
  maxProcesses: 4,
  idleMs: 300,
  maxTurns: 50,
  maxAgeMs: 3600,
  maxBytes: 1500,
  spares: 1,
  spareAfter: 2,
}
const held = (id: string, turns = 1, parts = '') => ({ id, turns, parts })

function claude(id: number, over: Partial<PooledProcess> = {}): PooledProcess {
  return {
    id,
    key: KEY,
    isOneSession: true,
    state: 'idle',
    sessions: [],
    outdated: [],
    turns: 0,
    startedAt: 0,
    lastUsedAt: 0,
    bytes: 0,
    ...over,
  }
}
const codex = (id: number, over: Partial<PooledProcess> = {}) => claude(id, { isOneSession: false, ...over })
const usedFor = (id: number, session: string, over: Partial<PooledProcess> = {}) =>
  claude(id, { turns: 1, sessions: [held(session)], ...over })

describe('chooseProcess', () => {
  const OTHER = { place: 'q', stamp: 's' }
  const NEWER = { place: 'p', stamp: 't' }

  it.each<[string, PooledProcess[], Parameters<typeof chooseProcess>[1], number | undefined, number[]]>([
    ['nothing from an empty pool', [], { key: KEY, isOneSession: true, session: undefined }, undefined, []],
    [
      'a spare for a new session',
      [usedFor(1, 'a'), claude(2)],
      { key: KEY, isOneSession: true, session: undefined },
      2,
      [],
    ],
    [
      'no process of another session',
      [usedFor(1, 'a')],
      { key: KEY, isOneSession: true, session: undefined },
      undefined,
      [],
    ],
    [
      'no process of another place',
      [claude(1, { key: OTHER })],
      { key: KEY, isOneSession: true, session: undefined },
      undefined,
      [],
    ],
    [
      'a spare that is starting',
      [claude(1, { state: 'starting' })],
      { key: KEY, isOneSession: true, session: undefined },
      1,
      [],
    ],
    [
      'no process in use',
      [claude(1, { state: 'busy' })],
      { key: KEY, isOneSession: true, session: undefined },
      undefined,
      [],
    ],
    [
      'the process of the session',
      [claude(1), usedFor(2, 'a')],
      { key: KEY, isOneSession: true, session: held('a') },
      2,
      [],
    ],
    [
      'no spare for a session to continue',
      [claude(1)],
      { key: KEY, isOneSession: true, session: held('a') },
      undefined,
      [],
    ],
    [
      'nothing if the session was resumed elsewhere',
      [usedFor(1, 'a')],
      { key: KEY, isOneSession: true, session: held('a', 2) },
      undefined,
      [1],
    ],
    [
      'nothing if the flags of the session changed',
      [usedFor(1, 'a')],
      { key: OTHER, isOneSession: true, session: held('a') },
      undefined,
      [1],
    ],
    [
      'another process if the one that has and locks the session gave it other permissions',
      [codex(1, { sessions: [held('a')], turns: 1 }), codex(2)],
      { key: KEY, isOneSession: false, session: { ...held('a'), parts: 'other' }, locksSessions: true },
      2,
      [1],
    ],
    [
      'nothing if a file changed',
      [claude(1), usedFor(2, 'b')],
      { key: NEWER, isOneSession: true, session: undefined },
      undefined,
      [1, 2],
    ],
    [
      'no process in use, even if a file changed',
      [claude(1, { state: 'busy' })],
      { key: NEWER, isOneSession: true, session: undefined },
      undefined,
      [],
    ],
    [
      'the process used last',
      [codex(1, { lastUsedAt: 1, turns: 3 }), codex(2, { lastUsedAt: 2, turns: 3 })],
      { key: KEY, isOneSession: false, session: undefined },
      2,
      [],
    ],
    [
      'the process that has the session',
      [codex(1, { sessions: [held('a')] }), codex(2, { lastUsedAt: 9 })],
      { key: KEY, isOneSession: false, session: held('a') },
      1,
      [],
    ],
    [
      'another process for a session with other modes',
      [codex(1, { sessions: [held('a')] }), codex(2)],
      { key: KEY, isOneSession: false, session: held('a', 1, 'x') },
      2,
      [],
    ],
    [
      'no process whose memory of the session is old',
      [codex(1, { outdated: ['a'] })],
      { key: KEY, isOneSession: false, session: held('a') },
      undefined,
      [],
    ],
    [
      'no process that has the session with fewer turns',
      [codex(1, { sessions: [held('a')] })],
      { key: KEY, isOneSession: false, session: held('a', 2) },
      undefined,
      [],
    ],
  ])('chooses %s', (_name, processes, needs, use, retire) => {
    expect(chooseProcess(processes, needs)).toEqual({ use, retire })
  })
})

describe('wantsSpare', () => {
  const ask = (processes: PooledProcess[], uses: number[], over: Partial<WarmLimits> = {}, isOneSession = true) =>
    wantsSpare(processes, { key: KEY, isOneSession, uses, now: SPARE_WINDOW_MS, limits: { ...LIMITS, ...over } })

  it.each<[string, boolean, boolean]>([
    ['after one use', ask([], [1]), false],
    ['after two uses', ask([], [1, 2]), true],
    ['after two uses at the edge of ten minutes', ask([], [0, 1]), true],
    ['after one use within ten minutes', ask([], [-1, 1]), false],
    ['with a spare', ask([claude(1)], [1, 2]), false],
    ['with a spare that is starting', ask([claude(1, { state: 'starting' })], [1, 2]), false],
    ['with a process of a session', ask([usedFor(1, 'a')], [1, 2]), true],
    ['with a spare of two', ask([claude(1)], [1, 2], { spares: 2 }), true],
    ['without spares', ask([], [1, 2], { spares: 0 }), false],
    ['with an idle process that takes any session', ask([codex(1, { turns: 4 })], [1, 2], {}, false), false],
    ['with a busy process that takes any session', ask([codex(1, { state: 'busy' })], [1, 2], {}, false), true],
  ])('%s', (_name, wants, expected) => {
    expect(wants).toBe(expected)
  })
})

describe('makeRoom', () => {
  const idle = (id: number, lastUsedAt: number) => claude(id, { lastUsedAt })
  const busy = (id: number) => claude(id, { state: 'busy' })

  it.each<[string, PooledProcess[], number[] | undefined]>([
    ['below the limit', [idle(1, 1), idle(2, 2), idle(3, 3)], []],
    ['at the limit: the one not used for longest', [idle(1, 5), idle(2, 2), busy(3), busy(4)], [2]],
    ['at the limit with all in use', [busy(1), busy(2), busy(3), busy(4)], undefined],
    ['at the limit with one starting', [busy(1), busy(2), busy(3), claude(4, { state: 'starting' })], undefined],
  ])('%s', (_name, processes, expected) => {
    expect(makeRoom(processes, LIMITS)).toEqual(expected)
  })
})

describe('findExpired', () => {
  const expired = (processes: PooledProcess[], { now = 0, availableShare = 1 } = {}) =>
    findExpired(processes, { now, limits: LIMITS, availableShare })

  it.each<[string, number[], number[]]>([
    ['idle for less than its time', expired([claude(1)], { now: 299 }), []],
    ['idle for its time', expired([claude(1)], { now: 300 }), [1]],
    ['one turn below its limit', expired([claude(1, { turns: 49 })]), []],
    ['at its limit of turns', expired([claude(1, { turns: 50 })]), [1]],
    ['just young enough', expired([claude(1, { lastUsedAt: 3599 })], { now: 3599 }), []],
    ['too old', expired([claude(1, { lastUsedAt: 3600 })], { now: 3600 }), [1]],
    ['at its limit of memory', expired([claude(1, { bytes: 1500 })]), []],
    ['over its limit of memory', expired([claude(1, { bytes: 1501 })]), [1]],
    [
      'over every limit, but in use',
      expired([claude(1, { state: 'busy', turns: 99, bytes: 9999 })], { now: 9999 }),
      [],
    ],
    ['idle while memory is low', expired([claude(1), claude(2, { state: 'busy' })], { availableShare: 0.09 }), [1]],
    ['idle while memory is just enough', expired([claude(1)], { availableShare: 0.1 }), []],
    ['one too many', expired([5, 4, 3, 2, 1].map((id) => claude(id, { lastUsedAt: id }))), [1]],
  ])('%s', (_name, ids, expectedIds) => {
    expect(ids).toEqual(expectedIds)
  })
})

describe('retryAfterMs', () => {
  it.each([
    [1, 1000],
    [2, 4000],
    [5, 256_000],
    [6, LONGEST_RETRY_MS],
    [1000, LONGEST_RETRY_MS],
  ])('after %s failures in a row it waits %s ms', (times, ms) => expect(retryAfterMs(times)).toBe(ms))
})

describe('startWaitMs', () => {
  it.each([
    ['one third of a start', {}, START_MS / 3],
    ['the whole start if a person answers the agent', { hasApprover: true }, START_MS],
  ])('%s', (_name, request, ms) => expect(startWaitMs(request)).toBe(ms))
})

describe('the sessions that a process has in memory', () => {
  it('are all others, and one is out of date, after that one was resumed elsewhere', () => {
    const knows = { sessions: [held('a'), held('b')], outdated: ['c'] }
    expect(withoutSession(knows, 'a')).toEqual({ sessions: [held('b')], outdated: ['c', 'a'] })
    expect(withoutSession({ sessions: [held('a')], outdated: [] }, 'a')).toEqual({ sessions: [], outdated: ['a'] })
    expect(withoutSession(knows, 'd')).toEqual(knows)
  })

  it('have each session once after its turn, as it is then', () => {
    expect(withSession([], held('a'))).toEqual([held('a')])
    expect(withSession([held('a'), held('b')], held('a', 2))).toEqual([held('b'), held('a', 2)])
  })
})
