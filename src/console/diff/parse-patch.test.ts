import { expect, it } from 'vitest'
import { toRows } from './parse-patch.ts'

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
