import { describe, expect, it } from 'vitest'
import { commandsFor, permissionsFor, placeOf } from './agent-permissions.ts'

const INSIDE = { is: 'inside', agents: ['claude'] } as const

describe('an agent', () => {
  it.each([
    ['default', INSIDE, 'claude', 'sandboxed', true],
    ['default', INSIDE, 'acme', 'auto', false],
    ['default', { is: 'outside' }, 'claude', 'auto', false],
    ['default', undefined, 'claude', 'auto', false],
    ['auto', INSIDE, 'claude', 'auto', true],
    ['none', { is: 'inside' }, 'claude', 'none', false],
  ] as const)('with %s and the boundary %j is %s: %s, inside: %s', (mode, boundary, backend, approval, isInside) => {
    const agents = boundary !== undefined && 'agents' in boundary ? { agents: [...boundary.agents] } : {}
    const state = { options: { approval_mode: mode }, ...(boundary && { boundary: { is: boundary.is, ...agents } }) }
    expect(placeOf(backend, state)).toEqual({ approval, isInside })
  })

  it.each([
    ['implement', 'sandboxed', true, { approval_mode: 'sandboxed', sandbox_mode: 'full', sandbox: 'required' }],
    ['implement', 'auto', false, { approval_mode: 'auto', sandbox_mode: 'workspace', sandbox: 'off' }],
    ['implement', 'none', true, { approval_mode: 'none', sandbox_mode: 'full', sandbox: 'required' }],
    ['implement', 'always', false, { approval_mode: 'always', sandbox_mode: 'read-only', sandbox: 'off' }],
    ['review', 'sandboxed', true, { approval_mode: 'auto', sandbox_mode: 'read-only', sandbox: 'required' }],
    ['orient', 'none', false, { approval_mode: 'auto', sandbox_mode: 'read-only', sandbox: 'off' }],
  ] as const)('that has to %s with %s, inside: %s, gets %j', (kind, approval, isInside, expected) => {
    expect(permissionsFor({ kind }, { approval, isInside })).toEqual(expected)
  })

  it('is allowed single commands only if it may not run all of them', () => {
    const checks = ['npm test']
    expect(commandsFor({ kind: 'implement' }, { approval: 'auto', checks })).toEqual({ allowedCommands: checks })
    expect(commandsFor({ kind: 'implement' }, { approval: 'sandboxed', checks })).toEqual({})
    expect(commandsFor({ kind: 'review' }, { approval: 'auto', checks })).toEqual({})
  })
})
