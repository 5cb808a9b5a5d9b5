/** Usage in the store: every execution is added once. */
import { describe, expect, it } from 'vitest'
import { describeStores, type Place, type StoreKind } from '../../../test/support/stores.ts'
import type { Clock } from '../../kit/clock.ts'
import { randomIds } from '../../kit/ids.ts'
import type { ExecutionStart } from '../../prompts/execution-recorder.ts'
import { queueFull } from '../../prompts/faults.ts'
import type { PromptEvent } from '../../prompts/prompt-event.ts'
import type { PromptResult } from '../../prompts/prompt-result.ts'
import { Executions } from '../local-executions.ts'
import type { KeepMode } from './execution-states.ts'
import type { ExecutionChange, ExecutionStore } from './execution-store.ts'
import type { Stores } from './stores.ts'
import type { UsageField, UsageRequest } from './usage-query.ts'

type Options = { place?: Place; clock?: Clock; storeTokenUsage?: boolean }

const TODAY = new Date('2026-01-31T12:00:00Z')

async function openIn(
  kind: StoreKind,
  { place, clock = { now: () => TODAY }, ...more }: Options = {},
): Promise<Stores> {
  const used = place ?? (await kind.newPlace())
  const stores = await kind.openBoth({ place: used, clock, ...more })
  await used.addOwner('the-owner')
  return stores
}

function recorderOn(store: ExecutionStore, keep: KeepMode, clock: Clock = { now: () => TODAY }): Executions {
  const [openStore, owner] = [async () => store, async () => 'the-owner']
  return new Executions({ openStore, owner, clock, ids: randomIds, keep, onFailure: () => {}, toWarning: String })
}

function withSave(store: ExecutionStore, save: ExecutionStore['save']): ExecutionStore {
  const { pollMs } = store
  const [watch, cancelRequests] = [store.watch.bind(store), store.cancelRequests.bind(store)]
  return { pollMs, save, watch, cancelRequests } as ExecutionStore
}

const INIT = { type: 'init', timestamp: '2026-01-31T12:00:00.000Z', content: {} } as PromptEvent

const CI = { id: 'key_ci', name: 'ci' }

const START: ExecutionStart = {
  kind: 'prompt',
  backend: 'claude',
  prompt: 'a secret',
  isEphemeral: false,
  onCancel: () => {},
}

function resultOf(more: Partial<PromptResult> = {}): PromptResult {
  const usage = { input_tokens: 10, output_tokens: 5, cached_tokens: 2, reasoning_tokens: 1 }
  const ran = { session_id: '', backend: 'claude', exit_code: 0, duration_ms: 7, output: 'an answer' }
  return { ...ran, token_usage: usage, model: 'opus', cost_usd: 0.5, ...more }
}

async function totalsOf(store: ExecutionStore, request: UsageRequest = {}) {
  return (await store.usage(request)).totals
}

const ONCE = { executions: 1, completed: 1, input_tokens: 10, output_tokens: 5, cached_tokens: 2, cost_usd: 0.5 }
const KEEP_MODES: readonly KeepMode[] = ['events', 'results', 'none']

describeStores('usage', (kind) => {
  describe('the end of an execution', () => {
    it.each(KEEP_MODES)('is counted once if %s is kept, saved before or not', async (keep) => {
      const { executions: store } = await openIn(kind)
      const recorder = recorderOn(store, keep)
      const quick = recorder.begin({ ...START, client: CI })
      await quick.end(resultOf())
      await quick.abandon()
      expect(await totalsOf(store)).toMatchObject(ONCE)
      const slow = recorder.begin({ ...START, client: CI })
      await recorder.save()
      await slow.end(resultOf())
      await recorder.save()
      expect(await store.usage({})).toMatchObject({
        rows: [{ day: '2026-01-31', key: 'ci', backend: 'claude', model: 'opus', executions: 2, cost_usd: 1 }],
      })
    })

    it('is counted for an ephemeral prompt, of which nothing else is stored', async () => {
      const { executions: store } = await openIn(kind)
      await recorderOn(store, 'events')
        .begin({ ...START, isEphemeral: true })
        .end(resultOf())
      expect(await totalsOf(store)).toMatchObject(ONCE)
      expect((await store.list({}, { limit: 9 })).executions).toEqual([])
    })

    it('is not counted for a dry run or a batch', async () => {
      const { executions: store } = await openIn(kind)
      for (const keep of KEEP_MODES) {
        const recorder = recorderOn(store, keep)
        await recorder.begin({ ...START, isDryRun: true }).end(resultOf())
        await recorder
          .begin({ kind: 'parallel', isEphemeral: false, onCancel: () => {} })
          .end({ results: [resultOf()] })
        recorder.begin({ ...START, isDryRun: true })
        await recorder.save()
      }
      await store.loseAllOf('the-owner')
      expect((await store.usage({})).rows).toEqual([])
    })

    it.each(KEEP_MODES)('is counted without a result too if %s is kept', async (keep) => {
      const { executions: store } = await openIn(kind)
      const recorder = recorderOn(store, keep)
      const begin = async () => {
        const recording = recorder.begin(START)
        await recording.started()
        await recording.event(INIT)
        return recording
      }
      await (await begin()).abandon()
      await (await begin()).abandon(new Error('no'))
      expect(await totalsOf(store)).toMatchObject({ executions: 2, cancelled: 1, failed: 1, input_tokens: 0 })
    })

    const FULL = queueFull({ running: 1, queued: 1 })

    it.each(KEEP_MODES.flatMap((keep) => [false, true].map((isSaved) => ({ keep, isSaved }))))(
      'is not counted if no agent was started: %j',
      async ({ keep, isSaved }) => {
        const { executions: store } = await openIn(kind)
        const recorder = recorderOn(store, keep)
        const [cancelled, full, refused] = [recorder.begin(START), recorder.begin(START), recorder.begin(START)]
        await refused.started()
        if (isSaved) await recorder.save()
        await cancelled.abandon()
        for (const each of [full, refused]) await each.abandon(FULL)
        await recorder.save()
        await store.loseAllOf('the-owner')
        expect((await store.usage({})).rows).toEqual([])
      },
    )

    it('is counted without tokens if session.store_token_usage is false', async () => {
      const { executions: store } = await openIn(kind, { storeTokenUsage: false })
      await recorderOn(store, 'events').begin(START).end(resultOf())
      expect(await totalsOf(store)).toMatchObject({ executions: 1, input_tokens: 0, output_tokens: 0 })
    })

    it.each(KEEP_MODES)('is counted once if saving %s fails at first', async (keep) => {
      const { executions: store } = await openIn(kind)
      let failures = 1
      const failing = withSave(store, async (changes: readonly ExecutionChange[]) => {
        const isEnd = changes.some(({ execution }) => execution.state === 'completed')
        if (isEnd || failures === 0) return await store.save(changes)
        failures -= 1
        throw new Error('the disk is full')
      })
      const recorder = recorderOn(failing, keep)
      const recording = recorder.begin(START)
      await recorder.save()
      expect(failures).toBe(0)
      await recording.end(resultOf())
      expect(await totalsOf(store)).toMatchObject(ONCE)
    })

    it.each(KEEP_MODES)('is counted once if the same end is saved twice and %s is kept', async (keep) => {
      const { executions: store } = await openIn(kind)
      const saved: ExecutionChange[][] = []
      const noting = withSave(store, async (changes: readonly ExecutionChange[]) => {
        saved.push([...changes])
        return await store.save(changes)
      })
      const recorder = recorderOn(noting, keep)
      const recording = recorder.begin(START)
      await recorder.save()
      await recording.end(resultOf())
      await store.save((saved.at(-1) ?? []).map((change) => ({ ...change, events: [] })))
      expect(await totalsOf(store)).toMatchObject(ONCE)
    })
  })

  describe('a process that died', () => {
    it.each(KEEP_MODES)('leaves executions that are counted once, as lost, if %s is kept', async (keep) => {
      const place = await kind.newPlace()
      const { executions: store } = await openIn(kind, { place })
      const recorder = recorderOn(store, keep)
      const recording = recorder.begin({ ...START, client: CI, model: 'asked' })
      await recorder.begin(START).end(resultOf())
      await recorder.save()
      const { executions: next } = await openIn(kind, { place })
      await next.loseAllOf('the-owner')
      await store.loseAllOf('the-owner')
      const totals = { executions: 2, completed: 1, lost: 1, input_tokens: 10 }
      expect(await totalsOf(next)).toMatchObject(totals)
      expect((await next.usage({ key: 'ci' })).rows).toMatchObject([{ model: 'asked', lost: 1 }])
      // It was not dead after all.
      await recording.end(resultOf())
      expect(await totalsOf(next)).toMatchObject(totals)
    })
  })

  describe('usage', () => {
    /** Ends one execution for each of these. */
    async function openFilled(): Promise<ExecutionStore> {
      let now = TODAY
      const { executions: store } = await openIn(kind)
      const recorder = recorderOn(store, 'none', { now: () => now })
      for (const [day, name, backend, model] of [
        ['2026-01-30', 'ci', 'claude', 'opus'],
        ['2026-01-31', 'ci', 'claude', 'opus'],
        ['2026-01-31', 'ci', 'codex', 'gpt'],
        ['2026-01-31', 'web', 'claude', 'haiku'],
        ['2026-01-31', undefined, 'claude', 'opus'],
      ] as const) {
        now = new Date(`${day}T23:59:59.999Z`)
        const client = name === undefined ? undefined : { id: `key_${name}`, name }
        await recorder.begin({ ...START, backend, client }).end(resultOf({ backend, model }))
      }
      return store
    }

    it.each<[UsageRequest, string[]]>([
      [
        {},
        [
          '31--claude-opus 1',
          '31-ci-claude-opus 1',
          '31-ci-codex-gpt 1',
          '31-web-claude-haiku 1',
          '30-ci-claude-opus 1',
        ],
      ],
      [{ groupBy: ['day'] }, ['31 4', '30 1']],
      [{ groupBy: ['key'] }, [' 1', 'ci 3', 'web 1']],
      [{ groupBy: ['model', 'backend'] }, ['claude-haiku 1', 'claude-opus 3', 'codex-gpt 1']],
      [{ groupBy: ['backend'], since: '2026-01-31' }, ['claude 3', 'codex 1']],
      [{ groupBy: ['backend'], until: '2026-01-30' }, ['claude 1']],
      [{ groupBy: ['key'], backend: 'claude', model: 'opus' }, [' 1', 'ci 2']],
      [{ groupBy: ['backend'], key: 'web' }, ['claude 1']],
      [{ groupBy: ['key'], visibleTo: 'key_ci' }, ['ci 3']],
      [{ groupBy: ['key'], visibleTo: 'key_ci', key: 'web' }, []],
      [{ groupBy: ['key'], visibleTo: 'ci' }, []],
      [{ groupBy: ['key'], visibleTo: '' }, []],
      [{ since: '2026-02-01', until: '2026-02-02' }, []],
    ])('of %j', async (request, expected) => {
      const { rows, group_by } = await (await openFilled()).usage(request)
      const shown = (row: (typeof rows)[number], field: UsageField) =>
        field === 'day' ? row.day?.slice(8) : row[field]
      expect(rows.map((row) => `${group_by.map((field) => shown(row, field)).join('-')} ${row.executions}`)).toEqual(
        expected,
      )
    })

    it('is kept for 400 days, also when the executions are removed', async () => {
      let now = new Date('2025-01-01T12:00:00Z')
      const clock = { now: () => now }
      const { executions: store } = await openIn(kind, { clock })
      const recorder = recorderOn(store, 'events', clock)
      const runOn = async (day: string) => {
        now = new Date(`${day}T12:00:00Z`)
        await recorder.begin(START).end(resultOf())
        return (await store.usage({ since: '2024-01-01', groupBy: ['day'] })).rows.map((row) => row.day)
      }
      await runOn('2025-01-01')
      await store.removeOld({ endedBefore: '2026-01-01', maxBytes: 0 })
      expect(await runOn('2026-02-04')).toEqual(['2026-02-04', '2025-01-01'])
      expect(await runOn('2026-02-05')).toEqual(['2026-02-05', '2026-02-04'])
    })
  })
})
