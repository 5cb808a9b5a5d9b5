import { describe, expect, it } from 'vitest'
import { agentRequest } from '../../../test/support/agent-request.ts'
import type { AgentRequest, Denial, NativeBackend } from './agent.ts'
import { warnOfDenials } from './tool-log.ts'

const WRITE: Denial = { tool: 'Write', subject: 'a.txt', needs: 'edit' }
const BASH: Denial = { tool: 'Bash', subject: 'make', needs: 'everything' }
const COMMAND: Denial = { tool: 'command_execution', subject: 'touch x' }

type Modes = Partial<Pick<AgentRequest, 'approvalMode' | 'sandboxMode'>>

describe('the warning about denied tool calls', () => {
  it.each<[NativeBackend, Denial[], Modes, string | undefined]>([
    ['claude', [], {}, undefined],
    [
      'claude',
      [WRITE],
      {},
      '1 tool call was denied: Write (a.txt); allow with the approval mode auto (--approval auto)',
    ],
    [
      'claude',
      [WRITE, BASH],
      {},
      '2 tool calls were denied: Write (a.txt), Bash (make); allow with the approval mode none (--approval none)',
    ],
    [
      'gemini',
      [BASH],
      { approvalMode: 'auto' },
      '1 tool call was denied: Bash (make); allow with the approval mode none (--approval none)',
    ],
    [
      'gemini',
      [WRITE],
      { approvalMode: 'always' },
      '1 tool call was denied: Write (a.txt); allow with the approval mode auto (--approval auto)',
    ],
    [
      'claude',
      [WRITE],
      { sandboxMode: 'read-only' },
      '1 tool call was denied: Write (a.txt); allow with the approval mode auto (--approval auto) and the sandbox mode workspace (--access workspace)',
    ],
    [
      'claude',
      [WRITE],
      { approvalMode: 'none', sandboxMode: 'read-only' },
      '1 tool call was denied: Write (a.txt); allow with the sandbox mode workspace (--access workspace)',
    ],
    ['claude', [BASH], { approvalMode: 'none' }, '1 tool call was denied: Bash (make)'],
    [
      'codex',
      [COMMAND],
      {},
      '1 tool call was denied: command_execution (touch x); allow with the approval mode auto (--approval auto)',
    ],
    [
      'codex',
      [COMMAND],
      { approvalMode: 'auto' },
      '1 tool call was denied: command_execution (touch x); allow with the approval mode none (--approval none)',
    ],
    [
      'codex',
      [COMMAND],
      { approvalMode: 'none', sandboxMode: 'read-only' },
      '1 tool call was denied: command_execution (touch x); allow with the sandbox mode workspace (--access workspace)',
    ],
    [
      'codex',
      [COMMAND],
      { approvalMode: 'auto', sandboxMode: 'workspace' },
      '1 tool call was denied: command_execution (touch x); allow with the sandbox mode full (--access full)',
    ],
  ])('%s, %j, %j', (backend, denials, modes, warning) => {
    expect(warnOfDenials(denials, agentRequest(backend, modes))).toEqual(warning === undefined ? [] : [warning])
  })

  it('names the mode that is enough inside of a boundary', () => {
    const inside = agentRequest('claude', { approvalMode: 'none', sandboxMode: 'workspace' })
    const boundary = {} as NonNullable<typeof inside.boundary>
    expect(warnOfDenials([BASH], { ...inside, boundary })).toEqual([
      '1 tool call was denied: Bash (make); allow with the approval mode sandboxed (--approval sandboxed)',
    ])
    expect(warnOfDenials([BASH], { ...inside, sandboxMode: 'read-only', boundary })).toEqual([
      '1 tool call was denied: Bash (make); allow with the sandbox mode full (--access full)',
    ])
  })

  it('is one short line, however many and long the calls are', () => {
    const calls = Array.from({ length: 40 }, () => ({ ...BASH, subject: `echo 'a\n  b' ${'x'.repeat(1000)}` }))
    const [warning = ''] = warnOfDenials(calls, agentRequest('claude'))
    expect(warning).toMatch(/^40 tool calls were denied: Bash \(echo 'a b' x+…\), .*, 37 more; allow with/)
    expect(warning.length).toBeLessThan(400)
  })
})
