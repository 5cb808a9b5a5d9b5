import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstOf, runsOf } from '../../test/support/full-counts.ts'
import { newSession, tickingClock } from '../../test/support/session-store.ts'
import { describeStores } from '../../test/support/stores.ts'
import { NATIVE_BACKENDS } from '../agents/adapter/agent.ts'
import { NO_USAGE } from '../agents/adapter/token-usage.ts'
import type { Session } from './session.shape.ts'
import { foldText, toSearchText } from './session-rows.ts'
import { SESSION_STATUSES } from './session-statuses.ts'
import type { SessionFilter, SessionStore } from './session-store.ts'

const ALL = { limit: 10_000, offset: 0 }
const TAGS = ['api', 'nightly', 'x']
const MODELS = ['opus', 'flash']
const PLACES = ['/work/a', '/work/b']
const PROMPTS = ['Fix the "parser"', 'explain the ÄNDERUNG', '漢字 and more', 'add', 'a\nb %_*']

/** What a list has to give, said as plainly as possible. */
function expected(sessions: readonly Session[], filter: SessionFilter): Session[] {
  const { backend, status, tag, model, workdir, search, since, until, isResumable } = filter
  return sessions
    .filter(
      (session) =>
        (backend === undefined || session.backend === backend) &&
        (status === undefined || session.status === status) &&
        (tag === undefined || session.tags.includes(tag)) &&
        (model === undefined || session.model === model) &&
        (workdir === undefined || session.working_dir === workdir) &&
        (since === undefined || session.last_used >= since) &&
        (until === undefined || session.last_used < until) &&
        (isResumable === undefined || (session.backend_session_id !== undefined) === isResumable) &&
        (search === undefined ||
          toSearchText(session).includes(foldText(search)) ||
          session.id.startsWith(foldText(search))),
    )
    .toSorted((a, b) => compare(b.last_used, a.last_used) || compare(b.id, a.id))
}
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

const moments = Array.from({ length: 5 }, (_, second) => `2026-01-01T00:00:0${second}.000Z`)
const filters: fc.Arbitrary<SessionFilter> = fc.record(
  {
    backend: fc.constantFrom(...NATIVE_BACKENDS),
    status: fc.constantFrom(...SESSION_STATUSES),
    tag: fc.constantFrom(...TAGS, 'unknown'),
    model: fc.constantFrom(...MODELS, 'unknown'),
    workdir: fc.constantFrom(...PLACES, '/unknown'),
    search: fc.constantFrom(
      'PARSER',
      'änd',
      '漢字',
      'a',
      'ad',
      'add',
      '"p',
      '"PARSER"',
      '%',
      'e the',
      '0',
      '',
      'no such thing',
    ),
    since: fc.constantFrom(...moments),
    until: fc.constantFrom(...moments),
    isResumable: fc.boolean(),
  },
  { requiredKeys: [] },
)

describeStores('sessions', (kind) => {
  describe('a list', () => {
    /** Many use the same moment, and all properties are mixed. */
    const sessionNumber = (at: number): Session => ({
      ...newSession(),
      id: (Math.imul(at + 1, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0').repeat(4),
      backend: NATIVE_BACKENDS[at % 3] ?? 'claude',
      status: (['completed', 'error', 'paused'] as const)[Math.floor(at / 2) % 3] ?? 'error',
      created_at: moments[0] ?? '',
      last_used: moments[at % 5] ?? '',
      working_dir: PLACES[Math.floor(at / 5) % 2] ?? '',
      initial_prompt: PROMPTS[at % PROMPTS.length] ?? '',
      turn_count: 1,
      token_usage: NO_USAGE,
      tags: TAGS.filter((_, bit) => (at >> bit) & 1),
      ...(at % 4 > 0 && { model: MODELS[at % 2] ?? '' }),
      ...(at % 7 > 2 && { backend_session_id: `agent-${at}` }),
      ...(at % 11 === 0 && { title: 'All about the Parser' }),
    })
    const sessions = Array.from({ length: 300 }, (_, at) => sessionNumber(at))
    /** Enough that a search which finds most of them takes the other way through the sessions, too. */
    const crowd = Array.from({ length: 2_100 }, (_, at) => ({ ...sessionNumber(at + 300), initial_prompt: 'Crowd' }))

    async function storeOf(sessions: readonly (Session & { keyId?: string })[]): Promise<SessionStore> {
      const place = await kind.newPlace()
      const store = await kind.open({ place })
      await place.addSessions(sessions)
      return store
    }

    it('returns the sessions that match the whole filter, newest first, and their number', async () => {
      const store = await storeOf(sessions)
      const page = fc.record({ limit: fc.integer({ min: 1, max: 400 }), offset: fc.nat(350) })
      await fc.assert(
        fc.asyncProperty(filters, page, async (filter, { limit, offset }) => {
          const all = expected(sessions, filter)
          expect(await store.list(filter, { limit, offset })).toEqual({
            sessions: all.slice(offset, offset + limit),
            total: all.length,
            limit,
            offset,
          })
        }),
        { numRuns: runsOf(300) },
      )
    })

    it('has for a key only its own and shared ones, whatever the filter', async () => {
      const owned = sessions.map((session, at) => ({
        ...session,
        keyId: ['', 'key_a', 'key_b'][at % 3] ?? '',
        ...(at % 8 === 0 && { shared: true as const }),
      }))
      const store = (await storeOf(owned)).seenBy('key_a')
      const seen = owned
        .filter(({ keyId, shared }) => keyId === 'key_a' || shared === true)
        .map(({ keyId: _, ...session }) => session)
      const page = fc.record({ limit: fc.integer({ min: 1, max: 200 }), offset: fc.nat(150) })
      await fc.assert(
        fc.asyncProperty(filters, page, async (filter, { limit, offset }) => {
          const all = expected(seen, filter)
          const found = { sessions: all.slice(offset, offset + limit), total: all.length, limit, offset }
          expect(await store.list(filter, { limit, offset })).toEqual(found)
        }),
        { numRuns: runsOf(200) },
      )
    })

    it.each<SessionFilter>(
      firstOf(
        [
          { search: 'crowd' },
          { search: 'CR' },
          { search: 'c' },
          { search: 'crowd', backend: 'codex' },
          { search: 'row', isResumable: true },
          { search: 'row', tag: 'api', since: '2026-01-01T00:00:02Z' },
        ],
        2,
      ),
    )('of thousands is correct: %j', async (filter) => {
      const many = [...sessions, ...crowd]
      const store = await storeOf(many)
      const all = expected(many, filter.since === undefined ? filter : { ...filter, since: '2026-01-01T00:00:02.000Z' })
      expect(await store.list(filter, ALL)).toMatchObject({ sessions: all, total: all.length })
      expect((await store.list(filter, { limit: 7, offset: 20 })).sessions).toEqual(all.slice(20, 27))
    })

    it.each<[SessionFilter, string]>([
      [{ tag: 'NO' }, 'the tag "NO" must have'],
      [{ tag: '' }, 'the tag "" must have'],
      [{ model: '' }, 'model must not be empty'],
      [{ workdir: '' }, 'workdir must not be empty'],
      [{ since: 'now' }, 'since must be a time'],
      [{ until: 'now' }, 'until must be a time'],
      [{ search: '\0' }, 'search must not contain'],
    ])('refuses %j', async (filter, problem) => {
      await expect((await kind.open()).list(filter, ALL)).rejects.toThrow(problem)
    })

    it('refuses an invalid page', async () => {
      await expect((await kind.open()).list({}, { limit: 0, offset: 0 })).rejects.toThrow('limit must be')
    })
  })

  describe('a list after changes', () => {
    type Step = { act: keyof typeof ACTS; at: number; choice: number }
    type Act = (store: SessionStore, id: string, choice: number) => Promise<unknown>

    const pick = <T>(from: readonly T[], choice: number): T => from[choice % from.length] as T
    const ACTS = {
      create: (store, _, choice) =>
        store.create(
          newSession({
            backend: pick(NATIVE_BACKENDS, choice),
            working_dir: pick(PLACES, choice),
            tags: TAGS.filter((_tag, bit) => (choice >> bit) & 1),
            initial_prompt: pick(PROMPTS, choice),
          }),
        ),
      recordAgentSession: (store, id, choice) =>
        store.recordAgentSession(id, pick([{ backendSessionId: 'x' }, { model: 'opus' }], choice)),
      finishTurn: (store, id, choice) =>
        store.finishTurn(id, {
          outcome: pick(['completed', 'error', 'interrupted'] as const, choice),
          usage: NO_USAGE,
          ...pick([{}, { backendSessionId: 'y', model: 'flash' }], choice),
        }),
      reopen: (store, id) => store.reopen(id),
      edit: (store, id, choice) =>
        store.edit(id, {
          addTags: [pick(TAGS, choice)],
          removeTags: [pick(['x', 'api'], choice)],
          title: pick([null, 'Parser'], choice),
        }),
      delete: (store, id) => store.delete(id),
    } satisfies Record<string, Act>

    const steps: fc.Arbitrary<Step[]> = fc.array(
      fc.record({
        act: fc.constantFrom<Step['act'][]>(
          'create',
          'create',
          'recordAgentSession',
          'finishTurn',
          'finishTurn',
          'reopen',
          'edit',
          'delete',
        ),
        at: fc.nat(20),
        choice: fc.nat(100),
      }),
      { minLength: 5, maxLength: 30 },
    )

    async function take({ act, at, choice }: Step, store: SessionStore): Promise<void> {
      const { sessions } = await store.list({}, ALL)
      const session = sessions[at % Math.max(1, sessions.length)]
      if (session === undefined && act !== 'create') return
      const doing: Promise<unknown> = ACTS[act](store, session?.id ?? '', choice)
      await doing.catch((error) => expect(error).toHaveProperty('kind', 'conflict'))
    }

    it('counts and finds the same as a full scan', async () => {
      await fc.assert(
        fc.asyncProperty(steps, filters, async (taken, filter) => {
          const store = await kind.open({ clock: tickingClock() })
          for (const step of taken) await take(step, store)
          const { sessions } = await store.list({}, ALL)
          expect(await store.count()).toBe(sessions.length)
          for (const one of [filter, ...Object.entries(filter).map((entry) => Object.fromEntries([entry]))]) {
            const all = expected(sessions, one)
            expect(await store.list(one, ALL)).toMatchObject({ sessions: all, total: all.length })
          }
          await store.close()
        }),
        { numRuns: runsOf(15) },
      )
    }, 120_000)
  })
})
