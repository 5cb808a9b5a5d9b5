import { describe, expect, it } from 'vitest'
import type { ApprovalMode, SandboxMode } from './agent.ts'
import {
  type Permission,
  permissionOfApproval,
  permissionOfSandbox,
  stricterPermission,
  warnOfMissingApprover,
  warnOfNoSandbox,
  warnOfStricter,
} from './permission.ts'

describe('the permission of modes', () => {
  it.each<[ApprovalMode, SandboxMode, Permission | undefined, string[]]>([
    ['default', 'default', undefined, []],
    ['always', 'default', 'ask', []],
    ['auto', 'default', 'edit', []],
    ['none', 'default', 'everything', []],
    ['default', 'read-only', 'read-only', []],
    ['default', 'workspace', 'edit', []],
    ['default', 'full', 'everything', []],
    ['auto', 'workspace', 'edit', []],
    ['none', 'full', 'everything', []],
    ['none', 'read-only', 'read-only', ['approval_mode none is ignored: sandbox_mode read-only is stricter']],
    ['always', 'full', 'ask', ['sandbox_mode full is ignored: approval_mode always is stricter']],
    ['none', 'workspace', 'edit', ['approval_mode none is ignored: sandbox_mode workspace is stricter']],
  ])('approval %s and sandbox %s is %s', (approvalMode, sandboxMode, permission, warnings) => {
    expect(stricterPermission({ approvalMode, sandboxMode })).toBe(permission)
    expect(warnOfStricter({ approvalMode, sandboxMode })).toEqual(warnings)
    if (sandboxMode === 'default') expect(permissionOfApproval(approvalMode)).toBe(permission)
    if (approvalMode === 'default') expect(permissionOfSandbox(sandboxMode)).toBe(permission)
  })
})

describe('a warning about modes', () => {
  const modes = { approvalMode: 'default', sandboxMode: 'default' } as const

  it('tells that no one can be asked', () => {
    const denied =
      'approval_mode always: claude runs without a user to ask, so everything that needs approval is denied'
    expect(warnOfMissingApprover('claude', { ...modes, approvalMode: 'always' })).toEqual([denied])
    expect(warnOfMissingApprover('claude', { ...modes, approvalMode: 'always', hasApprover: true })).toEqual([])
    expect(warnOfMissingApprover('claude', { ...modes, approvalMode: 'auto' })).toEqual([])
  })

  it('tells that the sandbox is the agent itself', () => {
    expect(warnOfNoSandbox('claude', { ...modes, sandboxMode: 'workspace' })).toEqual([
      'sandbox_mode workspace is enforced by claude itself, not by an operating system sandbox',
    ])
    for (const sandboxMode of ['default', 'full'] as const) {
      expect(warnOfNoSandbox('claude', { ...modes, sandboxMode })).toEqual([])
    }
  })
})
