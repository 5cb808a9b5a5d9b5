import { describe, expect, it } from 'vitest'
import type { PromptEvent } from '../../prompts/prompt-event.ts'
import { Trace } from './trace.ts'

type Backend = PromptEvent['backend']

function traceOf(backend: Backend, calls: readonly { name: string; input: unknown; failure?: string; id?: string }[]) {
  const trace = new Trace({ showsExitCodes: backend !== 'gemini' })
  let sequence = 0
  const event = (type: string, content: object) => {
    sequence += 1
    trace.note({ type, backend, session_id: '', timestamp: '', sequence, content } as PromptEvent)
  }
  for (const { name, input, failure, id = 't1' } of calls) {
    event('tool_use', { tool_id: id, tool_name: name, input })
    event('tool_result', {
      tool_id: id,
      tool_name: name,
      ...(failure !== undefined && { is_error: true, error_message: failure }),
    })
  }
  return trace.entries
}

describe('the exit code of a command', () => {
  it.each([
    ['claude', 'Bash', undefined, 0],
    ['claude', 'Bash', 'Exit code 3\non-stderr', 3],
    ['claude', 'Bash', 'Error: Exit code 127', 127],
    ['claude', 'Bash', 'It ended with exit code 3', undefined],
    ['codex', 'command_execution', undefined, 0],
    ['codex', 'command_execution', 'exit code 3', 3],
    ['gemini', 'run_shell_command', undefined, undefined],
    ['goose', 'shell', undefined, 0],
    ['goose', 'shell', 'exit code 3', 3],
  ] as const)('%s %s %s: %s', (backend, name, failure, exit_code) => {
    const [entry] = traceOf(backend, [{ name, input: { command: 'npm test' }, ...(failure && { failure }) }])
    expect(entry).toEqual({
      did: 'command',
      seq: 4,
      command: 'npm test',
      ...(exit_code !== undefined && { exit_code }),
    })
  })

  it.each([
    ['claude', 'Bash', "Claude requested permissions to use Bash, but you haven't granted it yet."],
    ['claude', 'Bash', 'Permission to use Bash with command npm test has been denied.'],
    ['claude', 'Bash', 'This command requires approval'],
    ['codex', 'command_execution', 'rejected by user'],
  ] as const)('is not seen if %s was not allowed to run it: %s %s', (backend, name, failure) => {
    expect(traceOf(backend, [{ name, input: { command: 'npm test' }, failure }])).toEqual([])
  })

  it.each([
    ['claude', 'Bash', 'grep knots wind.txt', undefined],
    ['claude', 'Bash', 'npm test | grep failed', undefined],
    ['claude', 'Bash', '[ -f wind.txt ]', undefined],
    ['claude', 'Bash', 'egrep knots wind.txt', undefined],
    ['claude', 'Bash', '/usr/bin/diff a b', undefined],
    ['claude', 'Bash', 'mygrep knots wind.txt', 0],
    ['claude', 'Bash', 'grepping knots', 0],
    ['claude', 'Bash', 'echo grep', 0],
    ['codex', 'command_execution', "/bin/bash -lc 'grep knots wind.txt'", 0],
  ] as const)('%s does not show whether %s %s found something', (backend, name, command, exit_code) => {
    const [entry] = traceOf(backend, [{ name, input: { command } }])
    expect(entry?.did === 'command' && entry.exit_code).toBe(exit_code)
  })

  it('of a command in the background is unknown', () => {
    const [entry] = traceOf('claude', [{ name: 'Bash', input: { command: 'npm test', run_in_background: true } }])
    expect(entry).not.toHaveProperty('exit_code')
  })
})

describe('an edit', () => {
  it.each([
    ['claude', 'Write', { file_path: '/work/a.ts', content: '' }, ['/work/a.ts']],
    ['claude', 'NotebookEdit', { notebook_path: '/work/a.ipynb' }, ['/work/a.ipynb']],
    ['codex', 'file_change', { changes: [{ path: 'a.ts', kind: 'add' }, { path: 'b.ts' }] }, ['a.ts', 'b.ts']],
    ['gemini', 'replace', { file_path: 'a.ts' }, ['a.ts']],
  ] as const)('of %s by %s names its files', (backend, name, input, paths) => {
    expect(traceOf(backend, [{ name, input }])).toEqual([{ did: 'edit', seq: 4, paths }])
  })

  it('that was denied is none', () => {
    expect(traceOf('claude', [{ name: 'Write', input: { file_path: 'a.ts' }, failure: 'denied' }])).toEqual([])
  })
})

describe('a trace', () => {
  it('skips calls that neither edit nor run commands', () => {
    expect(traceOf('claude', [{ name: 'Read', input: { file_path: 'a.ts' } }])).toEqual([])
    expect(traceOf('claude', [{ name: 'Odd', input: 'text' }])).toEqual([])
    for (const input of [null, undefined]) expect(traceOf('claude', [{ name: 'Bash', input }])).toEqual([])
    expect(traceOf('claude', [{ name: 'Write', input: { content: '' } }])).toEqual([])
  })

  it('joins a result with its call, once', () => {
    const trace = new Trace({ showsExitCodes: true })
    const note = (type: string, content: object) =>
      trace.note({ type, backend: 'claude', session_id: '', timestamp: '', content } as unknown as PromptEvent)
    for (const id of ['1', '2']) note('tool_use', { tool_id: id, tool_name: 'Bash', input: { command: `c${id}` } })
    note('tool_use', { tool_name: 'Bash', input: { command: 'without id' } })
    for (const id of ['1', '2', '1']) note('tool_result', { tool_id: id, tool_name: 'Bash' })
    note('tool_result', { tool_name: 'Bash' })
    expect(trace.entries.map((entry) => entry.did === 'command' && entry.command)).toEqual(['c1', 'c2', 'without id'])
  })

  it('shows the command in a shell, unless it is too long to be read', () => {
    const shown = (command: string) => {
      const [entry] = traceOf('codex', [{ name: 'command_execution', input: { command } }])
      return entry?.did === 'command' ? entry.command : ''
    }
    expect(shown("bash -lc 'npm test'")).toBe('npm test')
    expect(shown(`bash -lc '${'x'.repeat(8180)}'`)).toMatch(/^x+$/)
    expect(shown(`bash -lc '${'x'.repeat(8181)}'`)).toMatch(/^x+$/)
    expect(shown(`bash -lc '${'x'.repeat(8182)}'`)).toMatch(/^bash -lc/)
  })

  it('keeps the latest 2000 entries', () => {
    const calls = Array.from({ length: 2001 }, (_, at) => ({ name: 'Bash', input: { command: `c${at}` } }))
    const entries = traceOf('claude', calls)
    expect(entries).toHaveLength(2000)
    expect(entries[0]).toMatchObject({ command: 'c1' })
  })

  it('cuts long commands', () => {
    const [entry] = traceOf('codex', [{ name: 'command_execution', input: { command: 'x'.repeat(5000) } }])
    expect(entry?.did === 'command' && entry.command.length).toBe(4096)
    expect(entry).not.toHaveProperty('exit_code')
    const [whole] = traceOf('codex', [{ name: 'command_execution', input: { command: 'x'.repeat(4096) } }])
    expect(whole).toHaveProperty('exit_code', 0)
  })
})
