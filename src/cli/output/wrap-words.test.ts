import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countColumns } from './printable.ts'
import { WordWrap, wrapMessages, wrapOn, wrapWords } from './wrap-words.ts'

describe('wrapWords', () => {
  it.each([
    ['breaks between words', 'one two three', 8, ['one two', 'three']],
    ['keeps a line that fits', 'one two', 7, ['one two']],
    ['breaks a word that is wider than the line', 'abcdefgh', 3, ['abc', 'def', 'gh']],
    ['starts such a word on a new line', 'a bcdefgh i', 4, ['a', 'bcde', 'fgh', 'i']],
    ['breaks a path', '  in /home/ada/wind b', 9, ['  in', '  /home/a', '  da/wind', '  b']],
    ['keeps line breaks and empty lines', 'a\n\nb', 9, ['a', '', 'b']],
    ['keeps the indentation', '  one two three', 8, ['  one', '  two', '  three']],
    ['keeps the spaces inside of a line that fits', 'a   b', 9, ['a   b']],
    ['keeps the spaces between words of a line that is broken', 'a   b c', 5, ['a   b', 'c']],
    ['measures wide characters in columns', '漢字 漢字', 6, ['漢字', '漢字']],
    ['replaces a tab by two spaces', '\ta', 9, ['  a']],
  ])('%s', (_name, text, columns, lines) => {
    expect(wrapWords(text, columns)).toEqual(lines)
  })

  it('keeps a path whole, on a separate line, if it is asked to', () => {
    const lines = wrapWords('  in /home/ada/wind b', 9, { keepsPaths: true })
    expect(lines).toEqual(['  in', '  /home/ada/wind', '  b'])
  })

  it('never makes a line too wide and never loses a word', () => {
    const word = fc.string({ minLength: 1, unit: fc.constantFrom('a', 'é', '漢', '😀') })
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), fc.integer({ min: 2, max: 30 }), (words, columns) => {
        const lines = wrapWords(words.join(' '), columns)
        for (const line of lines) expect(countColumns(line)).toBeLessThanOrEqual(columns)
        expect(lines.join('').replaceAll(' ', '')).toBe(words.join(''))
      }),
    )
  })
})

const wrap = (text: string, columns = 20) => wrapOn({ isTty: true, columns }, text).split('\n')

describe('wrapOn', () => {
  it.each<[string, string, string[]]>([
    ['breaks between words', 'one two three four five', ['one two three four', 'five']],
    ['fills a line to its last column', 'one two three fourth five', ['one two three fourth', 'five']],
    ['keeps what fits as it is', 'one   two\n  three ', ['one   two', '  three ']],
    ['keeps empty lines', 'one\n\ntwo\n', ['one', '', 'two', '']],
    ['keeps the indentation', '    one two three four', ['    one two three', '    four']],
    ['lines up under a bullet', '- one two three four five', ['- one two three four', '  five']],
    ['lines up under the mark of a warning', '! one two three four five', ['! one two three four', '  five']],
    ['lines up under a number', '10. one two three four', ['10. one two three', '    four']],
    ['leaves a word that is wider than a line', `see ${'x'.repeat(25)} now`, ['see', 'x'.repeat(25), 'now']],
    [
      'leaves code',
      '```\nconst a = one + two + three\n```\none two three four five',
      [...['```', 'const a = one + two + three', '```', 'one two three four', 'five']],
    ],
    ['leaves tables', '| one | two | three | four |', ['| one | two | three | four |']],
    ['breaks text without spaces anywhere', '風'.repeat(12), ['風'.repeat(10), '風'.repeat(2)]],
    [
      'does not count colours',
      '\u001b[1mone two\u001b[22m three four five',
      ['\u001b[1mone two\u001b[22m three four', 'five'],
    ],
  ])('%s', (_name, text, lines) => {
    expect(wrap(text)).toEqual(lines)
  })

  it('leaves the text of a pipe as it is', () => {
    expect(wrapOn({ isTty: false, columns: 5 }, 'one two three')).toBe('one two three')
  })
})

describe('WordWrap', () => {
  it('gives the same text however it is cut', () => {
    const text =
      '# One\n\n- two three four five six\n```sh\nls -la /some/where/else\n```\nseven eight 風風風風風風風風風 nine\tten\u00a0less s\u000b'
    for (let length = 1; length < text.length; length += 1) {
      const stream = new WordWrap(() => 20)
      const pieces = text.match(new RegExp(`[^]{1,${length}}`, 'gu')) ?? []
      expect(pieces.map((piece) => stream.write(piece)).join('') + stream.end()).toBe(wrap(text).join('\n'))
    }
  })

  it('loses no character', () => {
    const text = Array.from({ length: 0x3100 }, (_, code) => String.fromCharCode(code)).join('')
    const stream = new WordWrap(() => Number.POSITIVE_INFINITY)
    expect(stream.write(text) + stream.end()).toBe(text)
  })

  it('holds back no more than two lines of a text without spaces', () => {
    const thai = 'สวัสดี'.repeat(20)
    const stream = new WordWrap(() => 20)
    const printed = [...`see ${thai} now`].map((character) => stream.write(character))
    expect(printed.findIndex((text) => text.includes('ส'))).toBeLessThan(50)
    expect(printed.join('') + stream.end()).toBe(wrap(`see ${thai} now`).join('\n'))
  })

  it('holds back only the last word', () => {
    const stream = new WordWrap(() => 20)
    expect([stream.write('one two'), stream.write(' thr'), stream.write('ee'), stream.end()]).toEqual([
      ...['one', ' two', '', ' three'],
    ])
  })
})

describe('wrapMessages', () => {
  it('breaks messages, and leaves commands and answers as they are', () => {
    const command = 'Next:\n  drover status --root /somewhere'
    expect(wrapMessages(`drover: something is wrong\n${command}`, 20)).toBe(`drover: something is\nwrong\n${command}`)
    expect(wrapMessages(command, 20)).toBe(command)
  })
})
