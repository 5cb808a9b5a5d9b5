import { describe, expect, it } from 'vitest'
import { parseInline } from './inline.ts'
import { type Block, parseMarkdown } from './markdown.ts'

const text = (content: string) => ({ type: 'text' as const, text: content })
const paragraph = (content: string): Block => ({ type: 'paragraph', children: [text(content)] })

describe('parseInline', () => {
  it.each([
    ['emphasis', '**a** and *b* and _c_ and ~~d~~', ['strong', 'text', 'em', 'text', 'em', 'text', 'del']],
    ['names with underscores as text', 'read_the_file', ['text']],
    ['code, in which nothing else counts', '`**a**`', ['code']],
    ['an escaped mark as text', '\\*a\\*', ['text', 'text', 'text']],
    ['an unfinished mark as text', '**a', ['text']],
    ['a tag as text', '<img src=x onerror=alert(1)>', ['text']],
  ])('reads %s', (_name, source, types) => {
    expect(parseInline(source).map(({ type }) => type)).toEqual(types)
  })

  it.each([
    ['[a](https://example.com/x)', 'https://example.com/x'],
    ['[a](mailto:a@example.com)', 'mailto:a@example.com'],
    ['see https://example.com/x.', 'https://example.com/x'],
  ])('links %s', (source, href) => {
    expect(parseInline(source).find(({ type }) => type === 'link')).toMatchObject({ href })
  })

  it.each([
    '[a](javascript:alert(1))',
    '[a](JaVaScRiPt:alert`1`)',
    '[a](data:text/html,x)',
    '[a](vbscript:x)',
    '[a](//evil.example)',
    '[a](file:///etc/passwd)',
  ])('leaves %s as text', (source) => {
    expect(parseInline(source).some(({ type }) => type === 'link')).toBe(false)
  })
})

describe('parseMarkdown', () => {
  it.each<[string, string, Block[]]>([
    ['paragraphs', 'a\nb\n\nc', [paragraph('a\nb'), paragraph('c')]],
    ['a heading', '## Title ##', [{ type: 'heading', level: 2, children: [text('Title')] }]],
    [
      'code in a fence',
      '```ts\nconst a = "<b>"\n```\nafter',
      [{ type: 'code', language: 'ts', text: 'const a = "<b>"' }, paragraph('after')],
    ],
    ['a fence without an end', '~~~\na', [{ type: 'code', language: '', text: 'a' }]],
    ['a quote', '> a\n> b', [{ type: 'quote', blocks: [paragraph('a\nb')] }]],
    ['a rule', '---', [{ type: 'rule' }]],
    [
      'a list with a list in it',
      '- a\n  - b\n- c',
      [
        {
          type: 'list',
          start: undefined,
          items: [[paragraph('a'), { type: 'list', start: undefined, items: [[paragraph('b')]] }], [paragraph('c')]],
        },
      ],
    ],
    [
      'a numbered list with an empty line in it',
      '3. a\n\n4. b',
      [{ type: 'list', start: 3, items: [[paragraph('a')], [paragraph('b')]] }],
    ],
    [
      'a table',
      '| a | b |\n|---|:-:|\n| 1 | x\\|y |',
      [{ type: 'table', head: [[text('a')], [text('b')]], rows: [[[text('1')], [text('x|y')]]] }],
    ],
    ['a script as text', '<script>alert(1)</script>', [paragraph('<script>alert(1)</script>')]],
  ])('reads %s', (_name, source, blocks) => {
    expect(parseMarkdown(source)).toEqual(blocks)
  })

  it.each(['**'.repeat(20_000), '['.repeat(50_000), '> '.repeat(20_000), '`'.repeat(50_001), '- '.repeat(20_000)])(
    'reads a hostile text in linear time',
    (source) => {
      const start = performance.now()
      parseMarkdown(source)
      expect(performance.now() - start).toBeLessThan(5000)
    },
  )

  it('does not parse a text above the limit', () => {
    expect(parseMarkdown('a'.repeat(200_000))[0]?.type).toBe('paragraph')
    expect(parseMarkdown('a'.repeat(200_001))[0]?.type).toBe('code')
  })
})
