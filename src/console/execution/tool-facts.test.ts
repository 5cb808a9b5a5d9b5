import { describe, expect, it } from 'vitest'
import { countLines, findExitCode, summarizeInput, toShownOutput, toToolDiff } from './tool-facts.ts'

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

const result = (fields: { output?: string; problem?: string; isError?: boolean }) => ({
  seq: 2,
  output: '',
  problem: undefined,
  isError: true,
  at: '2026-01-01T00:00:00Z',
  ...fields,
})

describe('the exit code of a tool call', () => {
  it.each([
    ['as codex reports it', { problem: 'exit code 3', output: 'out' }, 3],
    ['as claude writes it', { output: 'Exit code 2\nls: no such file' }, 2],
    ['in an error', { problem: 'Error: Exit code 127' }, 127],
    ['of a killed command', { problem: 'exit code -9' }, -9],
    ['of another failure', { problem: 'the file does not exist' }, undefined],
    ['of a success that prints such a text', { isError: false, output: 'exit code 4' }, undefined],
  ])('is read %s', (_, fields, code) => {
    expect(findExitCode(result(fields))).toBe(code)
  })
})

describe('the output of a tool call', () => {
  it.each([
    ['output only', { output: 'out', isError: false }, 'out'],
    ['output of a command that failed', { output: 'out', problem: 'exit code 1' }, 'out'],
    ['a reason and output', { output: 'out', problem: 'permission denied' }, 'permission denied\nout'],
    ['a reason only', { problem: 'exit code 1' }, 'exit code 1'],
    ['nothing', { isError: false }, '(no output)'],
  ])('shows %s', (_, fields, shown) => {
    expect(toShownOutput(result(fields))).toBe(shown)
  })
})
