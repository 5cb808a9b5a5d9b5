import { describe, expect, it } from 'vitest'
import { checkCliError } from '../../contract/cli-error.ts'
import type { Next } from '../../contract/next.shape.ts'
import { makeVariant } from '../../contract/next-variants.ts'
import { digest } from '../../kit/digest.ts'
import { messageInvalid } from '../../kit/faults.ts'
import { flagUnknown, outputFailed } from '../faults.ts'
import { writeCliError } from './cli-error.ts'

const workspace = digest('a worktree')
const none: Next = { operation: 'none', workspace_identity: workspace, variants: [] }
const next: Next = {
  operation: 'command',
  workspace_identity: digest('another'),
  variants: [makeVariant('list-runs', { ROOT: '/srv/repo' })],
}

const write = (error: unknown, advice = {}) =>
  checkCliError(JSON.parse(writeCliError({ error, advice, exitCode: 3, workspace })))

describe('the message about a failure', () => {
  it('has the code and the words of the fault', () => {
    expect(write(messageInvalid({ message: 'outcome', problems: [{ path: '$', rule: 'must be 2' }] }))).toEqual({
      contract_version: 2,
      code: 'message_invalid',
      message: 'outcome is not valid: $ must be 2',
      next: none,
      exit_code: 3,
    })
  })

  it('is one line, whatever the words are', () => {
    const error = messageInvalid({ message: 'a\nb\u2028', problems: [] })
    expect(writeCliError({ error, advice: {}, exitCode: 3, workspace })).not.toContain('\n')
  })

  it('has one code for all wrong words', () => {
    expect(write(flagUnknown({ flag: '--x', command: 'run', nearest: undefined })).code).toBe('invalid_usage')
  })

  it.each([
    ['an error', new TypeError('x is undefined'), 'internal error, a bug in drover: x is undefined'],
    ['no error at all', undefined, 'internal error, a bug in drover: undefined'],
    ['an error without words', new Error(' '), 'internal error, a bug in drover: it was not said why'],
    ['half a character', new Error('\ud800'), 'internal error, a bug in drover: \ufffd'],
  ])('calls %s a runtime error', (_name, error, message) => {
    expect(write(error)).toMatchObject({ code: 'runtime_error', message })
  })

  it('calls an answer that cannot be written a runtime error, and no bug', () => {
    expect(write(outputFailed({ reason: 'full' }))).toMatchObject({
      code: 'runtime_error',
      message: 'the output could not be written: full',
    })
  })

  it('has the advice of the command', () => {
    const details = { run_id: 'r1', state: 'active' } as const
    expect(write(outputFailed({ reason: 'full' }), { next, details })).toMatchObject({ next, details })
  })

  it('has no advice that could not be followed', () => {
    const wrong = { ...next, operation: 'action' }
    expect(write(outputFailed({ reason: 'full' }), { next: wrong }).next).toEqual(none)
  })
})
