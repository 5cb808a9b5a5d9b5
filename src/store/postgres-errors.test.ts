import { expect, it } from 'vitest'
import { isAnswer, isDown, toPostgresFault } from './postgres-errors.ts'

it.each([
  [{ message: 'connect ECONNREFUSED', code: 'ECONNREFUSED' }, 'nothing listens at this address'],
  [{ message: 'database "x" does not exist', code: '3D000' }, 'create it with createdb'],
  [{ message: 'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string' }, 'set PGPASSWORD'],
  [{ message: 'Query read timeout' }, 'it gives no answer'],
  [{ message: 'Connection terminated due to connection timeout' }, 'it gives no answer'],
  [{ message: 'timeout exceeded when trying to connect' }, 'no connection became free'],
  [{ message: 'canceling statement due to statement timeout', code: '57014' }, 'store.statement_timeout_secs'],
  [{ message: 'the server closed the connection' }, 'the server closed the connection'],
  [{ message: '' }, 'the connection failed'],
])('%j is reported with what to do: %s', ({ message, ...code }, words) => {
  const fault = toPostgresFault('postgres://db/drover', Object.assign(new Error(message), code))
  expect(fault).toMatchObject({
    code: 'postgres_unavailable',
    message: expect.stringContaining(words),
  })
})

it.each([
  ['ECONNREFUSED', true],
  ['57P03', true],
  ['ETIMEDOUT', false],
  ['53300', false],
  [undefined, false],
])('%s means that PostgreSQL does not run: %s', (code, expected) => {
  const error = Object.assign(new Error('it failed'), code === undefined ? {} : { code })
  expect(isDown(toPostgresFault('postgres://db/drover', error))).toBe(expected)
  expect(isDown(error)).toBe(false)
})

it('knows errors of PostgreSQL from those of the connection', () => {
  expect(isAnswer(Object.assign(new Error('deadlock detected'), { severity: 'ERROR', code: '40P01' }))).toBe(true)
  expect(isAnswer(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))).toBe(false)
})
