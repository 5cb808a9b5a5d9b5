import { describe, expect, it } from 'vitest'
import { agentRequest } from '../../test/support/agent-request.ts'
import type { AgentRequest, NativeBackend } from './adapter/agent.ts'
import { buildCommand } from './build-command.ts'
import { findWarmBackend } from './pool/warm-backends.ts'

const over = { additionalDirectories: ['/srv/a', '/srv/b c'] }
const argvOf = (backend: NativeBackend, more: Partial<AgentRequest> = {}) =>
  buildCommand(agentRequest(backend, { ...over, ...more })).argv.join('\n')
const ROOTS = '-c\nsandbox_workspace_write.writable_roots=["/srv/a","/srv/b c"]'

describe('additional directories', () => {
  it('are flags of claude and gemini', () => {
    expect(argvOf('claude')).toContain('--add-dir\n/srv/a\n--add-dir\n/srv/b c')
    expect(argvOf('gemini')).toContain('--include-directories\n/srv/a\n--include-directories\n/srv/b c')
  })

  it('are writable in the sandbox of codex, also if the settings of its user are limited', () => {
    expect(argvOf('codex')).toContain(ROOTS)
    const limited = argvOf('codex', { ignoresProject: true, isLimited: true })
    // The last one counts.
    expect(limited.indexOf(ROOTS)).toBeGreaterThan(limited.indexOf('writable_roots=[]'))
  })

  it('are in the profile of codex that replaces its sandbox, if it may write', () => {
    const closed = { closedFiles: ['/home/keys'] }
    expect(argvOf('codex', { ...closed, sandboxMode: 'workspace' })).toContain(
      'filesystem={"/srv/a"="write","/srv/b c"="write","/home/keys"="deny"}',
    )
    expect(argvOf('codex', { ...closed, sandboxMode: 'read-only' })).not.toContain('"write"')
  })

  it.each(['claude', 'codex', 'gemini'] as const)('leave the command of %s as it is if there are none', (backend) => {
    expect(argvOf(backend, { additionalDirectories: [] })).toBe(argvOf(backend, { additionalDirectories: undefined }))
  })

  it('must not have a comma for gemini, which would take it for two', () => {
    expect(() => argvOf('gemini', { additionalDirectories: ['/srv/a,b'] })).toThrow(
      'gemini takes no additional directory with a comma in its name; use claude or codex',
    )
  })

  it.each([
    ['claude', true],
    ['codex', true],
    ['gemini', false],
  ] as const)('are taken by a warm process of %s: %s', (backend, isWarm) => {
    const request = agentRequest(backend, { ...over, sandboxMode: 'workspace' })
    expect(findWarmBackend(request)?.fixedParts(request) !== undefined).toBe(isWarm)
  })
})
