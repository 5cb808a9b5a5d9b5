import { describe, expect, it } from 'vitest'
import { stderrMessage } from './stderr-message.ts'

describe('stderrMessage', () => {
  it.each([
    ['nothing', '', undefined],
    ['noise', 'Ripgrep is not available. Falling back.\n[STARTUP] Phase x\n    at f (a.js:1:2)\n', undefined],
    ['a colour warning', 'Warning: 256-color support not detected.\n', undefined],
    ['the last telling line', 'banner\nERROR: Reconnecting... 1/1\nERROR: no luck\nfooter', 'no luck'],
    ['the telling line above a usage text', "error: unknown option '--x'\n\nUsage: claude", "unknown option '--x'"],
    ['all text when the error line is empty', 'Error: \nwhat now', 'Error: \nwhat now'],
    ['all of it, without the noise', 'Reading prompt from stdin...\r\none\r\ntwo\r\n', 'one\ntwo'],
  ])('finds %s', (_, stderr, message) => {
    expect(stderrMessage(stderr)).toBe(message)
  })

  it('keeps the last 2000 characters of other text', () => {
    expect(stderrMessage(`start${'x'.repeat(2000)}`)).toBe('x'.repeat(2000))
    expect(stderrMessage(`s${'x'.repeat(1999)}`)).toBe(`s${'x'.repeat(1999)}`)
  })
})
