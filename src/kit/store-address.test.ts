import { expect, it } from 'vitest'
import { addressesOf, changeAddress, isAddress } from './store-address.ts'

it.each([
  ['postgres://u:p@one,two:5433/db?a=b', ['postgres://u:p@one/db?a=b', 'postgres://u:p@two:5433/db?a=b']],
  ['postgres://u@one:5432,[::1]:5433/db', ['postgres://u@one:5432/db', 'postgres://u@[::1]:5433/db']],
  ['postgres://u:a,b@one/db', ['postgres://u:a,b@one/db']],
  ['postgres:///db?host=/run,/tmp', ['postgres:///db?host=/run,/tmp']],
  ['sqlite:', ['sqlite:']],
])('names each server of %s', (url, addresses) => {
  expect(addressesOf(url)).toEqual(addresses)
})

it('is an address if each server has one', () => {
  expect(['postgres://a,b:1/db', 'postgres://a,b:x/db', 'postgres://a,/db:', 'nothing'].map(isAddress)).toEqual([
    ...[true, false, true, false],
  ])
})

it('is changed for all servers', () => {
  const change = (address: URL) => {
    address.password = ''
  }
  expect(changeAddress('postgres://u:p@one,two:5433/db', change)).toBe('postgres://u@one,two:5433/db')
})
