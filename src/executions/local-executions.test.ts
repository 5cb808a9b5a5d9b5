import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { describeStores, type Place, type StoreKind } from '../../test/support/stores.ts'
import { until } from '../../test/support/until.ts'
import { systemClock } from '../kit/clock.ts'
import { randomIds } from '../kit/ids.ts'
import type { ExecutionStart } from '../prompts/execution-recorder.ts'
import type { PromptEvent } from '../prompts/prompt-event.ts'
import type { PromptResult } from '../prompts/prompt-result.ts'
import { Executions } from './local-executions.ts'
import type { ExecutionEvent } from './store/execution.shape.ts'
import type { ExecutionStore } from './store/execution-store.ts'

const START: ExecutionStart = { kind: 'prompt', backend: 'claude', prompt: 'x', isEphemeral: false, onCancel: () => {} }
const RESULT: PromptResult = {
  session_id: '',
  backend: 'claude',
  exit_code: 0,
  duration_ms: 1,
  output: 'done',
  token_usage: { input_tokens: 1, output_tokens: 1, cached_tokens: 0, reasoning_tokens: 0 },
}

const said = (text: string) =>
  ({ type: 'message', timestamp: '2026-01-01T00:00:00.000Z', content: { text, role: 'assistant' } }) as PromptEvent

type Broken = (store: ExecutionStore) => ExecutionStore

type Options = { place?: Place; keep?: 'events' | 'results' | 'none'; damage?: Broken }

async function openIn(kind: StoreKind, { keep = 'events', damage = (store) => store, ...options }: Options = {}) {
  const place = options.place ?? (await kind.newPlace())
  const stores = await kind.openBoth({ place })
  const failures: unknown[] = []
  const executions = new Executions({
    openStore: async () => damage(stores.executions),
    owner: () => stores.sessions.owner(),
    clock: systemClock,
    ids: randomIds,
    keep,
    onFailure: (error) => failures.push(error),
    toWarning: (error) => `lost: ${(error as Error).message}`,
  })
  onTestFinished(() => executions.close())
  return { place, executions, store: stores.executions, failures }
}

async function followAll(executions: Executions, id: string, after = 0): Promise<ExecutionEvent[]> {
  const events: ExecutionEvent[] = []
  const { signal } = new AbortController()
  for await (const batch of executions.follow(id, { after, signal })) events.push(...batch)
  return events
}

describeStores('executions', (kind) => {
  describe('a reader', () => {
    it('gets the same events while the prompt runs and afterwards', async () => {
      const { executions } = await openIn(kind)
      const recording = executions.begin(START)
      const following = followAll(executions, recording.id)
      await recording.started()
      for (let at = 0; at < 10; at++) void recording.event(said(String(at)))
      expect(await recording.end(RESULT)).toEqual([])
      const events = await following
      expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 13 }, (_, at) => at + 1))
      expect(await followAll(executions, recording.id)).toEqual(events)
      expect(await followAll(executions, recording.id, 11)).toEqual(events.slice(11))
    })

    it('gets every event once, however often it is cut off and attached again', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.nat(6), { minLength: 1, maxLength: 8 }), fc.nat(40), async (cuts, total) => {
          const { executions } = await openIn(kind)
          const recording = executions.begin(START)
          const reader = readInPieces(executions, recording.id, cuts)
          for (let at = 0; at < total; at++) {
            void recording.event(said(String(at)))
            if (at % 7 === 0) await executions.save()
          }
          await recording.end(RESULT)
          expect(await reader).toEqual(await followAll(executions, recording.id))
        }),
        { numRuns: 10 },
      )
    })

    it('reads what is no longer in memory from the store', async () => {
      const { executions } = await openIn(kind)
      const recording = executions.begin(START)
      const long = 'x'.repeat(100_000)
      for (let at = 0; at < 60; at++) void recording.event(said(`${at} ${long}`))
      await executions.save()
      const following = followAll(executions, recording.id)
      await recording.end(RESULT)
      expect((await following).map(({ seq }) => seq)).toEqual(Array.from({ length: 62 }, (_, at) => at + 1))
    })

    it('is told when the events are gone, because nothing is kept', async () => {
      const { executions } = await openIn(kind, { keep: 'none' })
      const recording = executions.begin(START)
      for (let at = 0; at < 60; at++) void recording.event(said('x'.repeat(100_000)))
      await expect(followAll(executions, recording.id)).rejects.toMatchObject({ code: 'execution_events_gone' })
      const { signal } = new AbortController()
      const live = executions.follow(recording.id, { after: 55, signal })
      expect((await live.next()).value.map(({ seq }: ExecutionEvent) => seq)).toEqual([56, 57, 58, 59, 60, 61])
      await recording.end(RESULT)
    })

    it('stops with its signal', async () => {
      const { executions } = await openIn(kind)
      const recording = executions.begin(START)
      const stop = new AbortController()
      const reader = executions.follow(recording.id, { after: 1, signal: stop.signal })
      const next = reader.next()
      stop.abort()
      expect(await next).toEqual({ done: true, value: undefined })
      await recording.abandon()
    })
  })

  async function readInPieces(executions: Executions, id: string, cuts: readonly number[]): Promise<ExecutionEvent[]> {
    const events: ExecutionEvent[] = []
    const { signal } = new AbortController()
    for (const cut of [...cuts, Number.POSITIVE_INFINITY]) {
      let batches = 0
      for await (const batch of executions.follow(id, { after: events.at(-1)?.seq ?? 0, signal })) {
        events.push(...batch)
        batches += 1
        if (batches > cut) break
      }
    }
    return events
  }

  describe('another process with the same store', () => {
    it('follows the execution and cancels it', async () => {
      const here = await openIn(kind)
      const there = await openIn(kind, { place: here.place })
      const onCancel = vi.fn()
      const recording = here.executions.begin({ ...START, onCancel })
      await recording.started()
      void recording.event(said('one'))
      await here.executions.save()
      const following = followAll(there.executions, recording.id)
      await there.executions.cancel(await there.store.find(recording.id))
      await until(() => onCancel.mock.calls.length > 0)
      await recording.end({ ...RESULT, error_code: 'canceled', error: 'canceled', exit_code: 130 })
      expect((await following).at(-1)?.type).toBe('state')
    })
  })

  describe('a store that cannot be written', () => {
    const failing: Broken = (store) => ({ ...bound(store), save: () => Promise.reject(new Error('the disk is full')) })

    it('causes a warning in the result, and the reader still gets the events', async () => {
      const { executions, failures } = await openIn(kind, { damage: failing })
      const recording = executions.begin(START)
      const following = followAll(executions, recording.id)
      void recording.event(said('one'))
      expect(await recording.end(RESULT)).toEqual(['lost: the disk is full'])
      expect((await following).map(({ type }) => type)).toEqual(['state', 'message', 'state'])
      expect(failures.length).toBeGreaterThan(0)
    })

    it('and works again later has all events', async () => {
      let isBroken = true
      const { executions, store } = await openIn(kind, {
        damage: (real) => ({
          ...bound(real),
          save: (changes) => (isBroken ? Promise.reject(new Error('locked')) : real.save(changes)),
        }),
      })
      const recording = executions.begin(START)
      void recording.event(said('one'))
      await executions.save()
      isBroken = false
      void recording.event(said('two'))
      expect(await recording.end(RESULT)).toEqual([])
      expect((await store.events(recording.id, { after: 0, limit: 9 })).map(({ seq }) => seq)).toEqual([1, 2, 3, 4])
    })

    it('at the end of an execution gets the end later; until then the execution has ended here', async () => {
      let isBroken = true
      const { executions, store } = await openIn(kind, {
        damage: (real) => ({
          ...bound(real),
          save: (changes) => (isBroken ? Promise.reject(new Error('locked')) : real.save(changes)),
        }),
      })
      const recording = executions.begin(START)
      expect(await recording.end(RESULT)).toEqual(['lost: locked'])
      expect(executions.find(recording.id)).toMatchObject({ state: 'completed', result: RESULT })
      expect(executions.running()).toEqual([])
      expect((await followAll(executions, recording.id)).at(-1)).toMatchObject({ content: { state: 'completed' } })
      isBroken = false
      await executions.save()
      expect(executions.find(recording.id)).toBeUndefined()
      expect(await store.find(recording.id)).toMatchObject({ state: 'completed', result: { output: 'done' } })
    })

    it('gets nothing of an execution that others may have taken meanwhile', async () => {
      let isBroken = false
      const { executions, store } = await openIn(kind, {
        damage: (real) => ({
          ...bound(real),
          save: (changes) => (isBroken ? Promise.reject(new Error('silent')) : real.save(changes)),
        }),
      })
      const recording = executions.begin(START)
      await executions.save()
      isBroken = true
      void recording.event(said('one'))
      await executions.save()
      executions.giveUpOwned()
      await recording.end(RESULT)
      isBroken = false
      executions.begin(START)
      await executions.save()
      expect(await store.find(recording.id)).toMatchObject({ state: 'queued', last_seq: 1 })
    })

    it('for too long keeps a prefix of the events, and the end', async () => {
      let isBroken = false
      const { executions, store } = await openIn(kind, {
        damage: (real) => ({
          ...bound(real),
          save: (changes) => (isBroken ? Promise.reject(new Error('locked')) : real.save(changes)),
        }),
      })
      const recording = executions.begin(START)
      void recording.event(said('one'))
      await executions.save()
      isBroken = true
      for (let at = 0; at < 100; at++) void recording.event(said('x'.repeat(100_000)))
      await executions.save()
      isBroken = false
      expect(await recording.end(RESULT)).toEqual(['lost: locked'])
      const events = await store.events(recording.id, { after: 0, limit: 999 })
      expect(events.map(({ seq }) => seq)).toEqual([1, 2])
      expect(await store.find(recording.id)).toMatchObject({ state: 'completed', last_seq: 2 })
    })
  })

  /** The methods of a class are not its own properties, so they are copied one by one. */
  function bound(store: ExecutionStore): ExecutionStore {
    const get = (name: string | symbol) => {
      const value = Reflect.get(store, name)
      return typeof value === 'function' ? value.bind(store) : value
    }
    return new Proxy({} as ExecutionStore, {
      ownKeys: () => Object.getOwnPropertyNames(Object.getPrototypeOf(store)),
      getOwnPropertyDescriptor: (_target, name) => ({
        configurable: true,
        enumerable: true,
        value: get(name),
      }),
      get: (_target, name) => get(name),
    })
  }
})
