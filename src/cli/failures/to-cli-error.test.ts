import { describe, expect, it } from 'vitest'
import type { Next } from '../../contract/next.shape.ts'
import { makeVariant } from '../../contract/next-variants.ts'
import { checkCliError } from '../../contract/reports.ts'
import { digest } from '../../kit/digest.ts'
import { messageInvalid } from '../../kit/faults.ts'
import { flagUnknown, outputFailed } from '../faults.ts'
import { formatCliError } from './to-cli-error.ts'

const workspaceId = digest('a worktree')
const none: Next = { operation: 'none', workspace_identity: workspaceId, variants: [] }
const next: Next = {
  operation: 'command',
  workspace_identity: digest('another'),
  variants: [makeVariant('list-runs', { ROOT: '/srv/repo' })],
}

const write = (error: unknown, remedy = {}) =>
  checkCliError(JSON.parse(formatCliError({ error, remedy, exitCode: 3, workspaceId })))

describe('formatCliError', () => {
  it('has the code and the message of the fault', () => {
    expect(write(messageInvalid({ message: 'outcome', problems: [{ path: '$', rule: 'must be 2' }] }))).toEqual({
      contract_version: 2,
      code: 'message_invalid',
      message: 'outcome is not valid: $ must be 2',
      next: none,
      exit_code: 3,
    })
  })

  it('is one line whatever the message contains', () => {
    const error = messageInvalid({ message: 'a\nb\u2028', problems: [] })
    expect(formatCliError({ error, remedy: {}, exitCode: 3, workspaceId })).not.toContain('\n')
  })

  it('has one code for all usage errors', () => {
    expect(write(flagUnknown({ flag: '--x', command: 'run', nearest: undefined, owners: [] })).code).toBe(
      'invalid_usage',
    )
  })

  it.each([
    ['an error', new TypeError('x is undefined'), 'internal error, a bug in drover: x is undefined'],
    ['undefined', undefined, 'internal error, a bug in drover: undefined'],
    ['an error without a message', new Error(' '), 'internal error, a bug in drover: no reason was given'],
    ['a lone surrogate', new Error('\ud800'), 'internal error, a bug in drover: \ufffd'],
  ])('calls %s a runtime error', (_name, error, message) => {
    expect(write(error)).toMatchObject({ code: 'runtime_error', message })
  })

  it('calls lost output a runtime error, not a bug', () => {
    expect(write(outputFailed({ reason: 'full' }))).toMatchObject({
      code: 'runtime_error',
      message: 'the output could not be written: full',
    })
  })

  it('has the remedy of the command', () => {
    const details = { run_id: 'r1', state: 'active' } as const
    expect(write(outputFailed({ reason: 'full' }), { next, details })).toMatchObject({ next, details })
  })

  it('drops an invalid next', () => {
    const wrong = { ...next, operation: 'action' }
    expect(write(outputFailed({ reason: 'full' }), { next: wrong }).next).toEqual(none)
  })
})
