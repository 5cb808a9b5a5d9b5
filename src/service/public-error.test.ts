import { describe, expect, it } from 'vitest'
import { Fault } from '../kit/fault.ts'
import { toPublicError } from './public-error.ts'

describe('the details of an error for clients', () => {
  it('have names of the wire at every depth, and keep their values', () => {
    const details = {
      limitBytes: 5,
      retry_after: 'limitBytes',
      problems: [{ path: '$.maxTurns', firstRule: ['aB'] }, null],
      place: { lineNumber: 1 },
    }
    expect(toPublicError(new Fault({ code: 'made_up', kind: 'invalid', message: 'no', details })).details).toEqual({
      limit_bytes: 5,
      retry_after: 'limitBytes',
      problems: [{ path: '$.maxTurns', first_rule: ['aB'] }, null],
      place: { line_number: 1 },
    })
  })

  it('are without what only commands need', () => {
    const own = { action_id: 'a', next: { variants: [] }, details: { state: 'paused' } }
    const toDetails = (details: object) =>
      toPublicError(new Fault({ code: 'made_up', kind: 'conflict', message: 'no', details }))
    expect(toDetails(own).details).toEqual({ action_id: 'a' })
    expect(toDetails({ next: { variants: [] } })).not.toHaveProperty('details')
    expect(toDetails({ next: 'the next run' }).details).toEqual({ next: 'the next run' })
  })
})
