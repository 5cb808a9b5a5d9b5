import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ExecutionEvent } from '../../executions/store/execution.shape.ts'
import type { JsonObject } from '../../kit/json-value.ts'
import { applyEvents, EMPTY, joinAnswer } from './transcript.ts'

const numbered = (...contents: [type: string, content: JsonObject][]): ExecutionEvent[] =>
  contents.map(([type, content], at) => ({ seq: at + 1, at: '2026-01-31T09:00:00.000Z', type, content }))

const EVENTS = numbered(
  ['state', { state: 'running' }],
  ['init', { model: 'opus', working_dir: '/srv' }],
  ['thinking', { text: 'Hm', is_partial: true }],
  ['message', { text: 'Let me ', is_partial: true }],
  ['message', { text: 'look.', is_partial: true }],
  ['tool_use', { tool_id: 't1', tool_name: 'Bash', input: { command: 'ls' } }],
  ['tool_use', { tool_id: 't2', tool_name: 'Read', input: { file_path: 'a' } }],
  ['tool_result', { tool_id: 't1', tool_name: 'Bash', output: 'a\nb' }],
  ['tool_result', { tool_id: 't2', tool_name: 'Read', is_error: true, error_message: 'no such file' }],
  ['approval_request', { approval_id: 'p', tool_name: 'Bash', choices: ['allow', 'deny'] }],
  ['approval_decision', { approval_id: 'p', tool_name: 'Bash', decision: 'deny', by: { via: 'key', name: 'ci' } }],
  ['message', { text: 'Done', is_partial: true }],
  ['error', { code: 'agent_failed', message: 'it broke' }],
  ['done', { exit_code: 1, duration_ms: 5, token_usage: { input_tokens: 1 }, warnings: ['w'] }],
  ['state', { state: 'failed' }],
)

describe('applyEvents', () => {
  it('builds the items of an execution', () => {
    const { items, ...facts } = applyEvents(EMPTY, EVENTS)
    expect(items.map((item) => [item.kind, item.seq])).toEqual([
      ['thinking', 3],
      ['message', 4],
      ['tool', 6],
      ['tool', 7],
      ['approval', 10],
      ['message', 12],
      ['error', 13],
    ])
    expect(items[4]).toMatchObject({ decided: { decision: 'deny', by: { via: 'key', name: 'ci' } } })
    expect(items[1]).toMatchObject({ text: 'Let me look.', isOpen: true })
    expect(items[2]).toMatchObject({ name: 'Bash', result: { output: 'a\nb', isError: false } })
    expect(items[3]).toMatchObject({ name: 'Read', result: { problem: 'no such file', isError: true } })
    expect(facts).toMatchObject({ lastSeq: 15, state: 'failed', model: 'opus', workdir: '/srv', warnings: ['w'] })
  })

  it('is the same however the events arrive, also with repetitions', () => {
    const whole = applyEvents(EMPTY, EVENTS)
    const cuts = fc.array(fc.tuple(fc.nat(EVENTS.length), fc.nat(EVENTS.length)), { maxLength: 10 })
    fc.assert(
      fc.property(cuts, (pieces) => {
        let transcript = EMPTY
        // A connection begins after the last event, or repeats some, and may end anywhere.
        for (const [back, length] of pieces) {
          const from = Math.max(0, transcript.lastSeq - back)
          transcript = applyEvents(transcript, EVENTS.slice(from, Math.max(transcript.lastSeq, from + length)))
        }
        expect(applyEvents(transcript, EVENTS.slice(transcript.lastSeq))).toEqual(whole)
      }),
    )
  })

  it('keeps the items that do not change', () => {
    const before = applyEvents(EMPTY, EVENTS.slice(0, 9))
    const after = applyEvents(before, EVENTS)
    expect(after.items[2]).toBe(before.items[2])
    expect(applyEvents(after, EVENTS)).toBe(after)
  })

  it('shows a result without its call', () => {
    const { items } = applyEvents(EMPTY, numbered(['tool_result', { tool_name: 'Bash', output: 'x' }]))
    expect(items).toMatchObject([{ kind: 'tool', name: 'Bash', input: undefined, result: { output: 'x' } }])
  })

  it('gives the answer without thoughts', () => {
    expect(joinAnswer(applyEvents(EMPTY, EVENTS))).toBe('Let me look.\n\nDone')
  })
})
