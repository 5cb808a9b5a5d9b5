import { describe, expect, it } from 'vitest'
import { assessNode } from './programs.ts'

describe('assessNode', () => {
  it.each([
    ['24.0.0', 'node_supported'],
    ['25.1.0', 'node_supported'],
    ['23.11.1', 'node_too_old'],
    ['something', 'node_too_old'],
  ])('calls %s %s', (version, code) => {
    expect(assessNode(version).kind.code).toBe(code)
  })
})
