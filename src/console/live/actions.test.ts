import { expect, it, vi } from 'vitest'
import { attemptEach, notice, tell } from './actions.ts'

it('an agent that cannot be started is told about, and those that were started are not lost', async () => {
  const start = async (name: string) => {
    if (name === 'codex') throw new Error('too many requests')
    return `${name} started`
  }
  expect(await attemptEach(['claude', 'codex', 'gemini'], start)).toEqual(['claude started', 'gemini started'])
  expect(notice.value).toMatchObject({ text: 'codex: too many requests', isProblem: true })
  notice.value = undefined
  expect(await attemptEach(['claude'], start)).toEqual(['claude started'])
  expect(notice.value).toBeUndefined()
  expect(await attemptEach(['codex'], start)).toEqual([])
  expect(notice.value).toMatchObject({ text: 'too many requests' })
})

it('a problem stays, and other news goes after a while', () => {
  vi.useFakeTimers()
  try {
    tell('no', { isProblem: true })
    vi.advanceTimersByTime(60_000)
    expect(notice.value?.text).toBe('no')
    tell('Saved.')
    vi.advanceTimersByTime(7999)
    expect(notice.value?.text).toBe('Saved.')
    vi.advanceTimersByTime(1)
    expect(notice.value).toBeUndefined()
  } finally {
    vi.useRealTimers()
  }
})
