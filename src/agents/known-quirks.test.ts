import { describe, expect, it } from 'vitest'
import type { Backend } from './adapter/agent.ts'
import { findQuirks, isOlderThanTried, type QuirkFacts } from './known-quirks.ts'

const facts: QuirkFacts = { version: '2.1.200', isRoot: true, env: {}, hasTimeout: true }

describe('the quirks of an agent', () => {
  it.each<[string, Backend, Partial<QuirkFacts>, number]>([
    ['claude as root', 'claude', {}, 1],
    ['claude as root in a sandbox', 'claude', { env: { IS_SANDBOX: '1' } }, 0],
    ['claude as another user', 'claude', { isRoot: false }, 0],
    ['claude of another series', 'claude', { version: '2.2.0' }, 0],
    ['claude of an unknown version', 'claude', { version: 'new' }, 0],
    ['codex without a timeout', 'codex', { version: '0.166.3', hasTimeout: false }, 1],
    ['codex with a timeout', 'codex', { version: '0.166.3' }, 0],
    ['gemini', 'gemini', { version: '0.61.0', hasTimeout: false }, 0],
  ])('%s: %s', (_name, backend, over, count) => {
    expect(findQuirks(backend, { ...facts, ...over })).toHaveLength(count)
  })
})

describe('a version', () => {
  it.each<[Backend, string, boolean]>([
    ['claude', '2.1.197', false],
    ['claude', '2.1.0', false],
    ['claude', '2.0.999', true],
    ['claude', '3.0.0', false],
    ['codex', '0.165.9', true],
    ['gemini', 'nightly', false],
  ])('of %s, %s, is older than the tested one: %j', (backend, version, expected) => {
    expect(isOlderThanTried(backend, version)).toBe(expected)
  })
})
