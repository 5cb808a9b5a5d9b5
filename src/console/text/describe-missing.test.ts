import { expect, it } from 'vitest'
import { describeMissing } from './describe-missing.ts'

it.each([400, 404])('an address with status %d has nothing behind it, in words for people', (status) => {
  const said = describeMissing('run', { status, message: 'no driven run "1"; GET /api/v1/runs lists them' })
  expect(said.title).toBe('There is no such run')
  expect(said.text).not.toContain('GET')
})

it('every other problem is shown as the server reports it', () => {
  expect(describeMissing('session', { status: 503, message: 'the server is stopping' })).toEqual({
    title: 'This session cannot be shown',
    text: 'the server is stopping',
  })
})
