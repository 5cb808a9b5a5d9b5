import { describe, expect, it } from 'vitest'
import { countLines, summarizeInput, toToolDiff } from './tool-call.tsx'

describe('the input of a tool', () => {
  it.each([
    [{ file_path: 'a', old_string: 'x\ny', new_string: 'z' }, '-x\n-y\n+z'],
    [{ old_string: '', new_string: 'new' }, '+new'],
    [{ patch: '@@ a' }, '@@ a'],
    [{ command: 'ls' }, undefined],
    ['text', undefined],
  ])('%j has the diff %j', (input, diff) => expect(toToolDiff(input)).toBe(diff))

  it.each([
    [{ command: ['git', 'status'] }, 'git status'],
    [{ file_path: 'a', content: 'b' }, 'a'],
    [{ other: 1 }, '{"other":1}'],
    [undefined, ''],
  ])('%j is summed up as %j', (input, summary) => expect(summarizeInput(input)).toBe(summary))
})

it('an edit tells how many lines it adds and removes, and a new file how many it has', () => {
  expect(countLines({ old_string: 'a\nb', new_string: 'a\nb\nc' })).toEqual({ added: 3, removed: 2 })
  expect(countLines({ patch: '--- a\n+++ b\n-x\n+y\n+z' })).toEqual({ added: 2, removed: 1 })
  expect(countLines({ file_path: 'a', content: 'one\ntwo\n' })).toEqual({ added: 2, removed: 0 })
  expect([countLines({ content: '' }), countLines('a'), countLines(null)]).toEqual([undefined, undefined, undefined])
})
