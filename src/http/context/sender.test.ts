import type { FastifyRequest } from 'fastify'
import { describe, expect, it } from 'vitest'
import type { ApiKey } from '../../config/api-keys.ts'
import { userName } from '../../kit/user-name.ts'
import type { Caller } from '../../prompts/caller.ts'
import { CONSOLE_USER } from './logins.ts'
import { rightsWith, toDecider, toRequestCaller } from './sender.ts'
import type { ServerContext } from './server-context.ts'

const KEY: ApiKey = { id: 'k', name: 'ci', role: 'client', rateLimit: {}, ceilings: { sandbox: 'workspace' } }

type Facts = Partial<FastifyRequest['facts']>

function contextWith({ isRequired = true, isReachable = false, valid = [KEY], queue = undefined as unknown } = {}) {
  return {
    config: {
      server: { max_approval_mode: '', max_sandbox_mode: '', trusted_proxies: [], allowed_workdir_prefixes: [] },
    },
    keys: { isRequired, withId: (id: string) => valid.find((key) => key.id === id) },
    exposure: { isReachable },
    drover: { opened: { queue } },
  } as unknown as ServerContext
}

const ceilings = { sandbox: { mode: 'workspace', setting: 'max_sandbox_mode of the key ci' } }
const open = { sandbox: { mode: 'read-only', setting: 'a server on a network address without API keys' } }

describe('the sender of a request', () => {
  it.each<[string, Facts, Parameters<typeof contextWith>[0], object]>([
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

  it.each<[string, Facts, Parameters<typeof contextWith>[0]]>([
    ['a key', { key: KEY }, {}],
    ['a network', {}, { isRequired: false, isReachable: true }],
    ['many machines', {}, { isRequired: false, queue: {} }],
  ])('is not the user of the machine with %s', (_, facts, server) => {
    const by = toRequestCaller({ facts: { isLocalUser: false, ...facts } } as FastifyRequest, contextWith(server))
    expect(by).not.toHaveProperty('isUser')
  })
})

describe('the rights of the one who has started a run', () => {
  const starter = (id?: string): Caller => ({
    is: 'client',
    role: 'client',
    key: id === undefined ? undefined : { id, name: 'ci' },
  })

  it.each<[string, Caller, Parameters<typeof contextWith>[0], object | undefined]>([
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
