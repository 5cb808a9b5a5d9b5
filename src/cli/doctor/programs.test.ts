import { describe, expect, it } from 'vitest'
import { judgeNode } from './programs.ts'

describe('Node', () => {
  it.each([
    ['24.0.0', 'node_supported'],
    ['25.1.0', 'node_supported'],
    ['23.11.1', 'node_too_old'],
    ['something', 'node_too_old'],
  ])('%s is %s', (version, code) => {
    expect(judgeNode(version).kind.code).toBe(code)
  })
})
