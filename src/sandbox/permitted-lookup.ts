import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { type HostRule, permitsAddress } from './host-rules.ts'

/** The code of the error for a name that has only private addresses. */
export const PRIVATE_ADDRESS = 'ERR_PRIVATE_ADDRESS'

/** Resolves a name to its public addresses, and to private ones that the rules list. A connection uses what it returns. */
export function permittedLookup(rules: readonly HostRule[]): LookupFunction {
  return (host, { all: _, ...options }, done) => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return done(error, [])
      const allowed = addresses.filter(({ address }) => permitsAddress(address, rules))
      if (allowed.length > 0) return done(null, allowed)
      done(Object.assign(new Error(`${host} has a private address`), { code: PRIVATE_ADDRESS }), [])
    })
  }
}
