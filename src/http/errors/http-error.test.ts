import { describe, expect, it } from 'vitest'
import { toWireNames } from './http-error.ts'

describe('toWireNames', () => {
  it('renames fields at every depth and keeps their values', () => {
    expect(
      toWireNames({
        limitBytes: 5,
        retry_after: 'limitBytes',
        problems: [{ path: '$.maxTurns', firstRule: ['aB'] }, null],
        place: { lineNumber: 1 },
      }),
    ).toEqual({
      limit_bytes: 5,
      retry_after: 'limitBytes',
      problems: [{ path: '$.maxTurns', first_rule: ['aB'] }, null],
      place: { line_number: 1 },
    })
  })
})
