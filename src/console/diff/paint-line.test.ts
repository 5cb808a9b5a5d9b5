import fc from 'fast-check'
import { expect, it } from 'vitest'
import { languageOf, paintLine } from './paint-line.ts'

const changed = (text: string, other: string) =>
  paintLine(text, 'js', other)
    .filter(({ isChanged }) => isChanged)
    .map(({ text: piece }) => piece)

it('words that differ are marked on both sides', () => {
  expect(changed('return knots < limit', 'return knots <= limit')).toEqual([])
  expect(changed('return knots <= limit', 'return knots < limit')).toEqual(['='])
  expect(changed("const wind = 'm/s'", "const wind = 'knots'")).toEqual(['m/s'])
})

it('lines that have little in common are not marked', () => {
  expect(changed('import { a } from "b"', 'export default function')).toEqual([])
  const [short, long] = ['wind is weak', 'wind is strong in the north, and will be stronger in the south']
  expect([changed(short, long), changed(long, short)]).toEqual([[], []])
})

it('colors and marks go together', () => {
  expect(paintLine('let a = 1', 'js', 'let b = 1')).toEqual([
    { kind: 'keyword', text: 'let', isChanged: false },
    { kind: 'plain', text: ' ', isChanged: false },
    { kind: 'plain', text: 'a', isChanged: true },
    { kind: 'plain', text: ' = ', isChanged: false },
    { kind: 'number', text: '1', isChanged: false },
  ])
})

it('the pieces of a line are the line', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (text, other) => {
      expect(
        paintLine(text, 'ts', other)
          .map((piece) => piece.text)
          .join(''),
      ).toBe(text)
    }),
  )
  const long = 'x'.repeat(1001)
  expect(paintLine(long, 'ts', 'y')).toEqual([{ kind: 'plain', text: long, isChanged: false }])
})

it('the language is told by the name of the file', () => {
  expect(['src/a.ts', 'Makefile', 'README.md', '.env'].map(languageOf)).toEqual(['ts', 'makefile', 'markdown', 'env'])
})
