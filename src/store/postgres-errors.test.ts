import { expect, it } from 'vitest'
import { toPostgresFault } from './postgres-errors.ts'

it.each([
  [{ message: 'connect ECONNREFUSED', code: 'ECONNREFUSED' }, 'nothing listens at this address'],
  [{ message: 'database "x" does not exist', code: '3D000' }, 'create it with createdb'],
  [{ message: 'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string' }, 'set PGPASSWORD'],
  [{ message: 'the server closed the connection' }, 'the server closed the connection'],
  [{ message: '' }, 'the connection failed'],
])('%j is reported with what to do: %s', ({ message, ...code }, words) => {
  const fault = toPostgresFault('postgres://db/drover', Object.assign(new Error(message), code))
  expect(fault).toMatchObject({
    code: 'session_store_unavailable',
    message: expect.stringContaining(words),
  })
})
