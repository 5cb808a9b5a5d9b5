import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { claude } from '../../../src/agents/claude/agent.ts'

/** Everything that a long-lived claude printed, cut where it ended a turn; each turn is read as a run of its own. */
function turnsOf(name: string): string[][] {
  const file = join(import.meta.dirname, '..', '..', 'recordings', 'claude', `${name}.frames.jsonl`)
  const turns: string[][] = [[]]
  for (const line of readFileSync(file, 'utf8').trim().split('\n')) {
    const { dir, frame } = JSON.parse(line)
    if (dir !== '<-') continue
    turns.at(-1)?.push(JSON.stringify(frame))
    if (frame.type === 'result') turns.push([])
  }
  return turns.filter((turn) => turn.length > 0)
}

function outline(lines: readonly string[]) {
  const reader = claude.createReader({})
  for (const line of lines) reader.readLine(line)
  const { result } = reader.finish({ code: 0, signal: null, stderrTail: '' })
  const { text, usage, sessionId, error } = result
  return [text, Object.values(usage).join(' '), sessionId, error?.code]
}

const WARM = 'b4707654-6389-4d06-87c6-30d8982d41b8'
const CONTROL = '2b5bed58-4cc1-4c4f-a2db-0db1d624ab00'
const HELLO = 'Hello from the fake model.'
const WORDS = (count: number) => Array.from({ length: count }, (_, at) => `word${at} `).join('')

/** Text, usage (input, output, cached, reasoning), session, error. A turn that fails has the counts of the process so far. */
const TURNS: readonly (readonly [string, ReturnType<typeof outline>[]])[] = [
  [
    'warm',
    [
      [HELLO, '400 50 600 0', WARM, undefined],
      ['The command printed its output.', '800 100 1200 0', WARM, undefined],
      ['Done writing.', '800 100 1200 0', WARM, undefined],
      ['', '2000 250 3000 0', WARM, 'agent_auth_failed'],
      ['Thought about it.', '400 50 600 0', WARM, undefined],
      [WORDS(9), '2400 300 3600 0', WARM, 'agent_ended_early'],
      [HELLO, '400 50 600 0', WARM, undefined],
    ],
  ],
  [
    'warm-control',
    [
      [HELLO, '400 50 600 0', CONTROL, undefined],
      [WORDS(6), '400 50 600 0', CONTROL, 'agent_ended_early'],
      [HELLO, '400 50 600 0', CONTROL, undefined],
      ['', '400 50 600 0', CONTROL, 'agent_ended_early'],
    ],
  ],
]

describe('a long-lived claude, turn by turn', () => {
  it.each(TURNS)('%s', (name, turns) => {
    expect(turnsOf(name).map(outline)).toEqual(turns)
  })
})
