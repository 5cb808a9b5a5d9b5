import { expect, it, vi } from 'vitest'
import { notice, tell } from './actions.ts'

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
