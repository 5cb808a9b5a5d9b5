import { describe, expect, it } from 'vitest'
import { findExitCode, toShownOutput } from './tool-call.tsx'

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
