import type { FastifyReply, FastifyRequest } from 'fastify'
import { describe, expect, it, vi } from 'vitest'
import type { KeyClaim } from '../../executions/store/execution-store.ts'
import { executionEnded, executionNotFound } from '../../executions/store/faults.ts'
import { randomIds } from '../../kit/ids.ts'
import type { Caller } from '../../prompts/caller.ts'
import type { ServerContext } from '../context/server-context.ts'
import { claimRequest, type Exchange, releaseOnFault, requestExecution } from './requested-execution.ts'

const KEY = { 'idempotency-key': 'k' }

/** A server that keeps the claims of keys. `stored` are the executions that other processes have saved. */
function setUp({ stored = [] as string[], running = [] as string[] } = {}) {
  const claims = new Map<string, KeyClaim>()
  const nameOf = ({ keyId, key }: KeyClaim) => `${keyId} ${key}`
  const toExecution = (id: string) => ({ id, created_at: `start of ${id}` })
  const find = vi.fn(async (id: string) => {
    if (!stored.includes(id)) throw executionNotFound({ id })
    return toExecution(id)
  })
  const context = {
    ids: randomIds,
    clock: { now: () => new Date(0) },
    config: { server: { trusted_proxies: [], allowed_workdir_prefixes: [] } },
    keys: { isRequired: true },
    drover: {
      opened: {},
      executions: {
        find: async (_by: Caller, id: string) => (running.includes(id) ? toExecution(id) : await find(id)),
        claimKey: async (claim: KeyClaim) => {
          const earlier = claims.get(nameOf(claim))
          if (earlier === undefined) claims.set(nameOf(claim), claim)
          return earlier
        },
        releaseKey: async (claim: KeyClaim) => void claims.delete(nameOf(claim)),
      },
    },
  }
  const exchangeOf = (headers: object = {}, over: object = {}): Exchange & { sent: object[] } => {
    const sent: object[] = []
    const request = { method: 'POST', url: '/api/v1/prompt', headers, body: { prompt: 'a' }, facts: {}, ...over }
    return {
      request: request as unknown as FastifyRequest,
      reply: { headers: (each: object) => sent.push(each) } as unknown as FastifyReply,
      context: context as unknown as ServerContext,
      sent,
    }
  }
  const ask = async (headers: object = {}, over: object = {}, detach?: boolean) => {
    const exchange = exchangeOf(headers, over)
    return { ...(await requestExecution(exchange, { detach })), sent: exchange.sent }
  }
  return { ask, exchangeOf, find, stored, running }
}

const reused = { code: 'idempotency_key_reused' }

describe('a request without a key', () => {
  it('is always a new execution', async () => {
    const { ask } = setUp()
    const [one, two] = [await ask(), await ask()]
    expect(one).toMatchObject({ isRepeat: false, isInBackground: false, isDetached: false, sent: [] })
    expect(one.createdAt).toBe('1970-01-01T00:00:00.000Z')
    expect(one.id).not.toBe(two.id)
    await one.release()
  })

  it.each<[object, boolean | undefined, boolean]>([
    [{}, false, false],
    [{}, true, true],
    [{ prefer: 'respond-async' }, false, true],
    [{ prefer: 'wait=9, Respond-Async ' }, false, true],
    [{ prefer: ['wait=9', 'respond-async'] }, false, true],
    [{ prefer: 'respond-async=no' }, false, false],
    [{ prefer: 'respond-async' }, undefined, false],
  ])('with %j and detach %s is detached: %s', async (headers, detach, isDetached) => {
    expect(await setUp().ask(headers, {}, detach)).toMatchObject({ isDetached, isInBackground: isDetached })
  })
})

describe('a request with a key', () => {
  it('is the execution of an earlier one that is the same', async () => {
    const { ask, running } = setUp()
    const first = await ask(KEY)
    expect(first).toMatchObject({ isRepeat: false, isInBackground: true, isDetached: false, sent: [] })
    running.push(first.id)
    expect(await ask(KEY)).toMatchObject({
      ...{ id: first.id, createdAt: `start of ${first.id}`, isRepeat: true },
      sent: [{ 'x-execution-id': first.id, 'idempotency-replayed': 'true' }],
    })
  })

  it.each<[string, object, object]>([
    ['another body', {}, { body: { prompt: 'b' } }],
    ['another path', {}, { url: '/api/v1/chain' }],
    ['another method', {}, { method: 'PUT' }],
    ['another session', { 'x-drover-session': 's' }, {}],
    ['another directory', { 'x-drover-workdir': '/w' }, {}],
  ])('is refused with %s', async (_, headers, over) => {
    const { ask, running } = setUp()
    running.push((await ask(KEY)).id)
    await expect(ask({ ...KEY, ...headers }, over)).rejects.toMatchObject(reused)
  })

  it('is another one for another sender', async () => {
    const { ask } = setUp()
    const first = await ask(KEY, { facts: { key: { id: 'one', name: 'ci', ceilings: {} } } })
    const second = await ask(KEY, { facts: { key: { id: 'two', name: 'ci', ceilings: {} } } })
    expect([second.isRepeat, second.id === first.id]).toEqual([false, false])
  })

  it('waits until another process has stored the execution', async () => {
    const { ask, find, stored } = setUp()
    const { id } = await ask(KEY)
    find.mockImplementationOnce(async () => {
      stored.push(id)
      throw executionNotFound({ id })
    })
    expect(await ask(KEY)).toMatchObject({ id, isRepeat: true })
    expect(find).toHaveBeenCalledTimes(2)
  })

  it('is lost if that does not happen within a second', async () => {
    const { ask, find } = setUp()
    await ask(KEY)
    await expect(ask(KEY)).rejects.toMatchObject({ code: 'execution_lost' })
    expect(find).toHaveBeenCalledTimes(20)
  })

  it.each([new Error('no disk'), executionEnded({ id: 'e', state: 'lost' })])(
    'fails at once with %s',
    async (error) => {
      const { ask, find } = setUp()
      await ask(KEY)
      find.mockRejectedValue(error)
      await expect(ask(KEY)).rejects.toBe(error)
      expect(find).toHaveBeenCalledOnce()
    },
  )

  it.each<[unknown, boolean]>([
    ['a', true],
    [' ~', true],
    ['x'.repeat(255), true],
    ['', false],
    ['x'.repeat(256), false],
    ['ä', false],
    ['a\tb', false],
    [['a', 'b'], false],
  ])('%j is accepted: %s', async (key, isAccepted) => {
    const asked = setUp().ask({ 'idempotency-key': key })
    if (isAccepted) expect(await asked).toMatchObject({ isRepeat: false })
    else await expect(asked).rejects.toMatchObject({ code: 'idempotency_key_invalid' })
  })
})

describe('a key', () => {
  it.each<[string, object, boolean]>([
    ['a fault', executionNotFound({ id: 'e' }), true],
    ['a rate limit of the model', { error_code: 'agent_rate_limited' }, true],
    ['a usage limit of the plan', { error_code: 'agent_usage_limited' }, true],
    ['an account without credit', { error_code: 'agent_out_of_credit' }, false],
    ['an overload of the model', { error_code: 'agent_overloaded' }, true],
    ['a failure of the agent', { error_code: 'agent_failed' }, false],
    ['an answer', { answer: 'yes' }, false],
    ['an error', new Error('no disk'), false],
  ])('is free after %s only if nothing was run', async (_, end, mayBeUsed) => {
    const { ask } = setUp()
    const first = await ask(KEY)
    const run = releaseOnFault(end instanceof Error ? Promise.reject(end) : Promise.resolve(end), first)
    if (end instanceof Error) await expect(run).rejects.toBe(end)
    else expect(await run).toBe(end)
    const another = ask(KEY, { body: { prompt: 'b' } })
    if (mayBeUsed) expect(await another).toMatchObject({ isRepeat: false })
    else await expect(another).rejects.toMatchObject(reused)
  })

  it('stands for what else a request starts', async () => {
    const { exchangeOf } = setUp()
    expect(await claimRequest(exchangeOf(), 'run-1')).toBeUndefined()
    expect(await claimRequest(exchangeOf(KEY), 'run-1')).toMatchObject({ earlierId: undefined })
    expect(await claimRequest(exchangeOf(KEY), 'run-2')).toMatchObject({ earlierId: 'run-1' })
  })
})
