import { flagValueInvalid } from '../faults.ts'

/** With fewer characters, another request could have the same beginning. */
const SHORTEST = 12

/**
 * The whole digest of the pending request, if the user typed it or a beginning of it. Any other digest is passed on, so that
 * the engine refuses it.
 */
export function confirmedDigest(given: string, pending: string | undefined): string {
  const typed = given.replace(/^sha256:/, '').toLowerCase()
  if (!/^[0-9a-f]+$/.test(typed) || typed.length < SHORTEST || typed.length > 64) {
    throw flagValueInvalid({
      flag: '--confirm',
      given,
      allowed: `the digest of the request, or its first ${SHORTEST} or more characters`,
    })
  }
  return pending?.startsWith(`sha256:${typed}`) ? pending : `sha256:${typed.padEnd(64, '0')}`
}
