import { describe, expect, it } from 'vitest'
import type { Fault } from '../kit/fault.ts'
import type { NativeBackend } from './adapter/agent.ts'
import { checkExtraFlags, withoutModeFlags } from './extra-flags.ts'
import { NATIVE_AGENTS } from './registry.ts'

function check(backend: NativeBackend, extra: readonly string[], isUnsafeAllowed = false) {
  checkExtraFlags(extra, { agent: NATIVE_AGENTS[backend], isUnsafeAllowed })
}

describe('checkExtraFlags', () => {
  it.each<[NativeBackend, string[]]>([
    ['claude', []],
    ['claude', ['--effort', 'low']],
    ['claude', ['--effort=low', '--verbose']],
    ['claude', ['--append-system-prompt=--yes', '--fallback-model', 'haiku']],
    ['claude', ['--disallowedTools', 'Bash', '--tools', 'Read']],
    ['claude', ['--model=a=b', '--max-turns', '2', '--max-budget-usd', '1', '--strict-mcp-config']],
    ['codex', ['-m', 'gpt-5.5', '--strict-config', '--color', 'never']],
    ['gemini', ['-m', 'pro', '-d', '--extensions=none']],
    ['gemini', ['-e', '']],
  ])('allows %s the arguments %j', (backend, extra) => {
    expect(() => check(backend, extra)).not.toThrow()
  })

  const refused: [NativeBackend, string[], argument: string, problem: string][] = [
    // More than the modes allow.
    ['claude', ['--permission-mode', 'bypassPermissions'], '--permission-mode', 'is not an allowed argument'],
    ['claude', ['--dangerously-skip-permissions'], '--dangerously-skip-permissions', 'is not an allowed argument'],
    ['claude', ['--allowedTools=Bash'], '--allowedTools=Bash', 'is not an allowed argument'],
    ['claude', ['--allowed-tools', 'Bash'], '--allowed-tools', 'is not an allowed argument'],
    ['claude', ['--settings', '{}'], '--settings', 'is not an allowed argument'],
    ['claude', ['--mcp-config', 'x'], '--mcp-config', 'is not an allowed argument'],
    ['claude', ['--bare'], '--bare', 'is not an allowed argument'],
    ['codex', ['-s', 'danger-full-access'], '-s', 'is not an allowed argument'],
    ['codex', ['-c', 'sandbox_mode="x"'], '-c', 'is not an allowed argument'],
    ['codex', ['--yolo'], '--yolo', 'is not an allowed argument'],
    ['codex', ['--profile', 'x'], '--profile', 'is not an allowed argument'],
    ['gemini', ['--yolo'], '--yolo', 'is not an allowed argument'],
    ['gemini', ['-y'], '-y', 'is not an allowed argument'],
    ['gemini', ['--approval-mode=yolo'], '--approval-mode=yolo', 'is not an allowed argument'],
    ['gemini', ['--admin-policy', 'x'], '--admin-policy', 'is not an allowed argument'],
    ['gemini', ['--allowed-mcp-server-names', 'x'], '--allowed-mcp-server-names', 'is not an allowed argument'],
    // Out of the working directory.
    ['claude', ['--add-dir', '/etc'], '--add-dir', 'is not an allowed argument'],
    ['claude', ['--debug-file', '/x'], '--debug-file', 'is not an allowed argument'],
    ['codex', ['-C', '/etc'], '-C', 'is not an allowed argument'],
    ['codex', ['-o', '/x'], '-o', 'is not an allowed argument'],
    ['codex', ['-i', '/x'], '-i', 'is not an allowed argument'],
    ['codex', ['--output-schema', '/x'], '--output-schema', 'is not an allowed argument'],
    ['gemini', ['--include-directories', '/etc'], '--include-directories', 'is not an allowed argument'],
    // Another session, or another kind of output.
    ['claude', ['--resume', 'x'], '--resume', 'is not an allowed argument'],
    ['claude', ['-c'], '-c', 'is not an allowed argument'],
    ['claude', ['--output-format', 'text'], '--output-format', 'is not an allowed argument'],
    ['claude', ['--help'], '--help', 'is not an allowed argument'],
    ['gemini', ['-r', 'latest'], '-r', 'is not an allowed argument'],
    ['gemini', ['-o', 'text'], '-o', 'is not an allowed argument'],
    // What looks like something else to the agent.
    ['gemini', ['-dy'], '-dy', 'is not an allowed argument'],
    ['gemini', ['-mpro'], '-mpro', 'is not an allowed argument'],
    ['gemini', ['--no-debug'], '--no-debug', 'is not an allowed argument'],
    ['claude', ['--'], '--', 'is not an allowed argument'],
    ['claude', ['--constructor'], '--constructor', 'is not an allowed argument'],
    ['claude', ['--EFFORT', 'low'], '--EFFORT', 'is not an allowed argument'],
    ['codex', ['resume', 'x'], 'resume', 'is not the value of a flag'],
    ['claude', ['--tools', 'Read', 'Bash'], 'Bash', 'is not the value of a flag'],
    ['claude', ['constructor'], 'constructor', 'is not the value of a flag'],
    ['claude', [''], '', 'is not the value of a flag'],
    ['gemini', ['--model', '--yolo'], '--model', 'needs a value'],
    ['gemini', ['--model'], '--model', 'needs a value'],
    ['gemini', ['--debug=false'], '--debug=false', 'takes no value'],
  ]

  it.each(refused)('refuses %s the arguments %j', (backend, extra, argument, problem) => {
    expect(() => check(backend, extra)).toThrow(
      expect.objectContaining({ code: 'extra_flag_refused', details: expect.objectContaining({ argument, problem }) }),
    )
  })

  it.each(refused)('allows %s the arguments %j when the operator has turned the check off', (backend, extra) => {
    expect(() => check(backend, extra, true)).not.toThrow()
  })

  it('lists the allowed flags', () => {
    let fault: Fault | undefined
    try {
      check('codex', ['--color', 'never', '--yolo'])
    } catch (error) {
      fault = error as Fault
    }
    expect(fault?.message).toBe(
      '"--yolo" in extra is not an allowed argument; allowed for codex: --model VALUE, -m VALUE, --color VALUE, --strict-config',
    )
  })
})

describe('checkExtraFlags under a ceiling', () => {
  const options = {
    agent: NATIVE_AGENTS.claude,
    isUnsafeAllowed: true,
    ceiling: 'server.max_sandbox_mode',
    place: '$.tasks[2]',
  }

  it('refuses arguments that the operator has allowed otherwise', () => {
    expect(() => checkExtraFlags(['--permission-mode', 'bypassPermissions'], options)).toThrow(
      '"--permission-mode" in $.tasks[2].extra could override server.max_sandbox_mode; allowed for claude: --model VALUE',
    )
  })

  it('allows the arguments on the list of the agent', () => {
    expect(() => checkExtraFlags(['--effort', 'low'], options)).not.toThrow()
  })
})

describe('withoutModeFlags', () => {
  it.each<[NativeBackend, string[], string[]]>([
    ['claude', [], []],
    ['claude', ['--effort', 'low'], ['--effort', 'low']],
    ['claude', ['--dangerously-skip-permissions', '--effort', 'low'], ['--effort', 'low']],
    ['claude', ['--permission-mode', 'acceptEdits', '--verbose'], ['--verbose']],
    ['claude', ['--permission-mode=acceptEdits', '--verbose'], ['--verbose']],
    ['claude', ['--verbose', '--permission-mode'], ['--verbose']],
    ['codex', ['-s', 'danger-full-access', '-m', 'a', '--yolo'], ['-m', 'a']],
    ['codex', ['--sandbox=danger-full-access', '--dangerously-bypass-approvals-and-sandbox'], []],
    ['gemini', ['-y', '--approval-mode', 'yolo', '-d'], ['-d']],
    ['claude', ['--allowedTools', 'Bash', 'Edit', '--effort', 'low'], ['--effort', 'low']],
    ['claude', ['--allowed-tools=Bash', 'Edit'], []],
    ['claude', ['--settings', '{"permissions":{}}', '--add-dir', '/', '/srv', '--verbose'], ['--verbose']],
    ['codex', ['-c', 'sandbox_mode=danger-full-access', '-c', 'model=a'], ['-c', 'model=a']],
    ['codex', ['-capproval_policy=never', '--config="permissions.x"=1', '--config=model=a'], ['--config=model=a']],
    ['codex', ['-a', 'never', '-sdanger-full-access', '--add-dir', '/', '-p', 'wild', '-mb'], ['-mb']],
    ['gemini', ['--allowed-tools', 'run_shell_command', '--include-directories=/', '/srv', '-d'], ['-d']],
  ])('keeps of the %s arguments %j only %j', (backend, extra, kept) => {
    expect(withoutModeFlags(extra, NATIVE_AGENTS[backend]).kept).toEqual(kept)
  })
})
