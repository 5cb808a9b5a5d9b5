import { describe, expect, it } from 'vitest'
import { toRevealed } from './printable-text.ts'

const FAMILY = '👩‍👩‍👧'

describe('toRevealed', () => {
  it.each([
    ['what a terminal obeys', 'a\r\u001b[2Jb\tc\n', 'a\\u000d\\u001b[2Jb  c\n'],
    ['invisible characters', 'r\u200bm\ufeff \u00ad\u2060\u202e', 'r\\u200bm\\ufeff \\u00ad\\u2060\\u202e'],
    ['tags, which a model can read', 'a\u{e0041}\u{e007f}\u{e0100}', 'a\\u{e0041}\\u{e007f}\\u{e0100}'],
    ['fillers', 'a\u3164\u115f\uffa0', 'a\\u3164\\u115f\\uffa0'],
    ['joiners and variants after ASCII', 'r\u200dm \ufe0f', 'r\\u200dm \\ufe0f'],
    ['repeated joiners', `${FAMILY}\u200d\u200d`, `${FAMILY}\u200d\\u200d`],
    ['a joined emoji and letters of any script', `${FAMILY}❤️ añ漢 می\u200cخواهم`, `${FAMILY}❤️ añ漢 می\u200cخواهم`],
    ['runs of blanks', 'ls\u2800\u2800 \u00a0x', 'ls\\u2800\\u2800 \\u00a0x'],
    ['one blank, as between words', '«\u00a0oui\u00a0» 5\u202fkm', '«\u00a0oui\u00a0» 5\u202fkm'],
    ['spaces, also of Chinese', 'a    b\u3000\u3000c', 'a    b\u3000\u3000c'],
  ])('handles %s', (_name, text, shown) => {
    expect(toRevealed(text)).toBe(shown)
  })

  it('handles megabytes', () => {
    const text = ' \u2800x'.repeat(500_000) + ' '.repeat(500_000)
    expect(toRevealed(text)).toBe(text)
  })
})
