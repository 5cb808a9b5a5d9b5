import { expect, it, onTestFinished, vi } from 'vitest'
import type { PromptEvent } from '../../prompts/prompt-event.ts'
import { canceledResult } from '../../prompts/prompt-result.ts'
import type { Terminal } from '../terminal.ts'
import { printProblems } from './prompt-printer.ts'
import { withRetryNotice } from './retry-notice.ts'

it('no line of an error or a warning of an agent looks like a message of drover', async () => {
  const written: string[] = []
  const err = { write: async (text: string) => written.push(text) }
  const result = { ...canceledResult('claude'), error_code: 'x', warnings: ['w\ndrover: a'], error: 'e\ndrover: b\n' }
  await printProblems({ err } as unknown as Terminal, result)
  expect(written.join('')).toBe('drover: warning: w\n  drover: a\ndrover: claude failed: e\n  drover: b\n')
})

it('a cancel says what the agent was retrying, and that a server stopped', async () => {
  const written: string[] = []
  const err = { write: async (text: string) => written.push(text) }
  const error = 'the run was canceled; it was retrying after: no\nnetwork'
  await printProblems({ err } as unknown as Terminal, { ...canceledResult('codex'), error })
  await printProblems({ err } as unknown as Terminal, canceledResult('codex'))
  const stopped = { ...canceledResult('codex'), error_code: 'shutting_down', error: 'the server is shutting down' }
  await printProblems({ err } as unknown as Terminal, stopped)
  const [first, second, third] = written
  expect(first).toBe('drover: codex was canceled; it was retrying after: no\n  network\n')
  expect(second).toBe('drover: codex was canceled\n')
  expect(third).toBe('drover: codex was canceled: the server is shutting down\n')
})

it('an agent that only tries again is told of once, after 20 s, with how to log in', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const said: string[] = []
  const printer = withRetryNotice(
    { event: async () => 'written', end: async () => undefined },
    { backend: 'codex', findLogin: () => 'run `codex login`', say: (line) => said.push(line) },
  )
  const retry = { type: 'progress', content: { stage: 'retry', message: 'no network' } } as PromptEvent
  const answer = { type: 'message', content: { text: 'hi' } } as PromptEvent
  const after = async (event: PromptEvent, ms: number) => {
    await printer.event(event)
    vi.advanceTimersByTime(ms)
  }
  await after(retry, 19_000)
  await after(answer, 60_000)
  await after(retry, 19_000)
  expect(said).toEqual([])
  await after(retry, 1000)
  await after(retry, 60_000)
  expect(said).toEqual([
    'drover: codex has only been retrying for 20 s: no network; drover sees no login of it: run `codex login`\n',
  ])
  await after(retry, 0)
  await printer.close?.()
  expect(vi.getTimerCount()).toBe(0)
})
