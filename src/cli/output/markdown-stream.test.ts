import type { styleText } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runsOf } from '../../../test/support/full-counts.ts'
import { MarkdownStream } from './markdown-stream.ts'

const style = (format: Parameters<typeof styleText>[0], text: string) => `<${[format].flat().join('+')}:${text}>`

function render(pieces: readonly string[]): string {
  const stream = new MarkdownStream(style)
  return pieces.map((piece) => stream.write(piece)).join('') + stream.end()
}

describe('MarkdownStream', () => {
  it.each([
    ['plain text', 'Just words.', 'Just words.'],
    ['a heading', '## What *it* does ##', '<bold+underline:What <italic:it> does>'],
    ['a word with a hash', '#tag and #2', '#tag and #2'],
    ['a list', '- one\n  * two\n1. three', '• one\n  • two\n1. three'],
    ['a quote', '> said **so**\n>> twice', '<dim:│ >said <bold:so>\n<dim:││ >twice'],
    ['a rule', 'a\n\n---\n* * *', `a\n\n<dim:${'─'.repeat(40)}>\n<dim:${'─'.repeat(40)}>`],
    [
      'a code block',
      '```js\nlet a_b = `**`\n\n# no\n```\nx',
      '<dim:```js>\n<cyan:let a_b = `**`>\n\n<cyan:# no>\n<dim:```>\nx',
    ],
    ['a longer fence', '````\n```\n````\n*x*', '<dim:````>\n<cyan:```>\n<dim:````>\n<italic:x>'],
    ['code in a line', 'run `npm test`, or ``a ` b``', 'run <cyan:npm test>, or <cyan:a ` b>'],
    [
      'emphasis',
      '**b**, __b__, *i*, _i_ and **b `c` *i***',
      '<bold:b>, <bold:b>, <italic:i>, <italic:i> and **b <cyan:c> *i***',
    ],
    ['markup inside of words', 'snake_case_name 2*3*4 a * b * c', 'snake_case_name 2*3*4 a * b * c'],
    [
      'a link',
      'see [the docs](https://e.org/a) and [x] and [y](',
      'see <underline:the docs> <dim:(https://e.org/a)> and [x] and [y](',
    ],
    ['a link to itself', '[https://e.org](https://e.org)', '<underline:https://e.org>'],
    ['escapes', '\\*not\\* C:\\dir \\', '*not* C:\\dir \\'],
    ['what is never closed', '**open\n`open\n_open', '**open\n`open\n_open'],
    ['an answer that is cut off in code', '```\na', '<dim:```>\n<cyan:a>'],
  ])('renders %s', (_name, text, rendered) => {
    expect(render([text])).toBe(rendered)
  })

  const markup = fc.string({
    unit: fc.constantFrom(...'a b*_`[]()\\#->\n~+', 'word ', '```', '**', '[x](y)'),
    maxLength: 40,
  })

  it('renders the same however the text is cut into pieces', () => {
    fc.assert(
      fc.property(markup, fc.array(fc.nat(6)), (text, sizes) => {
        const pieces: string[] = []
        let rest = text
        for (const size of sizes) {
          pieces.push(rest.slice(0, size))
          rest = rest.slice(size)
        }
        expect(render([...pieces, rest])).toBe(render([text]))
      }),
      { numRuns: runsOf(2000) },
    )
  })

  it('keeps every letter', () => {
    const letters = (text: string) => text.replace(/[^a-z]/g, '')
    const plain = (pieces: readonly string[]) => {
      const stream = new MarkdownStream((_, text) => text)
      return pieces.map((piece) => stream.write(piece)).join('') + stream.end()
    }
    fc.assert(
      fc.property(markup, (text) => {
        // A link to itself is printed once.
        fc.pre(!/\[(.*)\]\(\1\)/.test(text))
        expect(letters(plain([text]))).toBe(letters(text))
      }),
      { numRuns: runsOf(2000) },
    )
  })

  it('prints words as they arrive, and holds back only open markup', () => {
    const stream = new MarkdownStream(style)
    expect(['Hel', 'lo **wor', 'ld** and', '\n'].map((piece) => stream.write(piece))).toEqual([
      'Hel',
      'lo ',
      '<bold:world> and',
      '\n',
    ])
  })

  it('renders a long line with much markup quickly', () => {
    const start = performance.now()
    expect(render(['**a '.repeat(100_000)])).toHaveLength(400_000)
    expect(performance.now() - start).toBeLessThan(5000)
  })

  it('prints markup that is not closed for long', () => {
    const stream = new MarkdownStream(style)
    expect(stream.write('a `') + stream.write('x'.repeat(500))).toBe(`a \`${'x'.repeat(500)}`)
  })
})
