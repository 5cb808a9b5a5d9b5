import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyEnd, anyOutput, expectWellFormed } from '../../../test/support/any-output.ts'
import { runsOf } from '../../../test/support/full-counts.ts'
import { readRecording, recordingNames, replay } from '../../../test/support/replay-recording.ts'
import { NATIVE_AGENTS } from '../registry.ts'
import type { Agent, ProcessEnd } from './agent.ts'

const AGENT_LIST = Object.values(NATIVE_AGENTS).map((agent) => [agent.backend, agent] as const)
const OK: ProcessEnd = { code: 0, signal: null, stderrTail: '' }

/** The event that ends a run well, for each agent. */
const LAST_WORDS: Record<string, string> = {
  claude: '{"type":"result","is_error":false,"result":"Hi","session_id":"s"}',
  codex: '{"type":"turn.completed","usage":{}}',
  gemini: '{"type":"result","status":"success"}',
}
/** An event that ends nothing. */
const FIRST_WORDS: Record<string, string> = {
  claude: '{"type":"system","subtype":"init","session_id":"s"}',
  codex: '{"type":"thread.started","thread_id":"s"}',
  gemini: '{"type":"init","session_id":"s"}',
}

const message = (text: string) => ({ type: 'message', content: { text, role: 'assistant' } })

describe.each(AGENT_LIST)('the reader of %s', (backend, agent) => {
  const last = LAST_WORDS[backend] ?? ''
  const first = FIRST_WORDS[backend] ?? ''
  const read = (lines: string[], end = OK) => replay(agent, { lines, end })

  it('takes plain text as the answer, without empty lines at the end', () => {
    const { events, result } = read(['Hello,', '', '  world ', '', ' '])
    expect(events).toEqual([message('Hello,\n\n  world ')])
    expect(result).toMatchObject({ text: 'Hello,\n\n  world ' })
    expect(result.error).toBeUndefined()
  })

  it.each([
    ['an object it does not know', '{"type":"chat.completion","x":1}'],
    ['an object without a type', '{"answer":42}'],
    ['a list', '[1,2]'],
    ['half an object', '{"type":'],
  ])('takes %s as plain text too', (_, line) => {
    expect(read([line]).result).toMatchObject({ text: line })
  })

  it('skips text between events', () => {
    const { events, result } = read(['Warning: old', first, 'Memory is empty.', '{"type":"new_thing"}', last, 'bye'])
    expect(events.filter(({ type }) => type === 'message')).toEqual(backend === 'claude' ? [message('Hi')] : [])
    expect(result.error).toBeUndefined()
  })

  it('knows when the terminal event has been read', () => {
    const reader = agent.createReader({})
    reader.readLine(first)
    expect(reader.hasEnded()).toBe(false)
    reader.readLine(last)
    expect(reader.hasEnded()).toBe(true)
  })

  it.each([
    ['exits with 0 but without its last word', { ...OK }, 'exit code 0'],
    ['exits with 1 and says nothing of it', { ...OK, code: 1 }, 'exit code 1'],
    [
      'is ended by a signal, despite text on stderr',
      { code: null, signal: 'SIGKILL', stderrTail: 'x' },
      'ended by SIGKILL',
    ],
  ])('reports an early end when the agent %s', (_, end, how) => {
    const message = `${backend} ended before it had finished its answer (${how})`
    expect(read([first], end).result.error).toMatchObject({ code: 'agent_ended_early', message })
  })

  it('reports an early end when there is no output', () => {
    expect(read([]).result.error?.code).toBe('agent_ended_early')
    expect(read(['', '  ']).result.error?.code).toBe('agent_ended_early')
  })

  it('takes the reason of a failure from stderr, else from the text', () => {
    const failed = { code: 3, signal: null, stderrTail: 'no such device\n' }
    expect(read(['oops'], failed).result).toMatchObject({ text: 'oops', error: { message: 'no such device' } })
    expect(read(['oops'], { ...failed, stderrTail: '\n' }).result.error?.message).toBe('oops')
  })

  it('cuts an error message to 4000 whole characters', () => {
    const long = { code: 1, signal: null, stderrTail: '' }
    expect(read(['x'.repeat(4000)], long).result.error?.message).toBe('x'.repeat(4000))
    expect(read([`${'x'.repeat(3999)}😀`], long).result.error?.message).toBe(`${'x'.repeat(3999)}\ufffd`)
  })
})

describe.each(AGENT_LIST)('whatever %s prints', (_, agent) => {
  it('the reader does not throw, and the result is well-formed', () => {
    fc.assert(
      fc.property(anyOutput(linesOf(agent)), anyEnd, (lines, end) => {
        expectWellFormed(replay(agent, { lines, end }))
      }),
      { numRuns: runsOf(300) },
    )
  })

  it('a tool input that is nested too deeply is left out', () => {
    const deep = `${'['.repeat(10_000)}1${']'.repeat(10_000)}`
    const { events } = replay(agent, { lines: toolLines(deep), end: OK })
    expect(events.map(({ type }) => type).slice(0, 2)).toEqual(['tool_use', 'tool_result'])
    expect(() => JSON.stringify(events)).not.toThrow()
  })
})

function linesOf(agent: Agent): string[] {
  return recordingNames(agent.backend).flatMap((name) => readRecording(agent.backend, name).lines)
}

/** A tool call in the format of each agent; other agents ignore it. */
function toolLines(value: string): string[] {
  return [
    `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"x","input":${value}}]}}`,
    `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":${value}}]}}`,
    `{"type":"item.completed","item":{"id":"t","type":"mcp_tool_call","arguments":${value},"result":${value}}}`,
    `{"type":"tool_use","tool_id":"t","tool_name":"x","parameters":${value}}`,
    `{"type":"tool_result","tool_use_id":"t","tool_id":"t","output":${value},"content":${value}}`,
  ]
}

describe('tool calls that were denied', () => {
  const deniedIn = (backend: keyof typeof NATIVE_AGENTS, lines: string[], end = OK) =>
    replay(NATIVE_AGENTS[backend], { lines, end }).result.denials

  it.each([
    ['claude', { tool: 'Bash', subject: expect.stringContaining('echo data'), needs: 'everything' }],
    ['codex', { tool: 'command_execution', subject: expect.stringMatching(/^echo data/) }],
    ['gemini', { tool: 'run_shell_command', subject: expect.stringContaining('echo data'), needs: 'everything' }],
  ] as const)('are in the recording of %s', (backend, denial) => {
    const { result } = replay(NATIVE_AGENTS[backend], readRecording(backend, 'tool-denied.stream-json'))
    expect(result.denials).toEqual([expect.objectContaining(denial)])
    expect(replay(NATIVE_AGENTS[backend], readRecording(backend, 'tool.stream-json')).result.denials).toBeUndefined()
  })

  it('are those of tools that were taken away from claude', () => {
    const content = 'Error: No such tool available: Bash. Bash exists but is not enabled in this context.'
    const lines = [
      {
        type: 'assistant',
        message: { content: [{ type: 'tool_use', id: 't', name: 'Bash', input: { command: 'ls' } }] },
      },
      { type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 't', content, is_error: true }] } },
      { type: 'result', is_error: false, result: 'ok', permission_denials: [] },
    ].map((line) => JSON.stringify(line))
    expect(deniedIn('claude', lines)).toEqual([{ tool: 'Bash', subject: 'ls', needs: 'everything' }])
  })

  it('are those that codex logs and prints no event for', () => {
    const stderrTail = [
      '2026-11-15T20:44:34Z ERROR codex_core::tools::router: error=patch rejected: writing is blocked by read-only sandbox; rejected by user approval settings',
      '2026-11-15T20:44:34Z ERROR codex_core::tools::router: error=approval policy is Never; reject command — you cannot ask for escalated permissions if the approval policy is Never',
      '2026-11-15T20:44:34Z ERROR codex_core::tools::router: error=unknown tool',
    ].join('\n')
    expect(deniedIn('codex', ['{"type":"turn.completed","usage":{}}'], { ...OK, stderrTail })).toEqual([
      { tool: 'apply_patch' },
      { tool: 'command_execution', needs: 'everything' },
    ])
  })

  it('are those of an MCP server that codex may not call without approval', () => {
    const item = { id: 'i', type: 'mcp_tool_call', server: 'probe', tool: 'echo', status: 'failed' }
    const error = { message: 'MCP tool call requires approval, but approval policy is never' }
    const line = JSON.stringify({ type: 'item.completed', item: { ...item, error } })
    expect(deniedIn('codex', [line])).toEqual([{ tool: 'probe.echo', subject: undefined, needs: 'everything' }])
  })

  it('are those that a policy of gemini denies', () => {
    const lines = [
      { type: 'tool_use', tool_id: 't', tool_name: 'write_file', parameters: { file_path: 'a.txt' } },
      { type: 'tool_result', tool_id: 't', status: 'error', error: { type: 'policy_violation', message: 'no' } },
    ].map((line) => JSON.stringify(line))
    expect(deniedIn('gemini', lines)).toEqual([{ tool: 'write_file', subject: 'a.txt', needs: 'edit' }])
  })
})
