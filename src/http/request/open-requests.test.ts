import { EventEmitter } from 'node:events'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createKeyRing } from '../../config/key-ring.ts'
import { digest } from '../../kit/digest.ts'
import type { ServerContext } from '../context/server-context.ts'
import { OpenRequests } from './open-requests.ts'

const SECRETS = { ci: 'a-key-that-is-long-enough', ops: 'another-key-that-is-long' }

function setUp({ limit = 2, isRequired = true } = {}) {
  const keys = createKeyRing({ isRequired })
  const valid = (name: keyof typeof SECRETS, role: 'client' | 'operator' = 'client', id: string = name) => {
    return { digest: digest(SECRETS[name]), id, name, role, rateLimit: {}, ceilings: {} }
  }
  keys.replace([valid('ci'), valid('ops')])
  const warnings: object[] = []
  const context = {
    keys,
    config: { server: { max_open_requests_per_key: limit } },
    log: { warn: (facts: object) => warnings.push(facts) },
  } as unknown as ServerContext
  const open = new OpenRequests(context)
  const send = (name: keyof typeof SECRETS | undefined, over: object = {}, url = '/api/v1/prompt') => {
    const raw = new EventEmitter()
    const destroy = vi.fn()
    const secret = name && SECRETS[name]
    const facts = { address: '192.0.2.1', key: secret && keys.find(secret), isLocalUser: false, ...over }
    const headers = secret === undefined ? {} : { 'x-api-key': secret }
    const request = { facts, headers, url, raw: { socket: { destroy } } } as unknown as FastifyRequest
    open.add({ request, reply: { raw } as unknown as FastifyReply })
    return { request, destroy, close: () => raw.emit('close') }
  }
  return { keys, valid, send, warnings }
}

const refused = expect.objectContaining({ code: 'too_many_open_requests' })

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('open requests', () => {
  it('are limited for each key, until one of them ends', () => {
    const { send, warnings } = setUp()
    const first = send('ci')
    send('ci', { address: '192.0.2.9' })
    expect(() => send('ci')).toThrow(refused)
    expect(() => send('ci')).toThrow('your key has 2 open requests')
    expect(warnings).toEqual([{ limit: 2, client: 'key ci' }])
    send('ops')
    first.close()
    send('ci')
    expect(() => send('ci')).toThrow(refused)
  })

  it('are counted by address without a key, those of a network together', () => {
    const { send } = setUp()
    for (const address of ['2001:db8::1', '2001:db8::2']) send(undefined, { address })
    expect(() => send(undefined, { address: '2001:db8::3' })).toThrow('your address has 2 open requests')
    send(undefined, { address: '2001:db8:0:1::3' })
    const { send: sendOpen } = setUp({ isRequired: false })
    for (let count = 0; count < 2; count += 1) sendOpen('ci')
    expect(() => sendOpen('ops')).toThrow('your address')
  })

  it.each<[string, { facts?: object; url?: string; limit?: number }]>([
    ['of the user of the server', { facts: { isLocalUser: true } }],
    ['through a socket that cannot tell its senders apart', { facts: { address: 'local' } }],
    ['for the health', { url: '/health' }],
    ['without a limit', { limit: 0 }],
  ])('%s are not counted', (_, { facts, url, limit = 2 }) => {
    const { send } = setUp({ limit })
    for (let count = 0; count < 5; count += 1) send(undefined, facts, url)
  })

  it('are counted to zero, and no further', () => {
    const { send } = setUp({ limit: 1 })
    for (let count = 0; count < 3; count += 1) {
      const { close } = send('ci')
      expect(() => send('ci')).toThrow(refused)
      close()
    }
  })

  it('are cut when their key is revoked, or has another role or another id', () => {
    for (const changed of [[], ['client', 'new'], ['operator', 'ci']] as const) {
      const { keys, valid, send } = setUp()
      const [gone, other] = [send('ci'), send('ops')]
      vi.advanceTimersByTime(500)
      expect(gone.destroy).not.toHaveBeenCalled()
      const [role, id] = changed
      keys.replace([...(role === undefined ? [] : [valid('ci', role, id)]), valid('ops')])
      vi.advanceTimersByTime(500)
      expect([gone.destroy.mock.calls.length, other.destroy.mock.calls.length]).toEqual([1, 0])
      expect([gone.request.facts.errorCode, other.request.facts.errorCode]).toEqual(['access_ended', undefined])
    }
  })

  it('are not cut if they end the access themselves, have ended, or have no key', () => {
    const { keys, send } = setUp({ limit: 9 })
    const left = [send('ci', { endsAccess: true }), send('ci'), send(undefined), send('ci', { isLocalUser: true })]
    left[1]?.close()
    keys.replace([])
    vi.advanceTimersByTime(2000)
    expect(left.map(({ destroy }) => destroy.mock.calls.length)).toEqual([0, 0, 0, 0])
  })

  it('are checked as long as there are some, and again later', () => {
    const { keys, valid, send } = setUp({ limit: 9 })
    const [one, two] = [send('ci'), send('ci')]
    expect(vi.getTimerCount()).toBe(1)
    one.close()
    expect(vi.getTimerCount()).toBe(1)
    two.close()
    expect(vi.getTimerCount()).toBe(0)
    const three = send('ci')
    keys.replace([valid('ops')])
    vi.advanceTimersByTime(500)
    expect(three.destroy).toHaveBeenCalledOnce()
  })
})
