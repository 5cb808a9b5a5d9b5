import { describe, expect, it } from 'vitest'
import { newSession } from '../../../test/support/session-store.ts'
import { describeStores, type StoreKind } from '../../../test/support/stores.ts'
import { NO_USAGE } from '../../agents/adapter/token-usage.ts'
import { systemClock, toTimestamp } from '../../kit/clock.ts'
import type { Execution, ExecutionEvent } from './execution.shape.ts'
import type { ExecutionChange, ExecutionFilter } from './execution-store.ts'

const idOf = (at: number) => `exec_${String(at).padStart(24, '0')}`
const momentOf = (at: number) => `2026-01-01T00:${String(at).padStart(2, '0')}:00.000Z`

async function openIn(kind: StoreKind, clock = systemClock) {
  const place = await kind.newPlace()
  const { executions: store } = await kind.openBoth({ place, clock })
  for (const name of ['me', 'dead', 'alive']) await place.addOwner(name)
  return { store, count: async (table: string) => (await place.query(`SELECT * FROM ${table}`)).length, place }
}

function execution(at: number, over: Partial<Execution> = {}): Execution {
  const ended = { state: 'completed' as const, ended_at: momentOf(at) }
  return { id: idOf(at), kind: 'prompt', owner: 'me', created_at: momentOf(at), last_seq: 0, ...ended, ...over }
}

const added = (record: Execution, events: ExecutionEvent[] = []): ExecutionChange => ({
  execution: { ...record, last_seq: events.length },
  keep: 'events',
  events,
  isNew: true,
})

const events = (count: number, from = 1): ExecutionEvent[] =>
  Array.from({ length: count }, (_, at) => ({
    seq: from + at,
    at: momentOf(0),
    type: 'message',
    content: { text: `${from + at}` },
  }))

describeStores('executions', (kind) => {
  describe('a stored execution', () => {
    it('is read as it was saved', async () => {
      const { store } = await openIn(kind)
      const whole = execution(1, {
        parent_id: idOf(9),
        session_id: 's',
        backend: 'claude',
        model: 'm',
        workdir: '/w',
        api_key: 'k',
        is_demo: true,
        started_at: momentOf(1),
        usage: { input_tokens: 1, output_tokens: 2, cached_tokens: 3, reasoning_tokens: 4 },
        cost_usd: 0.25,
        error: { code: 'c', message: 'm' },
        prompt: 'say hello',
        client_request: { model: 'm', metadata: { a: 'b' } },
        result: { output: 'hello', nested: { a: [1, null] } },
      })
      await store.save([added(whole)])
      expect(await store.find(idOf(1))).toEqual(whole)
      const { prompt: _, result: __, client_request: ___, ...listed } = whole
      expect((await store.list({}, { limit: 1 })).executions).toEqual([{ ...listed, prompt_start: 'say hello' }])
      const found = async (filter: ExecutionFilter) => (await store.list(filter, { limit: 9 })).executions.length
      for (const filter of [{ search: 'SAY h' }, { key: 'k' }, { workdir: '/w' }, { search: 'hello', key: 'k' }])
        expect(await found(filter), JSON.stringify(filter)).toBe(1)
      for (const filter of [{ search: 'h_llo' }, { search: '%' }, { search: '\\' }, { key: 'K' }, { workdir: '/' }])
        expect(await found(filter), JSON.stringify(filter)).toBe(0)
    })

    it('gets more events and another state with each change', async () => {
      const { store } = await openIn(kind)
      const running = execution(1, { state: 'running' })
      const { ended_at: _, ...open1 } = running
      await store.save([added(open1 as Execution, events(2))])
      await store.save([
        {
          execution: { ...running, state: 'completed', last_seq: 5 },
          keep: 'events',
          events: events(3, 3),
          isNew: false,
        },
      ])
      expect(await store.find(idOf(1))).toMatchObject({ state: 'completed', last_seq: 5 })
      expect(await store.events(idOf(1), { after: 0, limit: 99 })).toEqual(events(5))
      expect(await store.events(idOf(1), { after: 3, limit: 1 })).toEqual(events(1, 4))
    })

    it('is found by a prefix that only it has', async () => {
      const { store } = await openIn(kind)
      await store.save([added(execution(1)), added(execution(2))])
      await expect(store.find('exec_0000')).rejects.toMatchObject({ code: 'execution_ambiguous' })
      await expect(store.find('exec_00001')).rejects.toMatchObject({ code: 'execution_not_found' })
      await expect(store.find('exec_xyz')).rejects.toMatchObject({ code: 'execution_id_malformed' })
    })

    it('is not changed at all if one change of a batch fails', async () => {
      const { store } = await openIn(kind)
      await store.save([added(execution(1), events(1))])
      const broken = added({ ...execution(3), kind: null as never })
      await expect(store.save([added(execution(2)), broken])).rejects.toThrow()
      expect((await store.list({}, { limit: 9 })).executions.map(({ id }) => id)).toEqual([idOf(1)])
    })
  })

  describe('a page since a time', () => {
    it.each([0, 1, 15, 29, 30, 59])('begins at minute %i', async (minute) => {
      const { store } = await openIn(kind)
      await store.save(Array.from({ length: 30 }, (_, at) => added(execution(at))))
      const { executions } = await store.list({ since: momentOf(minute) }, { limit: 99 })
      expect(executions.map(({ id }) => id)).toEqual(
        Array.from({ length: Math.max(0, 30 - minute) }, (_, at) => idOf(29 - at)),
      )
    })

    it('finds executions that were saved out of order', async () => {
      const { store } = await openIn(kind)
      const order = [5, 3, 9, 1, 7]
      await store.save(order.map((at) => added(execution(at))))
      const { executions } = await store.list({ since: momentOf(5) }, { limit: 99 })
      expect(executions.map(({ id }) => id)).toEqual([7, 9, 5].map(idOf))
    })
  })

  describe('the executions of a process that is gone', () => {
    it('are lost, with one more event, or removed if nothing is kept of them', async () => {
      const { store } = await openIn(kind)
      const running = (at: number, owner: string): Execution => {
        const { ended_at: _, ...rest } = execution(at, { state: 'running', owner })
        return rest as Execution
      }
      await store.save([
        added(running(1, 'dead'), events(2)),
        { ...added(running(2, 'dead')), keep: 'none' },
        { ...added(running(3, 'dead')), keep: 'results' },
        added(running(4, 'alive'), events(1)),
        added(execution(5, { owner: 'dead' }), events(1)),
      ])
      await store.loseAllOf('dead')
      await store.loseAllOf('dead')
      expect(await store.find(idOf(1))).toMatchObject({ state: 'lost', last_seq: 3, ended_at: expect.any(String) })
      expect((await store.events(idOf(1), { after: 2, limit: 9 }))[0]).toMatchObject({
        seq: 3,
        type: 'state',
        content: { state: 'lost' },
      })
      await expect(store.find(idOf(2))).rejects.toMatchObject({ code: 'execution_not_found' })
      expect(await store.find(idOf(3))).toMatchObject({ state: 'lost', last_seq: 0 })
      expect(await store.find(idOf(5))).toMatchObject({ state: 'completed' })
      expect((await store.running()).map(({ id }) => id)).toEqual([idOf(4)])
    })

    it('leave no session completed whose result was not stored', async () => {
      const place = await kind.newPlace()
      const { executions, sessions } = await kind.openBoth({ place })
      const startedAt = toTimestamp(systemClock.now())
      const owner = await sessions.owner()
      const ended = { outcome: 'completed' as const, usage: NO_USAGE, backendSessionId: 'of-the-agent' }
      const [lost, next] = [await sessions.create(newSession()), await sessions.create(newSession())]
      for (const { id } of [lost, next]) await sessions.finishTurn(id, ended)
      const turn = (at: number, session: string, over: Partial<Execution> = {}) =>
        added({ ...execution(at, { owner, session_id: session, started_at: startedAt }), ...over })
      const runs = { state: 'running' as const, ended_at: undefined as never }
      // The second session has had another turn since.
      await executions.save([turn(1, lost.id, runs), turn(2, next.id, runs), turn(3, next.id)])
      await sessions.close()
      const later = await kind.openBoth({ place })
      expect((await later.executions.find(idOf(1))).state).toBe('lost')
      expect(await later.sessions.find(lost.id)).toMatchObject({
        status: 'paused',
        turn_count: 1,
        error_message: 'the process that ran this turn ended before it stored the result',
      })
      expect(await later.sessions.find(next.id)).toMatchObject({ status: 'completed' })
    })
  })

  describe('an attachment', () => {
    const [one, two] = [
      { digest: 'sha256:1', data: 'AAAA' },
      { digest: 'sha256:2', data: 'BBBB' },
    ] as const
    const record = ({ digest }: { digest: string }) => ({ digest, media_type: 'image/png', size: 3 })

    it('is stored once, and removed with the last execution that has it', async () => {
      const { store, count } = await openIn(kind)
      const first = execution(1, { attachments: [record(one), record(two)] })
      await store.save([{ ...added(first), attachments: [one, two, one] }])
      await store.save([{ ...added(execution(2, { attachments: [record(one)] })), attachments: [one] }])
      expect(await store.find(idOf(1))).toEqual(first)
      expect(await store.attachment(idOf(1), one.digest)).toBe('AAAA')
      expect(await store.attachment(idOf(2), two.digest)).toBeUndefined()
      expect(await count('attachments')).toBe(2)
      await store.remove(idOf(1))
      await store.removeOld({ endedBefore: momentOf(0), maxBytes: 1e9 })
      expect(await store.attachment(idOf(2), one.digest)).toBe('AAAA')
      expect(await count('attachments')).toBe(1)
      await store.removeOld({ endedBefore: momentOf(3), maxBytes: 1e9 })
      await store.removeOld({ endedBefore: momentOf(3), maxBytes: 1e9 })
      expect([await count('attachments'), await count('attachment_uses')]).toEqual([0, 0])
    })

    it('counts to the size of its execution', async () => {
      const { store, place } = await openIn(kind)
      await store.save([
        added(execution(1)),
        { ...added(execution(2, { attachments: [record(one)] })), attachments: [one] },
      ])
      const [without = 0, withFile = 0] = (await place.query('SELECT bytes FROM executions ORDER BY number')).map(
        ({ bytes }) => Number(bytes),
      )
      expect(withFile - without).toBe(3)
    })
  })

  describe('removeOld', () => {
    it('removes what ended before a time, and nothing that runs', async () => {
      const { store, count } = await openIn(kind)
      const { ended_at: _, ...running } = execution(0, { state: 'running' })
      await store.save([
        added(running as Execution, events(1)),
        ...[1, 2, 3].map((at) => added(execution(at), events(1))),
      ])
      expect(await store.removeOld({ endedBefore: momentOf(3), maxBytes: 1e9 })).toBe(2)
      expect((await store.list({}, { limit: 9 })).executions.map(({ id }) => id)).toEqual([idOf(3), idOf(0)])
      expect(await count('execution_events')).toBe(2)
    })

    it('removes the oldest until the rest fits', async () => {
      const { store, place } = await openIn(kind)
      await store.save([1, 2, 3, 4].map((at) => added(execution(at, { prompt: 'x'.repeat(1000) }))))
      const [{ bytes = 0 } = {}] = await place.query('SELECT bytes FROM executions LIMIT 1')
      expect(await store.removeOld({ endedBefore: momentOf(0), maxBytes: 2 * Number(bytes) })).toBe(2)
      expect(await store.removeOld({ endedBefore: momentOf(0), maxBytes: 2 * Number(bytes) })).toBe(0)
      expect((await store.list({}, { limit: 9 })).executions.map(({ id }) => id)).toEqual([idOf(4), idOf(3)])
    })

    describe('with more than fits', () => {
      /** Executions of the same size: `ada` has the oldest ones, `eve` has added many since, and the user one at the end. */
      const openShared = async () => {
        const { store, place } = await openIn(kind)
        const owners = ['ada', 'ada', ...Array.from({ length: 8 }, () => 'eve'), '']
        await store.save(
          owners.map((name, at) =>
            added(
              execution(at, { prompt: 'x'.repeat(1000), ...(name !== '' && { api_key: name, key_id: `key_${name}` }) }),
            ),
          ),
        )
        const [{ bytes = 0 } = {}] = await place.query('SELECT max(bytes) AS bytes FROM executions')
        const left = async () => (await store.list({}, { limit: 99 })).executions.map(({ id }) => Number(id.slice(-2)))
        return { store, left, keep: (count: number) => ({ endedBefore: momentOf(0), maxBytes: count * Number(bytes) }) }
      }

      it('removes the oldest of the key that uses most, and nothing of those that use less than their share', async () => {
        const { store, left, keep } = await openShared()
        expect(await store.removeOld(keep(11))).toBe(0)
        expect(await store.removeOld(keep(10))).toBe(1)
        expect(await left()).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 1, 0])
        expect(await store.removeOld(keep(5))).toBe(5)
        expect(await left()).toEqual([10, 9, 8, 1, 0])
      })

      it('removes from all that use most when they use the same', async () => {
        const { store, left, keep } = await openShared()
        await store.removeOld(keep(3))
        expect(await left()).toEqual([10, 9, 1])
      })

      it('removes nothing of others for what a key runs', async () => {
        const { store, left, keep } = await openShared()
        const { ended_at: _, ...running } = execution(11, {
          ...{ state: 'running', api_key: 'eve', key_id: 'key_eve' },
          prompt: 'x'.repeat(20_000),
        })
        await store.save([added(running as Execution)])
        expect(await store.removeOld(keep(5))).toBe(8)
        expect(await left()).toEqual([11, 10, 1, 0])
      })
    })

    it.each([2000, 2001, 5000])('removes an execution with %i events', async (size) => {
      const { store, count } = await openIn(kind)
      await store.save([added(execution(1), events(size))])
      expect(await store.removeOld({ endedBefore: momentOf(9), maxBytes: 1e9 })).toBe(1)
      expect(await count('execution_events')).toBe(0)
    })
  })

  describe('remove', () => {
    it('removes one execution with its events, unless it runs', async () => {
      const { store } = await openIn(kind)
      const { ended_at: _, ...running } = execution(2, { state: 'running' })
      await store.save([added(execution(1), events(3)), added(running, events(3)), added(execution(3), events(3))])
      for (const at of [1, 1, 2]) await store.remove(idOf(at))
      await expect(store.find(idOf(1))).rejects.toThrow('no execution')
      expect(await store.events(idOf(1), { after: 0, limit: 9 })).toEqual([])
      for (const at of [2, 3]) expect(await store.events(idOf(at), { after: 0, limit: 9 })).toHaveLength(3)
    })
  })

  describe('a key', () => {
    const claim = { keyId: 'a', key: 'k', digest: 'd', executionId: idOf(1) }

    it('is claimed once, released, and claimed again', async () => {
      const { store } = await openIn(kind)
      expect(await store.claimKey(claim)).toBeUndefined()
      expect(await store.claimKey({ ...claim, digest: 'other', executionId: idOf(2) })).toEqual(claim)
      expect(await store.claimKey({ ...claim, keyId: 'b' })).toBeUndefined()
      await store.releaseKey({ ...claim, executionId: idOf(2) })
      expect(await store.claimKey({ ...claim, executionId: idOf(2) })).toEqual(claim)
      await store.releaseKey(claim)
      expect(await store.claimKey(claim)).toBeUndefined()
    })

    it.each([
      ['after 24 hours', 24 * 3_600_000 + 1, undefined],
      ['in time', 24 * 3_600_000, claim],
    ])('is free again %s', async (_name, later, found) => {
      let now = Date.UTC(2026, 0, 1)
      const { store } = await openIn(kind, { now: () => new Date(now) })
      await store.claimKey(claim)
      now += later
      expect(await store.claimKey({ ...claim, executionId: idOf(2) })).toEqual(found)
    })
  })
})
