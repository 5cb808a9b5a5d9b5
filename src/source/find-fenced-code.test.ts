import { describe, expect, it } from 'vitest'
import { findFencedCode, firstHeading, MAX_LEVELS } from './find-fenced-code.ts'

/** One sign for each line: `F` opens a fence, `i` is inside one, `.` is outside. */
function read(text: string): string {
  const blocks = findFencedCode(text) ?? []
  return text
    .split('\n')
    .map((_, at) => {
      const block = blocks.find(({ openingLine, lastLine }) => openingLine <= at + 1 && at < lastLine)
      if (block === undefined) return '.'
      return block.openingLine === at + 1 ? 'F' : 'i'
    })
    .join('')
}

describe('a fence', () => {
  it.each([
    ['of backticks', '```\nx\n```\nx', 'Fii.'],
    ['of tildes', '~~~\nx\n~~~\nx', 'Fii.'],
    ['of two marks is not a fence', '``\nx', '..'],
    ['with an info string', '```js x\nx\n```', 'Fii'],
    ['with a backtick in its info string is not a fence', '``` a`b\nx', '..'],
    ['of tildes with a backtick in its info string', '~~~ a`b\nx', 'Fi'],
    ['three spaces in', '   ```\nx\n   ```\nx', 'Fii.'],
    ['four spaces in is not a fence', '    ```\nx', '..'],
    ['is not closed by a shorter one', '````\n```\nx\n````\nx', 'Fiii.'],
    ['is closed by a longer one', '```\n`````\nx', 'Fi.'],
    ['is not closed by the other mark', '```\n~~~\nx', 'Fii'],
    ['is not closed by one with text behind it', '```\n``` x\nx', 'Fii'],
    ['is closed by one with white space behind it', '```\n``` \t\nx', 'Fi.'],
    ['is not closed four spaces in', '```\n    ```\nx', 'Fii'],
    ['holds blank lines', '```\n\n \nx', 'Fiii'],
    ['interrupts a paragraph', 'text\n```\nx', '.Fi'],
  ])('%s', (_name, text, places) => {
    expect(read(text)).toBe(places)
  })
})

describe('a fence in a container', () => {
  it.each([
    ['in a quote', '> ```\n> x\n> ```\n> x', 'Fii.'],
    ['in a quote without a space', '>```\n>x\n>```', 'Fii'],
    ['in two quotes', '> > ```\n>> x\n> > ```\nx', 'Fii.'],
    ['in a quote ends with the quote', '> ```\nx', 'F.'],
    ['in a quote ends with the quote at a blank line', '> ```\n\n> x', 'F..'],
    ['in a quote continues below a quoted blank line', '> ```\n>\n> x', 'Fii'],
    ['in a list item', '- ```\n  x\n  ```\n  x', 'Fii.'],
    ['in a list item ends with the item', '- ```\nx', 'F.'],
    ['in a list item ends one column too early', '- ```\n x', 'F.'],
    ['in an ordered item', '1. ```\n   x\n   ```', 'Fii'],
    ['in an ordered item with a bracket', '12) ```\n    x\n    ```', 'Fii'],
    ['in an item of ten digits is not a fence', '1234567890. ```\n            x', '..'],
    ['in an item four columns wide', '-    ```\n     x', 'Fi'],
    ['in an item with five spaces is indented code', '-     ```\n      x', '..'],
    ['in an item after a tab', '-\t```\n\tx', 'Fi'],
    ['under an item without text', '-\n  ```\n  x', '.Fi'],
    ['under an item without text, left', '-\n  ```\nx', '.F.'],
    ['as the continuation of an item', '- item\n  ```\n  x\n  ```', '.Fii'],
    ['as the continuation of an item, left', '- item\n  ```\nx', '.F.'],
    ['as the continuation below a blank line', '- item\n\n  ```\n  x\n  ```', '..Fii'],
    ['as the continuation below a blank line, left', '- item\n\n  ```\nx', '..F.'],
    ['as the continuation below a lazy line, left', '- item\nlazy\n  ```\nx', '..F.'],
    ['under a list that has ended', '- item\n\ntext\n  ```\nx', '...Fi'],
    ['in a nested list', '- a\n  - b\n    ```\n    x\n    ```', '..Fii'],
    ['in a nested list, left for the outer one', '- a\n  - b\n    ```\n  x', '..F.'],
    ['in two items of one line', '- - ```\n    x\n    ```', 'Fii'],
    ['in a quote in a list', '- > ```\n  > x\n  > ```', 'Fii'],
    ['in a quote in a list, left', '- > ```\n  x', 'F.'],
    ['in a list in a quote', '> - ```\n>   x\n>   ```', 'Fii'],
    ['in a list in a quote, left', '> - ```\n> x', 'F.'],
    ['in a list in a quote below a quoted blank line', '> - a\n>\n>   ```\n>   x', '..Fi'],
    ['in a quote that a blank line has ended', '> - a\n\n  ```\nx', '..Fi'],
    ['in a new quote below a blank line, which has no list', '> - a\n\n>   ```\n> x', '..Fi'],
    ['not far enough in to be under an item without text', '-\n ```\nx', '.Fi'],
    ['under an item with nothing but spaces, left', '-   \n  ```\nx', '.F.'],
    ['under a thematic break, which is no list', '- - -\n  ```\nx', '.Fi'],
    ['under a thematic break in a list', '- * * *\n  ```\nx', '.F.'],
    ['under two marks, which are a list', '- -\n    ```\nx', '.F.'],
  ])('%s', (_name, text, places) => {
    expect(read(text)).toBe(places)
  })
})

describe('an ordered item', () => {
  it.each([
    ['2. does not interrupt a paragraph', 'text\n2. ```\n   x', '...'],
    ['0. does not interrupt a paragraph', 'text\n0. ```\n   x', '...'],
    ['1. interrupts a paragraph', 'text\n1. ```\n   x', '.Fi'],
    ['2. begins a list below a blank line', 'text\n\n2. ```\n   x', '..Fi'],
    ['2. follows another item', '1. text\n2. ```\n   x', '.Fi'],
    ['2. begins a list below a heading', '# text\n2. ```\n   x', '.Fi'],
    ['2. does not interrupt what only looks like a heading', '#text\n2. ```\n   x', '...'],
    ['2. begins a list below a thematic break', '***\n2. ```\n   x', '.Fi'],
    ['2. does not interrupt two marks of a break', '**\n2. ```\n   x', '...'],
    ['2. does not interrupt a paragraph in the same quote', '> text\n> 2. ```\n>    x', '...'],
    ['2. interrupts a paragraph of a quote from outside', '> text\n2. ```\n   x', '.Fi'],
    ['2. begins a list in its own item', '> text\n- 2. ```\n     x', '.Fi'],
    ['2. does not interrupt a paragraph with an indented line', 'text\n      more\n2. ```\n   x', '....'],
    ['2. does not interrupt a lazy line', '- text\nlazy\n  2. ```\n     x', '....'],
    ['01. interrupts a paragraph', 'text\n01. ```\n    x', '.Fi'],
    ['2. begins a list in a new quote below a paragraph', 'text\n> 2. ```\n>    x', '.Fi'],
    ['2. begins a list below indented code', '    code\n2. ```\n   x', '.Fi'],
    ['2. begins a list below a link definition', '[a]: b\n2. ```\n   x', '.Fi'],
  ])('%s', (_name, text, places) => {
    expect(read(text)).toBe(places)
  })
})

describe('what looks like a fence', () => {
  it.each([
    ['in an HTML block is not a fence', '<div>\n```\nx\n```\n</div>', '.....'],
    ['in an HTML comment is not a fence', '<!--\n```\nx\n```\n-->', '.....'],
    ['in indented code is not a fence', '    a\n    ```\n    x', '...'],
    ['behind a byte order mark that does not begin the text is not a fence', '\n\ufeff```\nx', '...'],
  ])('%s', (_name, text, places) => {
    expect(read(text)).toBe(places)
  })
})

describe('text that is nested', () => {
  const code = '```\nx\n```'
  const inQuotes = (levels: number) => `${'>'.repeat(levels)} a\n\n${code}`
  const inLists = (levels: number) => `${'- '.repeat(levels / 2)}a\n\n${code}`

  it.each([
    ['quotes', inQuotes],
    ['lists', inLists],
  ])('too deep, in %s, is not parsed', (_name, nest) => {
    expect(findFencedCode(nest(MAX_LEVELS))).toEqual([{ openingLine: 3, lastLine: 5 }])
    expect(findFencedCode(nest(MAX_LEVELS + 2))).toBeUndefined()
    expect(firstHeading(`# Wind\n${nest(MAX_LEVELS + 2)}`)).toBe('Wind')
  })

  it('one level too deep is not parsed', () => {
    expect(findFencedCode(inQuotes(MAX_LEVELS + 1))).toBeUndefined()
  })
})

describe('hostile text of 64 KiB', () => {
  const size = 64 * 1024
  it.each([
    ['one line of quotes', '>'],
    ['one line of list items', '- '],
    ['underlined headings', 'a\n=\n'],
    ['list items', '- a\n'],
    ['nested list items', `${'- '.repeat(MAX_LEVELS / 2)}a\n\n`],
    ['nested quotes', `${'>'.repeat(MAX_LEVELS)}a\n\n`],
    ['link definitions that do not end', '- [a\n'],
  ])('is parsed in linear time: %s', (_name, line) => {
    const text = line.repeat(size / line.length)
    const start = process.cpuUsage()
    findFencedCode(text)
    const { user, system } = process.cpuUsage(start)
    expect((user + system) / 1e6).toBeLessThan(5)
  })
})

describe('the first heading', () => {
  it.each([
    ['# Wind', 'Wind'],
    ['   ###### Wind ##  ', 'Wind'],
    ['#\tWind\t#', 'Wind'],
    ['# C#', 'C#'],
    ['# C# #', 'C#'],
    ['## ##', ''],
    ['#', ''],
    ['text\n# Wind\n# Rain', 'Wind'],
    ['```sh\n# a comment\n```\n## Wind', 'Wind'],
    ['> ~~~\n> # a comment\n> ~~~\n\n# Wind', 'Wind'],
    ['Wind\n====', 'Wind'],
    ['Wind\n  -  ', 'Wind'],
    ['Wind\nand rain \n---', 'Wind and rain'],
    ['***\nWind\n---', 'Wind'],
    ['- item\n---\nWind\n---', 'Wind'],
    ['    code\nWind\n---', 'Wind'],
    ['text\n\nWind\n    in knots\n---', 'Wind in knots'],
  ])('of %j is %j', (text, heading) => {
    expect(firstHeading(text)).toBe(heading)
  })

  it.each([
    '',
    '#wind',
    '####### Wind',
    '    # Wind',
    '~~~\n# Wind',
    '---\n---',
    'Wind\n\n---',
    'Wind\n- item\n---',
    '> Wind\n---',
    '- Wind\n===',
    '    code\n---',
    '```\nWind\n```\n---',
    'Wind\n```\n---\n```',
    'Wind\n=-=',
  ])('is not in %j', (text) => {
    expect(firstHeading(text)).toBeUndefined()
  })
})
