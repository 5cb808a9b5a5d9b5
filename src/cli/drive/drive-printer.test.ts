import { expect, it } from 'vitest'
import { actionOf, attemptAt, driveState } from '../../../test/support/drive-fixture.ts'
import type { DriveUpdate } from '../../drive/drive-context.ts'
import type { DriveEvent } from '../../drive/record/drive-event.shape.ts'
import { systemClock } from '../../kit/clock.ts'
import type { PromptEvent } from '../../prompts/prompt-event.ts'
import type { Terminal } from '../terminal.ts'
import { createJsonDrivePrinter, createTextDrivePrinter } from './drive-printer.ts'

const runId = 'run-1'
const started = attemptAt(actionOf('implement'), {}, null)
const usage = { input_tokens: 1000, output_tokens: 234, cached_tokens: 0, reasoning_tokens: 0 }
const call = { type: 'tool_use', content: { tool_name: 'Bash', input: { command: 'npm test' } } }

const UPDATES: readonly DriveUpdate[] = [
  {
    is: 'recorded',
    runId,
    event: { type: 'attempt_started', at: started.started_at, data: started } as unknown as DriveEvent,
    state: driveState([started]),
  },
  { is: 'usage', runId, usage },
  { is: 'agent', runId, attempt: 1, event: call as PromptEvent },
]

function terminalOf(canRedraw: boolean) {
  let text = ''
  const write = async (words: string) => {
    text += words
    return 'written'
  }
  const out = { write, style: (_: unknown, words: string) => words, isTty: canRedraw, canRedraw, columns: 80, rows: 24 }
  return { terminal: { out } as unknown as Terminal, text: () => text }
}

it.each([
  [
    'the live view shows what a running attempt has used',
    true,
    createTextDrivePrinter,
    ['1234 tokens', '→ Bash npm test'],
  ],
  [
    'a pipe gets the attempt and its tool calls',
    false,
    createTextDrivePrinter,
    ['1. implement by claude\n  → Bash npm test\n'],
  ],
  [
    'programs get records and events',
    false,
    createJsonDrivePrinter,
    ['"type":"attempt_started"', '"type":"agent_event"'],
  ],
])('%s', async (_name, canRedraw, create, parts) => {
  const { terminal, text } = terminalOf(canRedraw)
  const printer = create(terminal, systemClock)
  for (const update of UPDATES) printer.update(update)
  await printer.clearLive()
  for (const part of parts) expect(text()).toContain(part)
  if (!canRedraw) expect(text().trimEnd().split('\n')).toHaveLength(2)
})
