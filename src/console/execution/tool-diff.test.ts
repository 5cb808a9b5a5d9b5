import { describe, expect, it } from 'vitest'
import { summarizeInput, toToolDiff } from './tool-call.tsx'

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
