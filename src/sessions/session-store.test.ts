import { describe, expect, it } from 'vitest'
import { IS_FULL } from '../../test/support/full-counts.ts'
import { newSession, tickingClock } from '../../test/support/session-store.ts'
import { describeStores } from '../../test/support/stores.ts'
import { NO_USAGE } from '../agents/adapter/token-usage.ts'
import type { Ids } from '../kit/ids.ts'
import { randomIds } from '../kit/ids.ts'
import type { Session } from './session.shape.ts'
import type { SessionStatus } from './session-statuses.ts'
import type { SessionFilter, SessionStore, TurnEnd } from './session-store.ts'

const USAGE = { input_tokens: 10, output_tokens: 20, cached_tokens: 3, reasoning_tokens: 4 }
const THREAD = { input_tokens: 100, output_tokens: 200, cached_tokens: 30, reasoning_tokens: 40 }
const ALL = { limit: 1_000, offset: 0 }
const ABANDONED = 'the process that ran this turn ended before the agent did'

const completed = (over: Partial<TurnEnd> = {}): TurnEnd => ({ outcome: 'completed', usage: NO_USAGE, ...over })
const fault = (code: string, kind: string) => expect.objectContaining({ code, kind })
/** Ids with the given prefixes, so that a test can identify them; owners get random ones. */
function idsBeginning(...beginnings: string[]): Ids {
  return { ...randomIds, hex: (bytes) => ((beginnings.shift() ?? '') + randomIds.hex(bytes)).slice(0, bytes * 2) }
}
async function finishedSession(
  store: SessionStore,
  over: Partial<Parameters<typeof newSession>[0]> = {},
): Promise<Session> {
  const { id } = await store.create(newSession(over))
  await store.finishTurn(id, completed({ backendSessionId: `agent-${id}` }))
  return store.find(id)
}
const idsOf = async (store: SessionStore, filter: SessionFilter = {}) =>
  (await store.list(filter, ALL)).sessions.map(({ id }) => id)

describeStores('sessions', (kind) => {
  describe('create', () => {
    it('adds an active session and returns it', async () => {
      const store = await kind.open({ clock: tickingClock() })
      const wanted = newSession({
        model: 'opus',
        system_prompt: 'be brief',
        title: 'Greeting',
        tags: ['b', 'a', 'b'],
        parent_id: '0'.repeat(32),
        metadata: { big: 2n ** 60n, share: 0.5, nested: { list: [null, true] } },
      })
      const session = await store.create(wanted)
      expect(session).toEqual({
        ...wanted,
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        tags: ['b', 'a'],
        status: 'active',
        created_at: '2026-01-01T00:00:01.000Z',
        last_used: '2026-01-01T00:00:01.000Z',
        turn_count: 0,
        token_usage: NO_USAGE,
      })
      expect(await store.find(session.id)).toEqual(session)
    })

    it.each([{ tags: ['No'] }, { title: '' }])('refuses %j and adds nothing', async (over) => {
      const store = await kind.open()
      await expect(store.create(newSession(over))).rejects.toThrow(fault('session_field_invalid', 'invalid'))
      expect(await store.count()).toBe(0)
    })
  })

  describe('a prepared session', () => {
    it('is idle, and is begun once, by its own key', async () => {
      const store = await kind.open({ clock: tickingClock() })
      const owned = { keyId: 'ada', api_key: 'ada', shared: true as const }
      const { id, created_at } = await store.prepare(newSession({ ...owned, backend: 'claude', initial_prompt: '' }))
      expect(await store.find(id)).toMatchObject({ status: 'completed', turn_count: 0 })
      const first = { ...newSession({ ...owned, backend: 'codex', initial_prompt: 'hello' }), id }
      const foreign = fault('session_of_another_key', 'invalid')
      await expect(store.create({ ...first, keyId: 'bob' })).rejects.toThrow(foreign)
      await store.create(first)
      const begun = { backend: 'codex', initial_prompt: 'hello', status: 'active', created_at }
      expect(await store.find(id)).toMatchObject(begun)
      await expect(store.create(first)).rejects.toThrow(fault('session_active', 'conflict'))
      await store.finishTurn(id, completed())
      await expect(store.create(first)).rejects.toThrow(fault('session_active', 'conflict'))
      expect(await store.find(id)).toMatchObject({ ...begun, status: 'completed', turn_count: 1 })
    })
  })

  describe('a turn', () => {
    it.each<[TurnEnd['outcome'], string | undefined, SessionStatus]>([
      ['completed', 'agent-1', 'completed'],
      ['completed', undefined, 'completed'],
      ['error', 'agent-1', 'error'],
      ['error', undefined, 'error'],
      ['interrupted', 'agent-1', 'paused'],
      ['interrupted', undefined, 'error'],
    ])('that ends as %s, with the agent id %s, leaves the session %s', async (outcome, agentId, status) => {
      const store = await kind.open()
      const { id } = await store.create(newSession())
      if (agentId !== undefined) await store.recordAgentSession(id, { backendSessionId: agentId })
      expect(await store.finishTurn(id, { outcome, usage: NO_USAGE })).toMatchObject({ status, turn_count: 1 })
      expect((await store.find(id)).status).toBe(status)
    })

    it('adds its usage and what the agent reported to the session', async () => {
      const store = await kind.open({ clock: tickingClock() })
      const { id } = await store.create(newSession())
      await store.recordAgentSession(id, { backendSessionId: 'first', model: 'opus' })
      expect(await store.find(id)).toMatchObject({ status: 'active', backend_session_id: 'first', model: 'opus' })
      await store.finishTurn(id, { outcome: 'error', errorMessage: 'no credit', usage: USAGE, threadUsage: THREAD })
      const reopened = await store.reopen(id)
      expect(reopened).toEqual({
        session: expect.objectContaining({ status: 'active', turn_count: 1, error_message: 'no credit' }),
        threadUsage: THREAD,
      })
      const end = completed({ usage: USAGE, backendSessionId: 'second', model: 'sonnet' })
      const after = await store.finishTurn(id, end)
      expect(after).toEqual({
        ...(await store.find(id)),
        status: 'completed',
        turn_count: 2,
        token_usage: { input_tokens: 20, output_tokens: 40, cached_tokens: 6, reasoning_tokens: 8 },
        backend_session_id: 'second',
        model: 'sonnet',
        last_used: '2026-01-01T00:00:04.000Z',
        created_at: '2026-01-01T00:00:01.000Z',
      })
      expect(after).not.toHaveProperty('error_message')
      expect((await store.reopen(id)).threadUsage).toEqual(THREAD)
    })

    it('stores no tokens if turned off, except the total that the agent needs', async () => {
      const store = await kind.open({ storeTokenUsage: false })
      const { id } = await store.create(newSession())
      await store.finishTurn(id, completed({ usage: USAGE, threadUsage: THREAD, backendSessionId: 'x' }))
      const { session, threadUsage } = await store.reopen(id)
      expect({ usage: session.token_usage, threadUsage }).toEqual({ usage: NO_USAGE, threadUsage: THREAD })
    })

    it('ends once', async () => {
      const store = await kind.open()
      const { id } = await store.create(newSession())
      const first = await store.finishTurn(id, completed({ usage: USAGE }))
      expect(await store.finishTurn(id, { outcome: 'error', usage: USAGE })).toEqual(first)
      await store.recordAgentSession(id, { backendSessionId: 'late' })
      expect(await store.find(id)).toEqual(first)
    })

    it('of a deleted session returns undefined', async () => {
      const store = await kind.open()
      const { id } = await finishedSession(store)
      await store.delete(id)
      expect(await store.finishTurn(id, completed())).toBeUndefined()
      await store.recordAgentSession(id, { model: 'x' })
    })

    it('of another process cannot be ended by this one', async () => {
      const place = await kind.newPlace()
      const [one, other] = [await kind.open({ place }), await kind.open({ place })]
      await other.owner()
      const session = await one.create(newSession())
      expect(await other.finishTurn(session.id, completed())).toEqual(session)
      await other.recordAgentSession(session.id, { model: 'x' })
      expect(await one.find(session.id)).toEqual(session)
    })
  })

  describe('reopen', () => {
    it('refuses a session with a running turn, in this process or another', async () => {
      const place = await kind.newPlace()
      const [one, other] = [await kind.open({ place }), await kind.open({ place })]
      const { id } = await finishedSession(one)
      await one.reopen(id)
      for (const store of [one, other])
        await expect(store.reopen(id)).rejects.toThrow(fault('session_active', 'conflict'))
    })

    it('refuses a session without an agent id, and changes nothing', async () => {
      const store = await kind.open()
      const { id } = await store.create(newSession({ backend: 'gemini' }))
      const before = await store.finishTurn(id, completed())
      await expect(store.reopen(id)).rejects.toThrow(fault('session_not_resumable', 'conflict'))
      expect(await store.find(id)).toEqual(before)
    })

    it('reopens a session whose process died', async () => {
      const { place, id } = await abandoned({ backendSessionId: 'x' })
      const next = await kind.open({ place })
      expect((await next.reopen(id)).session).toMatchObject({
        status: 'active',
        turn_count: 1,
        error_message: ABANDONED,
        backend_session_id: 'x',
      })
    })

    it('succeeds for one of two concurrent calls', async () => {
      const place = await kind.newPlace()
      const [one, other] = [await kind.open({ place }), await kind.open({ place })]
      const { id } = await finishedSession(one)
      const results = await Promise.allSettled([one.reopen(id), other.reopen(id)])
      expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    })
  })

  /** A session of a killed process: active, with an owner that is dead. */
  async function abandoned(fact: { backendSessionId?: string } = {}) {
    // Long enough that a process of the test which has to wait for the machine is not dead.
    const place = await kind.newPlace({ deadAfterMs: 3000 })
    const first = await kind.open({ place, clock: tickingClock() })
    const { id } = await first.create(newSession())
    await first.recordAgentSession(id, fact)
    await first.close()
    const owner = 'd'.repeat(32)
    await place.abandonSessions(owner)
    return { place, id, owner }
  }

  describe('endAbandonedTurns', () => {
    it.each<[string, { backendSessionId?: string }, SessionStatus]>([
      ['the agent has named', { backendSessionId: 'x' }, 'paused'],
      ['the agent has not named', {}, 'error'],
    ])('ends the turn of a session that %s, without changing the last use', async (_, fact, status) => {
      const { place, id, owner } = await abandoned(fact)
      const store = await kind.open({ place })
      const before = await store.find(id)
      expect(await store.endAbandonedTurns()).toEqual({ ended: 1, deadOwners: [owner] })
      expect(await store.find(id)).toEqual({ ...before, status, turn_count: 1, error_message: ABANDONED })
      expect(await store.endAbandonedTurns()).toEqual({ ended: 0, deadOwners: [] })
    })

    it.each<[string, (store: SessionStore, id: string) => Promise<unknown>]>([
      ['endAbandonedTurns', (store) => store.endAbandonedTurns()],
      ['reopen', (store, id) => store.reopen(id)],
      ['delete', (store, id) => store.delete(id)],
    ])('ends the agents of a dead process before its session can be used: %s', async (_, work) => {
      const { place, id, owner } = await abandoned({ backendSessionId: 'x' })
      const seen: unknown[] = []
      const onlooker = await kind.open({ place })
      const endAgentsOf = async (name: string) => void seen.push([name, (await onlooker.find(id)).status])
      await work(await kind.open({ place, endAgentsOf }), id)
      // The process also looks for dead ones by itself, so it may have seen this one twice.
      expect([...new Set(seen.map(String))]).toEqual([`${owner},active`])
    })

    it('ignores the turns of living processes', async () => {
      const place = await kind.newPlace()
      const [one, other] = [await kind.open({ place }), await kind.open({ place })]
      await one.create(newSession())
      await other.create(newSession())
      expect(await one.endAbandonedTurns()).toEqual({ ended: 0, deadOwners: [] })
      expect((await one.list({ status: 'active' }, ALL)).total).toBe(2)
    })

    it('ends each turn once when several processes do it at the same time', async () => {
      const { place, id } = await abandoned()
      const stores = await Promise.all([1, 2, 3, 4].map(() => kind.open({ place })))
      const reports = await Promise.all(stores.map((store) => store.endAbandonedTurns()))
      expect(reports.reduce((sum, { ended }) => sum + ended, 0)).toBe(1)
      expect(await stores[0]?.find(id)).toMatchObject({ status: 'error', turn_count: 1 })
    })
  })

  describe('find', () => {
    it('accepts the full id or a unique prefix', async () => {
      const store = await kind.open({ ids: idsBeginning('', 'aaaa1', 'aaaa2', 'aaab') })
      await store.owner()
      const [one, two, three] = [
        await finishedSession(store),
        await finishedSession(store),
        await finishedSession(store),
      ]
      for (const text of [one.id, one.id.slice(0, 31), 'aaaa1']) expect((await store.find(text)).id).toBe(one.id)
      expect((await store.find('aaab')).id).toBe(three.id)
      await expect(store.find('aaaa')).rejects.toThrow(
        expect.objectContaining({ code: 'session_ambiguous', kind: 'conflict', details: { id: 'aaaa', count: 2 } }),
      )
      await store.delete('aaaa2')
      await expect(store.find(two.id)).rejects.toThrow(fault('session_not_found', 'not_found'))
      await expect(store.find('aaa')).rejects.toThrow(fault('session_id_malformed', 'invalid'))
    })
  })

  describe('edit', () => {
    it('changes title and tags for searches, but not the last use', async () => {
      const store = await kind.open()
      const before = await finishedSession(store, { title: 'Old name', tags: ['a', 'b'] })
      const after = await store.edit(before.id.slice(0, 8), { title: 'New name', addTags: ['c'], removeTags: ['a'] })
      expect(after).toEqual({ ...before, title: 'New name', tags: ['b', 'c'] })
      expect(await store.find(before.id)).toEqual(after)
      const found = async (filter: SessionFilter) => (await store.list(filter, ALL)).total
      expect([await found({ search: 'old name' }), await found({ search: 'new name' })]).toEqual([0, 1])
      expect([await found({ tag: 'a' }), await found({ tag: 'b' }), await found({ tag: 'c' })]).toEqual([0, 1, 1])
      const { title: _, ...untitled } = after
      expect(await store.edit(before.id, { title: null })).toStrictEqual(untitled)
      expect(await found({ search: 'new name' })).toBe(0)
    })

    it('works during a turn, and survives its end', async () => {
      const store = await kind.open()
      const { id } = await store.create(newSession())
      await store.edit(id, { title: 'Running' })
      expect(await store.finishTurn(id, completed())).toMatchObject({ title: 'Running', status: 'completed' })
    })
  })

  describe('delete', () => {
    it('deletes by prefix, returns the full id, and removes the session from lists', async () => {
      const store = await kind.open()
      const { id } = await finishedSession(store, { tags: ['a'], initial_prompt: 'needle' })
      expect(await store.delete(id.slice(0, 8))).toBe(id)
      for (const filter of [{}, { tag: 'a' }, { search: 'needle' }, { search: 'n' }]) {
        expect(await store.list(filter, ALL)).toMatchObject({ sessions: [], total: 0 })
      }
      expect(await store.count()).toBe(0)
    })

    it('refuses a session with a running turn', async () => {
      const store = await kind.open()
      const { id } = await store.create(newSession())
      await expect(store.delete(id)).rejects.toThrow(fault('session_active', 'conflict'))
      expect(await store.count()).toBe(1)
    })

    it('deletes a session whose process is dead', async () => {
      const { place, id } = await abandoned()
      const store = await kind.open({ place })
      expect(await store.delete(id)).toBe(id)
    })
  })

  describe('deleteUnusedSince', () => {
    it('deletes sessions last used before a time, oldest first, but no active one', async () => {
      const store = await kind.open({ clock: tickingClock() })
      const active = await store.create(newSession())
      const old = [await finishedSession(store), await finishedSession(store)]
      const limit = await finishedSession(store)
      const before = limit.last_used
      const ids = old.map(({ id }) => id)
      expect(await store.deleteUnusedSince(before, { isDryRun: true })).toEqual(ids)
      expect(await store.count()).toBe(4)
      expect(await store.deleteUnusedSince(before, { isDryRun: false })).toEqual(ids)
      expect(await idsOf(store)).toEqual([limit.id, active.id])
    })

    it.runIf(IS_FULL)('deletes more sessions than one batch', async () => {
      const store = await kind.open({ clock: tickingClock() })
      const all: string[] = []
      for (let i = 0; i < 101; i++) all.push((await finishedSession(store)).id)
      expect(await store.deleteUnusedSince('2030-01-01T00:00:00Z', { isDryRun: false })).toEqual(all)
      expect(await store.count()).toBe(0)
    })

    it('refuses an invalid time', async () => {
      const store = await kind.open()
      await expect(store.deleteUnusedSince('0', { isDryRun: false })).rejects.toThrow(
        fault('session_field_invalid', 'invalid'),
      )
    })
  })

  describe('close', () => {
    it('ends running turns', async () => {
      const place = await kind.newPlace()
      const store = await kind.open({ place })
      const { id } = await store.create(newSession())
      await store.close()
      await store.close()
      expect(await (await kind.open({ place })).find(id)).toMatchObject({ status: 'error', error_message: ABANDONED })
    })
  })

  describe('count', () => {
    it('counts all sessions', async () => {
      const store = await kind.open()
      expect(await store.count()).toBe(0)
      await store.create(newSession())
      await finishedSession(store, { tags: ['a', 'b'] })
      expect(await store.count()).toBe(2)
    })
  })
})
