import type { FastifyRequest } from 'fastify'
import { describe, expect, it } from 'vitest'
import type { ApiKey } from '../../config/api-keys.ts'
import { userName } from '../../kit/user-name.ts'
import type { Caller } from '../../prompts/caller.ts'
import { CONSOLE_USER } from './logins.ts'
import { rightsWith, toDecider, toRequestCaller, USER_ELSEWHERE } from './sender.ts'
import type { ServerContext } from './server-context.ts'

const KEY: ApiKey = { id: 'k', name: 'ci', role: 'client', rateLimit: {}, ceilings: { sandbox: 'workspace' } }

type Facts = Partial<FastifyRequest['facts']>

type Server = { isRequired?: boolean; isReachable?: boolean; valid?: ApiKey[]; queue?: object; limits?: object }

function contextWith({ isRequired = true, isReachable = false, valid = [KEY], queue, limits }: Server = {}) {
  const modes = { max_approval_mode: '', max_sandbox_mode: '' }
  return {
    config: { server: { ...modes, trusted_proxies: [], allowed_workdir_prefixes: [], ...limits } },
    keys: { isRequired, withId: (id: string) => valid.find((key) => key.id === id) },
    exposure: { isReachable },
    drover: { opened: { queue } },
  } as unknown as ServerContext
}

const ceilings = { sandbox: { mode: 'workspace', setting: 'max_sandbox_mode of the key ci' } }
const open = { sandbox: { mode: 'read-only', setting: 'a server on a network address without API keys' } }

describe('the sender of a request', () => {
  it.each<[string, Facts, Server, object]>([
    ['on the local socket', { isLocalUser: true, key: KEY }, {}, { is: 'user' }],
    ['with a key', { key: KEY }, {}, { is: 'client', role: 'client', key: { id: 'k', name: 'ci' }, ceilings }],
    ['with the key of an operator', { key: { ...KEY, role: 'operator' } }, {}, { is: 'client', role: 'operator' }],
    ['without a key, although one is required', {}, {}, { is: 'client', role: 'client', key: undefined }],
    ['of a server without keys', {}, { isRequired: false }, { is: 'client', role: 'operator', isUser: true }],
    [
      'over a network, without keys',
      {},
      { isRequired: false, isReachable: true },
      { role: 'operator', ceilings: open },
    ],
  ])('%s', (_, facts, server, expected) => {
    expect(
      toRequestCaller({ facts: { isLocalUser: false, ...facts } } as FastifyRequest, contextWith(server)),
    ).toMatchObject(expected)
  })

  it.each<[string, Facts, Server]>([
    ['a key', { key: KEY }, {}],
    ['a network', {}, { isRequired: false, isReachable: true }],
    ['many machines', {}, { isRequired: false, queue: {} }],
    ['a proxy', {}, { isRequired: false, limits: { trusted_proxies: ['10.0.0.1'] } }],
    ['directories for clients', {}, { isRequired: false, limits: { allowed_workdir_prefixes: ['/srv'] } }],
  ])('is not the user of the machine with %s', (_, facts, server) => {
    const by = toRequestCaller({ facts: { isLocalUser: false, ...facts } } as FastifyRequest, contextWith(server))
    expect(by).not.toHaveProperty('isUser')
  })

  it('is the user of the machine with a login to the console, and on another machine', () => {
    const facts = { isLocalUser: false, key: CONSOLE_USER }
    const user = { is: 'client', role: 'operator', key: { id: CONSOLE_USER.id }, isUser: true }
    expect(toRequestCaller({ facts } as FastifyRequest, contextWith())).toMatchObject(user)
    expect(USER_ELSEWHERE).toMatchObject(user)
  })
})

describe('the rights of the one who has started a run', () => {
  const starter = (id?: string): Caller => ({
    is: 'client',
    role: 'client',
    key: id === undefined ? undefined : { id, name: 'ci' },
  })

  it.each<[string, Caller, Server, object | undefined]>([
    ['the user', { is: 'user' }, {}, { is: 'user' }],
    ['a key, as it is now', starter('k'), {}, { key: { id: 'k', name: 'ci' }, ceilings }],
    ['the console', starter(CONSOLE_USER.id), {}, { role: 'operator', ceilings: undefined }],
    ['a key that was revoked', starter('gone'), {}, undefined],
    ['a client without a key, when keys are required', starter(), {}, undefined],
    ['a client without a key', starter(), { isRequired: false }, { role: 'operator' }],
    ['a key of a server that has none any more', starter('k'), { isRequired: false, valid: [] }, undefined],
  ])('%s', (_, by, server, expected) => {
    const rights = rightsWith(contextWith(server))(by)
    if (expected === undefined) expect(rights).toBeUndefined()
    else expect(rights).toMatchObject(expected)
  })
})

describe('who decided', () => {
  it.each<[object, object]>([
    [
      { isLocalUser: true, key: KEY },
      { via: 'socket', name: userName() },
    ],
    [{ isLocalUser: false }, { via: 'none' }],
    [
      { isLocalUser: false, key: KEY },
      { via: 'key', name: 'ci', key_id: 'k' },
    ],
    [
      { isLocalUser: false, key: KEY, login: { token: 't', secret: 's' } },
      { via: 'login', name: 'ci', key_id: 'k' },
    ],
  ])('of %j is %j', (facts, decider) => {
    expect(toDecider({ facts } as unknown as FastifyRequest)).toEqual(decider)
  })
})
