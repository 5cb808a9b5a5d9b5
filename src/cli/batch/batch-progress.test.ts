import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { NO_USAGE } from '../../agents/adapter/token-usage.ts'
import type { PromptResult } from '../../prompts/prompt-result.ts'
import type { Channel } from '../terminal.ts'
import { createFailureReporter, createLineReporter, createLiveReporter } from './batch-progress.ts'

const ITEMS = [
  { mark: '[1]', name: 'alpha', backend: 'claude' },
  { mark: '[2]', name: 'beta', backend: 'codex' },
  { mark: '[3]', name: 'gemini', backend: 'gemini' },
]

function resultOf(fields: Partial<PromptResult> = {}): PromptResult {
  return {
    session_id: '',
    backend: 'claude',
    exit_code: 0,
    duration_ms: 1500,
    output: '',
    token_usage: NO_USAGE,
    ...fields,
  }
}

function createChannel(write: (text: string) => Promise<'written'>): Channel {
  const shown = { isTty: true, canRedraw: true, columns: 60, rows: 10 }
  return { ...shown, hasStyle: false, style: (_style, text) => text, disableColor: () => undefined, write }
}

function createRecorder() {
  const written: string[] = []
  const channel = createChannel(async (text) => {
    written.push(text)
    return 'written'
  })
  return { written, channel }
}

describe('the live reporter during checks', () => {
  it('says which check runs for whom, and then how it ended', async () => {
    const { written, channel } = createRecorder()
    const { watcher, end } = createLiveReporter(ITEMS, channel)
    watcher.checking?.('claude', 'npm test')
    await vi.waitFor(() => expect(written.join('')).toContain('claude: checking with npm test'))
    const check = { command: 'npm test', passed: true, isStarted: true, exitCode: 0, durationMs: 1500, output: '' }
    watcher.checked?.('claude', { ...check, isOutputCut: false })
    await end()
    expect(written.join('')).toContain('claude: npm test passed (1.5 s)')
  })
})

describe('the line reporter', () => {
  it('names an item that only tries again', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { written, channel } = createRecorder()
    const { watcher, end } = createLineReporter(ITEMS, channel, (backend) => `log in to ${backend}`)
    watcher.event?.(1, { type: 'progress', content: { stage: 'retry', message: 'no network' } })
    vi.advanceTimersByTime(20_000)
    await end()
    expect(written.join('')).toBe(
      'drover: [2] beta (codex) has only been retrying for 20 s: no network; drover sees no login of it: log in to codex\n',
    )
  })

  it('writes a line when an item starts and when it ends', async () => {
    const { written, channel } = createRecorder()
    const { watcher, end } = createLineReporter(ITEMS, channel, () => undefined)
    for (const item of [0, 1, 2]) watcher.started?.(item)
    watcher.ended?.(0, resultOf())
    watcher.ended?.(1, resultOf({ exit_code: 1, error: 'no', error_code: 'agent_failed' }))
    watcher.ended?.(2, resultOf({ exit_code: 130, error: 'stopped', error_code: 'agent_cancelled' }))
    await end()
    expect(written.join('')).toBe(
      [
        '[1] started: alpha (claude)',
        '[2] started: beta (codex)',
        '[3] started: gemini',
        '[1] finished after 1.5 s: alpha (claude)',
        '[2] failed after 1.5 s: beta (codex): no',
        '[3] canceled after 1.5 s: gemini\n',
      ].join('\n'),
    )
  })

  it('ignores failed writes', async () => {
    const channel = createChannel(async () => {
      throw new Error('the terminal is gone')
    })
    const { watcher, end } = createLineReporter(ITEMS, channel, () => undefined)
    watcher.started?.(0)
    await expect(end()).resolves.toBeUndefined()
  })
})

describe('the failure reporter', () => {
  it('writes one line per failed item with the reason, and nothing else', async () => {
    const { written, channel } = createRecorder()
    const { watcher, end } = createFailureReporter(ITEMS, channel)
    for (const item of [0, 1, 2]) watcher.started?.(item)
    watcher.ended?.(0, resultOf({ exit_code: 3 }))
    watcher.ended?.(1, resultOf({ exit_code: 1, error: 'two\nlines', error_code: 'agent_failed' }))
    watcher.ended?.(2, resultOf())
    await end()
    expect(written).toEqual([
      '[1] failed after 1.5 s: alpha (claude): exit code 3\n',
      '[2] failed after 1.5 s: beta (codex): two lines\n',
    ])
  })
})

describe('the live reporter', () => {
  /** What is drawn once these have happened. The clock stands still: times of different lengths would move the columns. */
  async function drawn(happen: (watcher: ReturnType<typeof createLiveReporter>['watcher']) => void): Promise<string> {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const { written, channel } = createRecorder()
    const { watcher, end } = createLiveReporter(ITEMS, channel)
    happen(watcher)
    await end()
    return written
      .slice(0, -1)
      .join('')
      .replaceAll('\u001b[K', '')
      .replace(/[\d.]+ m?s/g, 'T')
  }

  it('counts running, waiting and ended items', async () => {
    const seen = await drawn((watcher) => {
      watcher.started?.(0)
      watcher.ended?.(0, resultOf({ exit_code: 1, error: 'no', error_code: 'agent_failed' }))
      watcher.started?.(1)
    })
    expect(seen).toContain('1 of 3 done, 1 running, 1 waiting, 1 failed\n')
  })

  it('shows name, time, tokens and last activity of each running item', async () => {
    const seen = await drawn((watcher) => {
      watcher.started?.(0)
      watcher.event?.(0, { type: 'token_usage', content: { ...NO_USAGE, input_tokens: 40, output_tokens: 2 } })
      watcher.event?.(0, { type: 'tool_use', content: { tool_name: 'Bash', input: { command: 'npm\ntest' } } })
      watcher.started?.(2)
      watcher.event?.(2, { type: 'message', content: { text: 'piece', role: 'assistant', is_partial: true } })
    })
    expect(seen).toMatch(
      /\[1\] {2}alpha {3}claude {2}T {2}42 tok {2}Bash npm test\n\[3\] {2}gemini {10}T {2}~2 tok {2}answering\n/,
    )
  })

  it('estimates the tokens of text that arrived after the last count', async () => {
    const seen = await drawn((watcher) => {
      watcher.started?.(0)
      watcher.event?.(0, { type: 'thinking', content: { text: 'x'.repeat(400) } })
      watcher.event?.(0, { type: 'token_usage', content: { ...NO_USAGE, output_tokens: 70 } })
      watcher.event?.(0, { type: 'message', content: { text: 'ä'.repeat(18), role: 'assistant' } })
    })
    expect(seen).toContain('  ~79 tok  ')
  })

  it('leaves a line with the reason for each failed item', async () => {
    const seen = await drawn((watcher) => {
      watcher.started?.(1)
      watcher.ended?.(1, resultOf({ exit_code: 1, error: 'out of credit', error_code: 'agent_failed' }))
    })
    expect(seen).toContain('\r[2] failed after T: beta (codex): out of credit\n1 of 3 done, 0 running, 2 waiting')
  })

  it('wants partial text, unlike the line reporter', async () => {
    const { channel } = createRecorder()
    const live = createLiveReporter(ITEMS, channel)
    await live.end()
    expect([live.wantsDeltas, createLineReporter(ITEMS, channel, () => undefined).wantsDeltas]).toEqual([true, false])
  })

  it('removes its lines at the end', async () => {
    const { written, channel } = createRecorder()
    const { end } = createLiveReporter(ITEMS, channel)
    await end()
    expect(written.at(-1)).toBe('\u001b[1A\r\u001b[J')
  })
})
