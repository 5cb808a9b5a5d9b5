import { describe, expect, it } from 'vitest'
import { digest } from '../kit/digest.ts'
import { digestScope } from './destructive.ts'

describe('digestScope', () => {
  it('gives the digest that the protocol specifies', () => {
    const scope = {
      targets: [{ value: '/absolute/acceptance target', kind: 'path' }],
      request_id: '44444444-4444-4444-8444-444444444444',
      impact: 'delete the exact acceptance target permanently',
    }
    expect(digestScope(scope)).toBe('sha256:5f57217cc731b71ef7b2809c4df6c8af583ce7819a30d318623fe8ec99fad1dc')
  })

  it('hashes compact JSON with its keys in a fixed order', () => {
    const scope = { impact: 'a "b"\n</é>', request_id: 'r', targets: [{ kind: 'path', value: '/x\u2028\u007f' }] }
    expect(digestScope(scope)).toBe(
      digest(
        '{"impact":"a \\"b\\"\\n</é>","request_id":"r","scope_version":1,"targets":[{"kind":"path","value":"/x\u2028\u007f"}]}',
      ),
    )
  })

  it('ignores every other field of the request', () => {
    const target = { kind: 'path', value: '/x' }
    const request = { impact: 'i', request_id: 'r', targets: [{ ...target, note: 'n' }], scope_sha256: 'any' }
    expect(digestScope(request)).toBe(digestScope({ impact: 'i', request_id: 'r', targets: [target] }))
  })

  it('throws on a lone surrogate instead of hashing a replacement', () => {
    expect(() => digestScope({ impact: '\ud800', request_id: 'r', targets: [] })).toThrow(TypeError)
  })
})
