import { describe, expect, it } from 'vitest'
import type { Fault } from '../kit/fault.ts'
import type { Backend } from './adapter/agent.ts'
import { judgeExtra } from './extra-flags.ts'
import { AGENTS } from './registry.ts'

function judge(backend: Backend, extra: readonly string[], isUnsafeAllowed = false) {
  judgeExtra(extra, { agent: AGENTS[backend], isUnsafeAllowed })
}

describe('judgeExtra', () => {
  it.each<[Backend, string[]]>([
    ['claude', []],
    ['claude', ['--effort', 'low']],
    ['claude', ['--effort=low', '--verbose']],
    ['claude', ['--append-system-prompt=--yes', '--fallback-model', 'haiku']],
    ['claude', ['--disallowedTools', 'Bash', '--tools', 'Read']],
    ['claude', ['--model=a=b', '--max-turns', '2', '--max-budget-usd', '1', '--strict-mcp-config']],
    ['codex', ['-m', 'gpt-5.5', '--strict-config', '--color', 'never']],
    ['gemini', ['-m', 'pro', '-d', '--extensions=none']],
    ['gemini', ['-e', '']],
  ])('lets %s have %j', (backend, extra) => {
    expect(() => judge(backend, extra)).not.toThrow()
  })

  const refused: [Backend, string[], argument: string, problem: string][] = [
    // More than the modes allow.
    [
      'claude',
      ['--permission-mode', 'bypassPermissions'],
      '--permission-mode',
      'is not an argument that callers may give',
    ],
    [
      'claude',
      ['--dangerously-skip-permissions'],
      '--dangerously-skip-permissions',
      'is not an argument that callers may give',
    ],
    ['claude', ['--allowedTools=Bash'], '--allowedTools=Bash', 'is not an argument that callers may give'],
    ['claude', ['--allowed-tools', 'Bash'], '--allowed-tools', 'is not an argument that callers may give'],
    ['claude', ['--settings', '{}'], '--settings', 'is not an argument that callers may give'],
    ['claude', ['--mcp-config', 'x'], '--mcp-config', 'is not an argument that callers may give'],
    ['claude', ['--bare'], '--bare', 'is not an argument that callers may give'],
    ['codex', ['-s', 'danger-full-access'], '-s', 'is not an argument that callers may give'],
    ['codex', ['-c', 'sandbox_mode="x"'], '-c', 'is not an argument that callers may give'],
    ['codex', ['--yolo'], '--yolo', 'is not an argument that callers may give'],
    ['codex', ['--profile', 'x'], '--profile', 'is not an argument that callers may give'],
    ['gemini', ['--yolo'], '--yolo', 'is not an argument that callers may give'],
    ['gemini', ['-y'], '-y', 'is not an argument that callers may give'],
    ['gemini', ['--approval-mode=yolo'], '--approval-mode=yolo', 'is not an argument that callers may give'],
    ['gemini', ['--admin-policy', 'x'], '--admin-policy', 'is not an argument that callers may give'],
    [
      'gemini',
      ['--allowed-mcp-server-names', 'x'],
      '--allowed-mcp-server-names',
      'is not an argument that callers may give',
    ],
    // Out of the working directory.
    ['claude', ['--add-dir', '/etc'], '--add-dir', 'is not an argument that callers may give'],
    ['claude', ['--debug-file', '/x'], '--debug-file', 'is not an argument that callers may give'],
    ['codex', ['-C', '/etc'], '-C', 'is not an argument that callers may give'],
    ['codex', ['-o', '/x'], '-o', 'is not an argument that callers may give'],
    ['codex', ['-i', '/x'], '-i', 'is not an argument that callers may give'],
    ['codex', ['--output-schema', '/x'], '--output-schema', 'is not an argument that callers may give'],
    ['gemini', ['--include-directories', '/etc'], '--include-directories', 'is not an argument that callers may give'],
    // Another session, or another kind of output.
    ['claude', ['--resume', 'x'], '--resume', 'is not an argument that callers may give'],
    ['claude', ['-c'], '-c', 'is not an argument that callers may give'],
    ['claude', ['--output-format', 'text'], '--output-format', 'is not an argument that callers may give'],
    ['claude', ['--help'], '--help', 'is not an argument that callers may give'],
    ['gemini', ['-r', 'latest'], '-r', 'is not an argument that callers may give'],
    ['gemini', ['-o', 'text'], '-o', 'is not an argument that callers may give'],
    // What looks like something else to the agent.
    ['gemini', ['-dy'], '-dy', 'is not an argument that callers may give'],
    ['gemini', ['-mpro'], '-mpro', 'is not an argument that callers may give'],
    ['gemini', ['--no-debug'], '--no-debug', 'is not an argument that callers may give'],
    ['claude', ['--'], '--', 'is not an argument that callers may give'],
    ['claude', ['--constructor'], '--constructor', 'is not an argument that callers may give'],
    ['claude', ['--EFFORT', 'low'], '--EFFORT', 'is not an argument that callers may give'],
    ['codex', ['resume', 'x'], 'resume', 'belongs to no flag'],
    ['claude', ['--tools', 'Read', 'Bash'], 'Bash', 'belongs to no flag'],
    ['claude', ['constructor'], 'constructor', 'belongs to no flag'],
    ['claude', [''], '', 'belongs to no flag'],
    ['gemini', ['--model', '--yolo'], '--model', 'lacks its value'],
    ['gemini', ['--model'], '--model', 'lacks its value'],
    ['gemini', ['--debug=false'], '--debug=false', 'takes no value'],
  ]

  it.each(refused)('does not let %s have %j', (backend, extra, argument, problem) => {
    expect(() => judge(backend, extra)).toThrow(
      expect.objectContaining({ code: 'extra_flag_refused', details: expect.objectContaining({ argument, problem }) }),
    )
  })

  it.each(refused)('lets %s have %j when the operator allows everything', (backend, extra) => {
    expect(() => judge(backend, extra, true)).not.toThrow()
  })

  it('says what would be allowed', () => {
    let fault: Fault | undefined
    try {
      judge('codex', ['--color', 'never', '--yolo'])
    } catch (error) {
      fault = error as Fault
    }
    expect(fault?.message).toBe(
      '"--yolo" in extra is not an argument that callers may give; codex may be given --model VALUE, -m VALUE, --color VALUE, --strict-config',
    )
  })
})
