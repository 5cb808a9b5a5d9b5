import type { FastifyRequest } from 'fastify'
import { describe, expect, it } from 'vitest'
import type { KeyRing } from '../../config/api-keys.ts'
import { clientOf, keyThatSees } from './sender.ts'

const requestOf = (facts: object) => ({ facts }) as unknown as FastifyRequest
const client = { id: 'k', name: 'ci', role: 'client' }

describe('what a sender sees', () => {
  it.each<[string, object, boolean, string | undefined]>([
    ['a client', { key: client }, true, 'k'],
    ['an operator', { key: { ...client, role: 'operator' } }, true, undefined],
    ['the user on the local socket', { isLocalUser: true, key: client }, true, undefined],
    ['a sender without a key', {}, true, 'unknown'],
    ['every sender at a server without keys', {}, false, undefined],
  ])('%s', (_, facts, isRequired, keyId) => {
    expect(keyThatSees(requestOf(facts), { keys: { isRequired } as KeyRing })).toBe(keyId)
  })
})

describe('what a sender starts', () => {
  it('belongs to its key, or to the user', () => {
    expect(clientOf(requestOf({ key: client }))).toEqual({ id: 'k', name: 'ci' })
    expect(clientOf(requestOf({}))).toBeUndefined()
    expect(clientOf(requestOf({ isLocalUser: true, key: client }))).toBeUndefined()
  })
})
