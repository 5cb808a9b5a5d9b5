import fc from 'fast-check'
import { expect, it } from 'vitest'
import { languageOf, paintLine, toRows } from './patch-lines.ts'

const PATCH = `diff --git a/a.js b/a.js
index 1..2 100644
--- a/a.js
+++ b/a.js
@@ -1,3 +1,4 @@
 one
-two
-diff --git is a line of the file
+2
+3
+4
 last
@@ -20,2 +21,1 @@ function f() {
 twenty
-gone
\\ No newline at end of file
`

const show = (isSplit: boolean) =>
  toRows(PATCH, isSplit).map(({ gap, left, right, isSame }) =>
    gap === undefined
      ? `${left?.line ?? ''} ${right?.line ?? ''} ${isSame ? '' : '!'}${left?.text ?? ''}|${right?.text ?? ''}`
      : `@${gap}`,
  )

it('lines are numbered, one below the other', () => {
  expect(show(false)).toEqual([
    ...['@', '1 1 one|one', '2  !two|', '3  !diff --git is a line of the file|', ' 2 !|2', ' 3 !|3', ' 4 !|4'],
    ...['4 5 last|last', '@15 lines · function f() {', '20 21 twenty|twenty', '21  !gone|'],
  ])
})

it('lines that replace each other are side by side', () => {
  expect(show(true).slice(2, 5)).toEqual(['2 2 !two|2', '3 3 !diff --git is a line of the file|3', ' 4 !|4'])
})

it('a file without lines has no rows', () => {
  const binary = 'diff --git a/b.bin b/b.bin\nBinary files a/b.bin and b/b.bin differ\n'
  expect([toRows(binary, false), toRows('', true)]).toEqual([[], []])
})

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
