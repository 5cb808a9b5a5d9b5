import { describe, expect, it } from 'vitest'
import { digest } from '../kit/digest.ts'
import { createKeyRing } from './key-ring.ts'

describe('a key ring', () => {
  it('finds a key by its digest, and names it by the start of the digest', () => {
    const ring = createKeyRing({ isRequired: true })
    ring.replace([{ digest: digest('one'), rateLimit: {} }])
    expect(ring.find('one')).toEqual({
      name: `key-${digest('one').slice(7, 15)}`,
      role: 'client',
      rateLimit: {},
      ceilings: {},
    })
    expect(ring.find('two')).toBeUndefined()
    expect(ring.find('')).toBeUndefined()
  })

  it('keeps the name, role and limits of a key that another source has without them', () => {
    const ring = createKeyRing({ isRequired: true })
    const named = { digest: digest('one'), name: 'ci', role: 'operator' as const, rateLimit: { rps: 5 } }
    ring.replace([named, { digest: digest('one'), rateLimit: {} }])
    expect(ring.find('one')).toEqual({ name: 'ci', role: 'operator', rateLimit: { rps: 5 }, ceilings: {} })
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
