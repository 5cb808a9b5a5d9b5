import { describe, expect, it, onTestFinished } from 'vitest'
import { describeStores, type Place, type StoreKind } from '../../test/support/stores.ts'
import { until } from '../../test/support/until.ts'
import type { ApprovalRequest, AttributedReply, UserMessage } from '../agents/adapter/agent.ts'
import { Executions } from '../executions/local-executions.ts'
import type { StateChange } from '../executions/state-feed.ts'
import type { Execution } from '../executions/store/execution.shape.ts'
import { shareApprovals } from '../executions/store/published-approvals.ts'
import type { Stores } from '../executions/store/stores.ts'
import { systemClock } from '../kit/clock.ts'
import { randomIds } from '../kit/ids.ts'
import { SILENT_LOG } from '../kit/log.ts'
import { Approvals } from '../prompts/approvals.ts'
import { type Caller, USER } from '../prompts/caller.ts'
import type { Ceilings } from '../prompts/ceilings.ts'
import type { PromptResult } from '../prompts/prompt-result.ts'
import { ExecutionCalls } from './execution-calls.ts'

const WAITING = { id: 'e', approval: 'a' }
const ALLOWED: AttributedReply = { decision: 'allow_session', by: { via: 'key', name: 'ci', key_id: 'k' } }

function setUp(board?: { decide(): Promise<Pick<ApprovalRequest, 'choices'> | undefined> }, hasAgents = true) {
  const approvals = new Approvals({ timeoutMs: 1000 })
  const logged: object[] = []
  const calls = new ExecutionCalls({
    records: { find: (id: string) => ({ id, key_id: 'k', backend: 'claude' }) } as never,
    stores: async () => ({ approvals: board }) as unknown as Stores,
    approvals: hasAgents ? approvals : undefined,
    log: { ...SILENT_LOG, info: (facts, text) => void logged.push({ ...facts, text }) },
  })
  return { approvals, calls, logged }
}

describe('a decision', () => {
  it('reaches the agent that waits here, and is logged with who decided', async () => {
    const { approvals, calls, logged } = setUp()
    const asked = approvals.ask('e', { approval_id: 'a', tool_name: 'Bash', choices: ['allow', 'deny'] })
    expect(await calls.decide(USER, WAITING, ALLOWED)).toBe('allow')
    expect(await asked).toMatchObject({ decision: 'allow', by: ALLOWED.by })
    expect(logged).toEqual([
      { execution: 'e', approval: 'a', decision: 'allow', by: ALLOWED.by, text: 'approval decided' },
    ])
  })

  it('reaches the agent on another machine', async () => {
    const { calls } = setUp({ decide: async () => ({ choices: ['allow', 'allow_session', 'deny'] }) })
    expect(await calls.decide(USER, WAITING, ALLOWED)).toBe('allow_session')
    const once = setUp({ decide: async () => ({ choices: ['allow', 'deny'] }) })
    expect(await once.calls.decide(USER, WAITING, ALLOWED)).toBe('allow')
  })

  it('about what no agent waits for is refused, and not logged', async () => {
    for (const board of [undefined, { decide: async () => undefined }]) {
      const { calls, logged } = setUp(board)
      await expect(calls.decide(USER, WAITING, ALLOWED)).rejects.toMatchObject({ code: 'approval_not_found' })
      expect(logged).toEqual([])
    }
  })

  it('denies in a process whose agents cannot ask', async () => {
    const { calls } = setUp(undefined, false)
    expect(await calls.decide(USER, WAITING, ALLOWED)).toBe('deny')
  })

  const sandbox = { mode: 'workspace', setting: 'max_sandbox_mode of the key ci' } as const
  const boundary = { setting: 'requires_sandbox of the key ops' }
  const backends = { names: ['codex'], setting: 'backends of the key ops' }
  it.each<[string, Caller, string]>([
    ['a key that sees it', { is: 'client', role: 'client', key: { id: 'k', name: 'ci' } }, 'approval_not_found'],
    ['an operator', { is: 'client', role: 'operator', key: { id: 'o', name: 'ops' } }, 'approval_not_found'],
    ['another key', { is: 'client', role: 'client', key: { id: 'o', name: 'ops' } }, 'execution_not_found'],
    [
      'a key with a ceiling, which must not allow more than it may ask for',
      { is: 'client', role: 'client', key: { id: 'k', name: 'ci' }, ceilings: { sandbox } },
      'approval_not_allowed',
    ],
    ...(['k', 'o'] as const).map((id): [string, Caller, string] => [
      `an operator with a limit that is no mode, with the key ${id}`,
      { is: 'client', role: 'operator', key: { id, name: 'ops' }, ceilings: { boundary } },
      id === 'k' ? 'approval_not_found' : 'approval_not_allowed',
    ]),
    [
      'an operator with other agents',
      { is: 'client', role: 'operator', key: { id: 'o', name: 'ops' }, ceilings: { backends } },
      'backend_not_allowed',
    ],
  ])('of %s', async (_, by, code) => {
    await expect(setUp().calls.decide(by, WAITING, ALLOWED)).rejects.toMatchObject({ code })
  })
})

it('an idempotency key that cannot be released stays taken, and the log says so', async () => {
  const errors: string[] = []
  const calls = new ExecutionCalls({
    records: {} as never,
    stores: async () => ({ executions: { releaseKey: () => Promise.reject(new Error('disk')) } }) as unknown as Stores,
    approvals: undefined,
    log: { ...SILENT_LOG, error: (_, text) => void errors.push(text) },
  })
  await calls.releaseKey({ keyId: '', key: 'k', digest: 'd', executionId: 'e' })
  expect(errors).toEqual(['an idempotency key could not be released'])
})

const clientWith = (id: string): Caller => ({ is: 'client', role: 'client', key: { id, name: `name of ${id}` } })
const [CI, OTHER] = [clientWith('ci'), clientWith('other')]
const OPERATOR: Caller = { is: 'client', role: 'operator', key: { id: 'ops', name: 'ops' } }
const NOT_FOUND = { code: 'execution_not_found' }
const ASKED: ApprovalRequest = { approval_id: 'a', tool_name: 'Bash', choices: ['allow', 'deny'] }
const RESULT: PromptResult = {
  session_id: '',
  backend: 'claude',
  exit_code: 0,
  duration_ms: 1,
  output: 'done',
  token_usage: { input_tokens: 1, output_tokens: 1, cached_tokens: 0, reasoning_tokens: 0 },
}

/** A process that runs executions. Those with the same place share a store. */
async function openIn(kind: StoreKind, place?: Place) {
  const stores = await kind.openBoth(place && { place })
  const approvals = new Approvals({ timeoutMs: 60_000 })
  const records = new Executions({
    openStore: async () => stores.executions,
    owner: () => stores.sessions.owner(),
    clock: systemClock,
    ids: randomIds,
    keep: 'events',
    onFailure: (error) => {
      throw error
    },
    toWarning: String,
  })
  onTestFinished(() => records.close())
  const board = stores.approvals
  if (board !== undefined) shareApprovals({ approvals, board, store: stores.executions, log: SILENT_LOG })
  const calls = new ExecutionCalls({ records, stores: async () => stores, approvals, log: SILENT_LOG })
  const cancelled: string[] = []
  const told: UserMessage[] = []
  const onMessage = async (message: UserMessage) => {
    told.push(message)
    return 'next_turn' as const
  }
  const begin = (keyId: string, ceilings?: Ceilings) =>
    records.begin({
      ...{ kind: 'prompt', backend: 'claude', prompt: 'x', isEphemeral: false, ceilings, onMessage },
      client: { id: keyId, name: `name of ${keyId}` },
      onCancel: () => void cancelled.push(keyId),
    })
  return { records, calls, approvals, cancelled, told, begin, sharesApprovals: board !== undefined }
}

const idsOf = (executions: readonly Execution[]) => executions.map(({ id }) => id).sort()

/** For a client that sees its own, for the others, which see all. */
function viewsOf<T>(own: T, other: T, all: T): [string, Caller, T][] {
  return [
    ['a client', CI, own],
    ['another client', OTHER, other],
    ['an operator', OPERATOR, all],
    ['the user', USER, all],
  ]
}

describeStores('executions', (kind) => {
  it('are found, listed and followed by those who may see them, while they run and afterwards', async () => {
    const { calls, begin } = await openIn(kind)
    const [one, two] = [begin('ci'), begin('other')]
    const check = async (count: number) => {
      for (const [name, by, visible] of viewsOf([one.id], [two.id], [one.id, two.id].sort())) {
        expect(idsOf((await calls.list(by, {}, { limit: 9 })).executions), name).toEqual(visible)
        expect((await calls.list(by, { backend: 'none' }, { limit: 9 })).executions).toEqual([])
        for (const id of [one.id, two.id]) {
          const events = calls.follow(by, id, { after: 0, signal: new AbortController().signal })
          if (visible.includes(id)) {
            expect(await calls.find(by, id), name).toMatchObject({ id, last_seq: count })
            expect((await events.next()).value, name).toHaveLength(count)
          } else {
            await expect(calls.find(by, id), name).rejects.toMatchObject(NOT_FOUND)
            await expect(events.next(), name).rejects.toMatchObject(NOT_FOUND)
          }
        }
      }
    }
    await check(1)
    expect(idsOf(calls.running())).toEqual([one.id, two.id].sort())
    await Promise.all([one.end(RESULT), two.end(RESULT)])
    await check(2)
    expect(calls.running()).toEqual([])
    expect(await calls.find(CI, one.id.slice(0, -1))).toMatchObject({ id: one.id })
  })

  it('are cancelled by those who may see them, here and in another process, until they have ended', async () => {
    const place = await kind.newPlace()
    const [here, there] = [await openIn(kind, place), await openIn(kind, place)]
    const [one, two] = [here.begin('ci'), here.begin('other')]
    await here.calls.save()
    for (const { calls } of [here, there]) {
      await expect(calls.cancel(OTHER, one.id)).rejects.toMatchObject(NOT_FOUND)
    }
    expect(here.cancelled).toEqual([])
    expect(await here.calls.cancel(CI, one.id)).toMatchObject({ id: one.id, state: 'queued' })
    expect(here.cancelled).toEqual(['ci'])
    await there.calls.cancel(OPERATOR, two.id)
    await until(() => here.cancelled.includes('other'))
    await one.abandon()
    for (const { calls } of [here, there]) {
      await expect(calls.cancel(CI, one.id)).rejects.toMatchObject({ code: 'execution_ended' })
    }
    await two.abandon()
  })

  it('get no message, here or from another process, of someone with limits that they do not have', async () => {
    const place = await kind.newPlace()
    const [here, there] = [await openIn(kind, place), await openIn(kind, place)]
    const one = here.begin('ci', { boundary: { setting: 'requires_sandbox of the key ci' } })
    await one.started()
    await here.calls.save()
    const told = { text: 'use knots', by: { via: 'none' } } as const
    const limited = (ceilings: Ceilings): Caller => ({ ...OPERATOR, ceilings })
    const boundary = { setting: 'requires_sandbox of the key ops' }
    const tools = { setting: 'agent_tools of the key ops' }
    const backends = { names: ['codex'], setting: 'backends of the key ops' }
    for (const { calls } of [here, there]) {
      const say = (ceilings: Ceilings) => calls.say(limited(ceilings), one.id, told)
      expect(await say({ boundary })).toMatchObject({ delivered: 'next_turn' })
      await expect(say({ boundary, tools })).rejects.toMatchObject({
        ...{ code: 'message_not_allowed', message: expect.stringContaining(tools.setting) },
      })
      await expect(say({ backends })).rejects.toMatchObject({ code: 'backend_not_allowed' })
    }
    const message = { ...told, message_id: expect.any(String), sent_at: expect.any(String) }
    expect(here.told).toEqual([message, message])
    await one.abandon()
  })

  it('are awaited until they end, or until the signal', async () => {
    const { calls, begin } = await openIn(kind)
    const one = begin('ci')
    const stop = new AbortController()
    const [awaited, given] = [new AbortController().signal, stop.signal].map((signal) =>
      calls.ended(CI, one.id, signal),
    )
    stop.abort()
    expect(await given).toBeUndefined()
    await one.end(RESULT)
    expect(await awaited).toMatchObject({ id: one.id, state: 'completed' })
  })

  it('that wait for a decision are listed for those who may see them', async () => {
    const place = await kind.newPlace()
    const [{ calls, begin, approvals }, there] = [await openIn(kind, place), await openIn(kind, place)]
    expect(await calls.approvals(USER)).toEqual([])
    const [one, two] = [begin('ci'), begin('other')]
    const asked = [one, two].map(({ id }) => approvals.ask(id, ASKED))
    const list = async (by: Caller, from = calls) => (await from.approvals(by)).map(({ execution_id: id }) => id).sort()
    await until(async () => (await list(USER)).length === 2)
    for (const [name, by, visible] of viewsOf([one.id], [two.id], [one.id, two.id].sort())) {
      expect(await list(by), name).toEqual(visible)
      expect(await list(by, there.calls), name).toEqual(there.sharesApprovals ? visible : [])
    }
    for (const { id } of [one, two]) approvals.forget(id)
    await Promise.all([...asked, one.abandon(), two.abandon()])
  })

  it('are watched by those who may see them', async () => {
    const { calls, begin } = await openIn(kind)
    const stop = new AbortController()
    onTestFinished(() => stop.abort())
    const one = begin('ci')
    const watched = viewsOf(['queued ci'], ['queued other'], ['queued ci', 'queued other']).map(([name, by, seen]) => {
      const heard: string[] = []
      const read = async () => {
        for await (const change of calls.watch(by, stop.signal)) heard.push(describeChange(change))
      }
      return { name, heard, reading: read(), seen }
    })
    // Every one that sees it has begun.
    await until(() => watched.filter(({ heard }) => heard.length === 1).length === 3)
    const two = begin('other')
    await until(() => watched.every(({ heard, seen }) => heard.length >= seen.length))
    stop.abort()
    await Promise.all(watched.map(({ reading }) => reading))
    for (const { name, heard, seen } of watched) expect(heard, name).toEqual(seen)
    await Promise.all([one.abandon(), two.abandon()])
  })

  it('are counted in the usage that those who may see them get', async () => {
    const { calls, begin } = await openIn(kind)
    await Promise.all([begin('ci').end(RESULT), begin('other').end(RESULT)])
    for (const [name, by, keys] of viewsOf(['name of ci'], ['name of other'], ['name of ci', 'name of other'])) {
      const { rows } = await calls.usage(by, { groupBy: ['key'] })
      expect(rows.map(({ key }) => key).sort(), name).toEqual(keys)
    }
  })

  it('are seen and removed by other processes when they are saved', async () => {
    const place = await kind.newPlace()
    const [here, there] = [await openIn(kind, place), await openIn(kind, place)]
    const one = here.begin('ci')
    await expect(there.calls.find(USER, one.id)).rejects.toMatchObject(NOT_FOUND)
    await here.calls.save()
    expect(await there.calls.find(USER, one.id)).toMatchObject({ id: one.id })
    await one.end(RESULT)
    await there.calls.remove(one.id)
    await expect(here.calls.find(USER, one.id)).rejects.toMatchObject(NOT_FOUND)
  })

  it('have an idempotency key until it is released', async () => {
    const { calls } = await openIn(kind)
    const claim = { keyId: 'ci', key: 'k', digest: 'd', executionId: 'e' }
    expect(await calls.claimKey(claim)).toBeUndefined()
    expect(await calls.claimKey({ ...claim, executionId: 'f' })).toEqual(claim)
    await calls.releaseKey(claim)
    expect(await calls.claimKey({ ...claim, executionId: 'f' })).toBeUndefined()
  })
})

function describeChange(change: StateChange): string {
  return change.type === 'execution' ? `${change.execution.state} ${change.execution.key_id}` : change.type
}

it('outside a server, no agent asks and no one can watch', async () => {
  const calls = new ExecutionCalls({
    records: {} as never,
    stores: async () => ({}) as Stores,
    approvals: undefined,
    log: SILENT_LOG,
  })
  expect(await calls.approvals(USER)).toEqual([])
  await expect(calls.watch(USER, new AbortController().signal).next()).rejects.toThrow('only a server has clients')
})
