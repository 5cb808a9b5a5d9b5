import { describe, expect, it } from 'vitest'
import { type MarkdownNode, readMarkdown } from './read-markdown.ts'

const element = (tag: string, ...children: MarkdownNode[]) => ({ tag, children })
const code = (language: string, text: string) => ({ tag: 'pre', language, children: [text] })
const linksIn = (nodes: MarkdownNode[]): MarkdownNode[] =>
  nodes.flatMap((node) =>
    typeof node === 'string' ? [] : [...(node.tag === 'a' ? [node] : []), ...linksIn(node.children)],
  )
const textOf = (nodes: MarkdownNode[]): string =>
  nodes.map((node) => (typeof node === 'string' ? node : textOf(node.children))).join('')

describe('readMarkdown', () => {
  it.each<[string, string, MarkdownNode[]]>([
    [
      'emphasis',
      '**a** *b* _c_ ~~d~~',
      [element('p', element('strong', 'a'), ' ', element('em', 'b'), ' ', element('em', 'c'), ' ', element('s', 'd'))],
    ],
    ['names with underscores as text', 'read_the_file', [element('p', 'read_the_file')]],
    ['code, in which nothing else counts', '`**a**`', [element('p', element('code', '**a**'))]],
    ['an escaped mark as text', '\\*a\\*', [element('p', '*a*')]],
    ['an unfinished mark as text', '**a', [element('p', '**a')]],
    ['a tag as text', '<img src=x onerror=alert(1)>', [element('p', '<img src=x onerror=alert(1)>')]],
    ['a script as text', '<script>alert(1)</script>', [element('p', '<script>alert(1)</script>')]],
    ['an entity as text', 'a&#x202e;b &lt;', [element('p', 'a&#x202e;b &lt;')]],
    ['a definition of a link as text', '[//]: # (hidden)', [element('p', '[//]: # (hidden)')]],
    ['paragraphs', 'a\nb\n\nc', [element('p', 'a', '\n', 'b'), element('p', 'c')]],
    ['a line break', 'a\\\nb', [element('p', 'a', element('br'), 'b')]],
    ['a heading', '## Title ##', [element('h2', 'Title')]],
    ['code in a fence', '```ts x\nconst a = "<b>"\n```\nafter', [code('ts', 'const a = "<b>"'), element('p', 'after')]],
    ['a fence without an end', '~~~\na', [code('', 'a')]],
    ['a quote', '> a\n> b', [element('blockquote', element('p', 'a', '\n', 'b'))]],
    ['a rule', '***', [element('hr')]],
    [
      'a list with a list in it',
      '- a\n  - b\n- c',
      [element('ul', element('li', 'a', element('ul', element('li', 'b'))), element('li', 'c'))],
    ],
    [
      'a numbered list with an empty line in it',
      '3. a\n\n4. b',
      [{ ...element('ol', element('li', element('p', 'a')), element('li', element('p', 'b'))), start: 3 }],
    ],
    [
      'a table',
      '| a | b |\n|---|:-:|\n| 1 | x\\|y |',
      [
        element(
          'table',
          element('thead', element('tr', element('th', 'a'), element('th', 'b'))),
          element('tbody', element('tr', element('td', '1'), element('td', 'x|y'))),
        ),
      ],
    ],
  ])('reads %s', (_name, source, nodes) => {
    expect(readMarkdown(source)).toEqual(nodes)
  })

  it.each([
    ['[a](https://example.com/x)', 'https://example.com/x'],
    ['[a](mailto:a@example.com)', 'mailto:a@example.com'],
    ['see https://example.com/x.', 'https://example.com/x'],
    ['![a](https://example.com/x)', 'https://example.com/x'],
  ])('links %s', (source, href) => {
    expect(linksIn(readMarkdown(source))).toMatchObject([{ href }])
  })

  it.each([
    '[a](javascript:alert(1))',
    '[a](JaVaScRiPt:alert`1`)',
    '[a](javascript&#58;alert(1))',
    '<javascript:alert(1)>',
    '[a](data:text/html,x)',
    '[a](vbscript:x)',
    '[a](//evil.example)',
    '[a](file:///etc/passwd)',
    'evil.example',
  ])('leaves %s as text', (source) => {
    expect(linksIn(readMarkdown(source))).toEqual([])
  })

  it.each([
    '**'.repeat(20_000),
    '['.repeat(50_000),
    '> '.repeat(20_000),
    `a${'`'.repeat(50_001)}`,
    '- '.repeat(20_000),
    '![a]('.repeat(30_000),
  ])('reads a hostile text in a time that grows with its length, and leaves nothing out', (source) => {
    const start = performance.now()
    expect(textOf(readMarkdown(`${source} end`))).toMatch(/end$/)
    expect(performance.now() - start).toBeLessThan(5000)
  })

  it('shows a text above the limits as it is', () => {
    expect(readMarkdown('a'.repeat(200_000))).toMatchObject([{ tag: 'p' }])
    expect(readMarkdown('a'.repeat(200_001))).toMatchObject([{ tag: 'pre' }])
    expect(textOf(readMarkdown(`${'> '.repeat(100)}a`))).toBe('a')
    expect(readMarkdown(`${'> '.repeat(101)}a`)).toMatchObject([{ tag: 'pre' }])
  })
})
