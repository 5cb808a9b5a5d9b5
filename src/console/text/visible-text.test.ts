import { describe, expect, it } from 'vitest'
import { toLine, toRevealed, toVisible, withoutOutcome } from './visible-text.ts'

describe('toVisible', () => {
  it.each([
    ['plain text', 'Grüße, 世界 👩‍👩‍👧', 'Grüße, 世界 👩‍👩‍👧'],
    ['lines and tabs', 'a\r\nb\tc\n', 'a\nb\tc\n'],
    ['colours of terminals', '\u001b[1;31mred\u001b[0m', 'red'],
    ['other escape sequences', 'a\u001b]0;title\u0007b', 'a␛]0;title␇b'],
    ['a carriage return alone', 'good\rbad', 'good␍bad'],
    ['direction marks', 'access\u202etxt.exe', 'access‹U+202E›txt.exe'],
    ['invisible characters', 'a\u200bb\ufeffc\u{e0041}', 'a‹U+200B›b‹U+FEFF›c‹U+E0041›'],
    ['line separators', 'a\u2028b', 'a‹U+2028›b'],
  ])('shows %s', (_name, text, shown) => {
    expect(toVisible(text)).toBe(shown)
  })
})

describe('toRevealed', () => {
  it.each([
    ['plain text', 'Grüße, 世界\n\tx', 'Grüße, 世界\n\tx'],
    ['colours of terminals', 'a\u001b[8mb', 'a␛[8mb'],
    ['fillers and joiners', 'a\u3164\u200db', 'a‹U+3164›‹U+200D›b'],
  ])('shows %s', (_name, text, shown) => {
    expect(toRevealed(text)).toBe(shown)
  })
})

describe('toLine', () => {
  it('puts a text on one line', () => {
    expect(toLine('  one\n\n two\tthree ')).toBe('one two three')
  })
})

it('the report of an outcome is left out, also while it is written', () => {
  const block = '```drover-outcome\n{"status":"completed"}\n```'
  expect(withoutOutcome(`Done.\n\n${block}`)).toBe('Done.')
  expect(withoutOutcome(`Done.\n\n${block}\n\nMore.`)).toBe('Done.\n\n\n\nMore.')
  expect(withoutOutcome('Done.\n\n```drover-outcome\n{"sta')).toBe('Done.')
  expect(withoutOutcome('The word drover-outcome stays.')).toBe('The word drover-outcome stays.')
})
