import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { digest } from '../../kit/digest.ts'
import { cutToBytes, encodedBytes, isBlank, isMarkdown, longestPrefix, oneLine, withLineFeeds } from './text.ts'

const anyText = fc.string({ unit: 'binary', maxLength: 200 })

describe('text', () => {
  it.each([
    ['a\r\nb\rc\nd', 'a\nb\nc\nd'],
    ['\r\r\n\n', '\n\n\n'],
  ])('%j has line feeds: %j', (text, expected) => {
    expect(withLineFeeds(text)).toBe(expected)
  })

  it('is escaped into one line', () => {
    expect(oneLine('a\nb\tc\u001b\u009fé\ud800')).toBe('a\\u000ab\\u0009c\\u001b\\u009fé\ufffd')
  })

  it.each([
    ['a\tb\r\nc', true],
    ['', true],
    ['\u2028😀', true],
    ['\u0000', false],
    ['\u007f', false],
    ['\u009f', false],
    ['\udc00', false],
  ])('%j is markdown: %s', (text, expected) => {
    expect(isMarkdown(text)).toBe(expected)
  })

  it.each([
    ['', true],
    [' \n\t', true],
    [' a ', false],
  ])('%j is blank: %s', (text, expected) => {
    expect(isBlank(text)).toBe(expected)
  })

  it('has an encoded size that adds up', () => {
    expect(encodedBytes('a"é\n')).toBe(7)
    fc.assert(
      fc.property(anyText, anyText, (one, other) => {
        expect(encodedBytes(one + other)).toBe(encodedBytes(one) + encodedBytes(other))
      }),
    )
  })
})

describe('longestPrefix', () => {
  it('is the longest prefix of whole characters that fits', () => {
    fc.assert(
      fc.property(anyText, fc.nat(300), (text, limit) => {
        const prefix = longestPrefix(text, (each) => Buffer.byteLength(each) <= limit)
        const next = [...text.slice(prefix.length)][0] ?? ''
        expect(text.startsWith(prefix)).toBe(true)
        expect(prefix.isWellFormed()).toBe(true)
        expect(Buffer.byteLength(prefix)).toBeLessThanOrEqual(limit)
        if (prefix !== text) expect(Buffer.byteLength(prefix + next)).toBeGreaterThan(limit)
      }),
    )
  })
})

describe('cutToBytes', () => {
  it('keeps a text that fits', () => {
    expect(cutToBytes('ééé', 6)).toBe('ééé')
  })

  it('cuts a longer text and adds its size', () => {
    const text = '😀'.repeat(100)
    const mark = `...[truncated original_bytes=400 sha256=${digest(text).slice(7)}]`
    expect(cutToBytes(text, mark.length + 9)).toBe(`😀😀${mark}`)
  })
})
