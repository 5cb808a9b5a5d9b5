import { describe, expect, it } from 'vitest'
import { checkApiVersion } from './api-version.ts'

const REQUIRED = { isRequired: true }
const OPTIONAL = { isRequired: false }

describe('checkApiVersion', () => {
  it.each(['2023-06-01', '2023-01-01', '2024-02-29', '9999-12-31'])('takes %s', (version) => {
    for (const rule of [REQUIRED, OPTIONAL]) expect(() => checkApiVersion(version, rule)).not.toThrow()
  })

  it.each([
    '',
    'latest',
    '2023-6-1',
    '20230601',
    '9999-99-99',
    '2023-02-29',
    '2023-06-00',
    ' 2023-06-01',
    '2023-06-01\n',
    '2023-06-01T00:00:00Z',
    '２０２３-06-01',
  ])('refuses %j, required or not', (version) => {
    for (const rule of [REQUIRED, OPTIONAL]) {
      expect(() => checkApiVersion(version, rule)).toThrow(
        `the header anthropic-version is ${JSON.stringify(version)}, which is no date; send "anthropic-version: 2023-06-01"`,
      )
    }
  })

  it('refuses none only where it is required', () => {
    expect(() => checkApiVersion(undefined, REQUIRED)).toThrow('the header anthropic-version is required')
    expect(() => checkApiVersion(undefined, OPTIONAL)).not.toThrow()
  })

  it('refuses two', () => {
    expect(() => checkApiVersion(['2023-06-01', '2023-06-01'], OPTIONAL)).toThrow('"2023-06-01,2023-06-01"')
  })
})
