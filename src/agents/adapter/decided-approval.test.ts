import { describe, expect, it } from 'vitest'
import { digest } from '../../kit/digest.ts'
import type { ApprovalRequest } from './agent.ts'
import { toDecidedApproval } from './decided-approval.ts'

const REQUEST: ApprovalRequest = { approval_id: 'a', tool_name: 'Bash', choices: ['allow', 'deny'] }
const allowed = { decision: 'allow', by: { via: 'key', name: 'ci' } } as const

describe('the record of a decision', () => {
  it('says who decided what, with a digest of all that was asked for', () => {
    const request = { ...REQUEST, tool_id: 't', command: 'rm x', diff: '-x', input: { command: 'rm x', force: true } }
    expect(toDecidedApproval(request, { ...allowed, decision: 'deny', message: 'not now' })).toEqual({
      approval_id: 'a',
      tool_id: 't',
      tool_name: 'Bash',
      command: 'rm x',
      input_sha256: digest('{"tool_name":"Bash","command":"rm x","diff":"-x","input":{"command":"rm x","force":true}}'),
      decision: 'deny',
      message: 'not now',
      by: { via: 'key', name: 'ci' },
    })
  })

  it('leaves out what the request does not have', () => {
    const { input_sha256, ...rest } = toDecidedApproval(REQUEST, allowed)
    expect(rest).toEqual({ approval_id: 'a', tool_name: 'Bash', ...allowed })
    expect(input_sha256).toBe(digest('{"tool_name":"Bash"}'))
  })

  it.each([
    [1000, 1000],
    [1001, 1000],
  ])('has the first 1000 characters of a command of %d', (length, kept) => {
    expect(toDecidedApproval({ ...REQUEST, command: 'x'.repeat(length) }, allowed).command).toHaveLength(kept)
  })

  it.each<[string, Partial<ApprovalRequest>]>([
    ['a later part of the command', { command: `${'x'.repeat(1000)}b` }],
    ['the input', { command: `${'x'.repeat(1000)}a`, input: { host: 'b' } }],
    ['half a character', { command: `${'x'.repeat(1000)}\ud800` }],
  ])('has another digest if %s differs', (_name, fields) => {
    const one = toDecidedApproval({ ...REQUEST, command: `${'x'.repeat(1000)}a`, input: { host: 'a' } }, allowed)
    expect(toDecidedApproval({ ...REQUEST, ...fields }, allowed).input_sha256).not.toBe(one.input_sha256)
  })
})
