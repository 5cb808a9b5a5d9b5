import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../kit/json-value.ts'
import { type CurrentActivity, nextActivity } from './activity.ts'

const usage = { input_tokens: 1, output_tokens: 2, cached_tokens: 0, reasoning_tokens: 0 }

function play(...events: [type: string, content: JsonObject][]): CurrentActivity | undefined {
  let activity: CurrentActivity | undefined
  for (const [index, [type, content]] of events.entries()) {
    activity = nextActivity(activity, { seq: index + 1, at: '2026-01-31T09:00:00.000Z', type, content }) ?? activity
  }
  return activity
}

describe('nextActivity', () => {
  it.each<[string, [string, JsonObject][], string]>([
    ['the last line of an answer', [['message', { text: 'one\ntwo\n' }]], 'two'],
    [
      'a line that arrives in pieces',
      [
        ['message', { text: 'one tw', is_partial: true }],
        ['message', { text: 'o', is_partial: true }],
      ],
      'one two',
    ],
    [
      'the spaces and line ends between pieces',
      [
        ['message', { text: 'zero\n', is_partial: true }],
        ['message', { text: 'one ', is_partial: true }],
        ['message', { text: 'two', is_partial: true }],
      ],
      'one two',
    ],
    [
      'only the line that is being written',
      [
        ['message', { text: 'one\ntw', is_partial: true }],
        ['message', { text: 'o', is_partial: true }],
      ],
      'two',
    ],
    [
      'a new text after a complete one',
      [
        ['message', { text: 'one' }],
        ['message', { text: 'two' }],
      ],
      'two',
    ],
    ['a tool call', [['tool_use', { tool_name: 'Bash', input: { command: 'npm test' } }]], 'Bash: npm test'],
    ['the last 200 characters of a long line', [['message', { text: `a${'b'.repeat(200)}` }]], 'b'.repeat(200)],
  ])('has %s', (_name, events, text) => {
    expect(play(...events)?.text).toBe(text)
  })

  it('has the tokens that the agent reported last', () => {
    expect(play(['message', { text: 'one' }], ['token_usage', usage], ['message', { text: 'two' }])).toEqual({
      text: 'two',
      open: '',
      usage,
    })
  })

  it.each(['init', 'state', 'tool_result', 'done'])('does not change with %s', (type) => {
    expect(nextActivity(undefined, { seq: 1, at: '', type, content: {} })).toBeUndefined()
  })
})
