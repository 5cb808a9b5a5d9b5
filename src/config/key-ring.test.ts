import { describe, expect, it } from 'vitest'
import { digest } from '../kit/digest.ts'
import { createKeyRing } from './key-ring.ts'

describe('a key ring', () => {
  it('finds a key by its digest, and names it by the start of the digest', () => {
    const ring = createKeyRing({ isRequired: true })
    ring.replace([{ digest: digest('one'), rateLimit: {} }])
    expect(ring.find('one')).toEqual({
      id: `key_${digest('one').slice(7, 31)}`,
      name: `key-${digest('one').slice(7, 15)}`,
      role: 'client',
      rateLimit: {},
      ceilings: {},
    })
    expect(ring.find('two')).toBeUndefined()
    expect(ring.find('')).toBeUndefined()
  })

  it('knows no key before it gets some', () => {
    const ring = createKeyRing({ isRequired: true })
    expect([ring.find('one'), ring.withId('one'), ring.withoutOwnId()]).toEqual([undefined, undefined, []])
  })

  it('keeps the name, role and limits of a key that another source has without them', () => {
    const ring = createKeyRing({ isRequired: true })
    const named = { digest: digest('one'), name: 'ci', role: 'operator' as const, rateLimit: { rps: 5 } }
    ring.replace([named, { digest: digest('one'), rateLimit: {} }])
    expect(ring.find('one')).toMatchObject({ name: 'ci', role: 'operator', rateLimit: { rps: 5 }, ceilings: {} })
  })

  it('finds a key by the id that the config gives it, and tells which keys have none', () => {
    const ring = createKeyRing({ isRequired: true })
    const id = 'key_0123456789abcdef01234567'
    ring.replace([
      { digest: digest('one'), id, name: 'ci', rateLimit: {} },
      { digest: digest('two'), name: 'web', rateLimit: {} },
    ])
    expect(ring.find('one')).toMatchObject({ id, name: 'ci' })
    expect(ring.withId(id)).toBe(ring.find('one'))
    expect(ring.withId('ci')).toBeUndefined()
    expect(ring.withoutOwnId()).toEqual([ring.find('two')])
  })

  it('drops replaced keys', () => {
    const ring = createKeyRing({ isRequired: true })
    ring.replace([{ digest: digest('one'), rateLimit: {} }])
    ring.replace([])
    expect(ring.find('one')).toBeUndefined()
    expect(ring.isRequired).toBe(true)
  })

  it('does not store the keys themselves', () => {
    const ring = createKeyRing({ isRequired: true })
    ring.replace([{ digest: digest('a-very-secret-key'), rateLimit: {} }])
    expect(JSON.stringify(ring.find('a-very-secret-key'))).not.toContain('secret')
  })
})
