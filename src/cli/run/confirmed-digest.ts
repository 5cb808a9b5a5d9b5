import { flagValueInvalid } from '../faults.ts'

/** With fewer characters, another request could have the same beginning. */
const SHORTEST = 12

/**
 * The whole digest of the pending request, if the user typed it or a beginning of it. Any other digest is passed on, so that
 * the engine refuses it.
 */
export function confirmedDigest(given: string, pending: string | undefined): string {
  const typed = readDigits(given)
  if (typed === undefined) {
    throw flagValueInvalid({
      flag: '--confirm',
      given,
      allowed: `the digest of the request, or its first ${SHORTEST} or more characters`,
    })
  }
  return pending?.startsWith(`sha256:${typed}`) ? pending : `sha256:${typed.padEnd(64, '0')}`
}

/** Whether the text is this digest, or a beginning of it that is long enough. */
export function matchesDigest(text: string, digest: string): boolean {
  const typed = readDigits(text)
  return typed !== undefined && digest.startsWith(`sha256:${typed}`)
}

/** Undefined if the text is not a digest, or too short. */
function readDigits(text: string): string | undefined {
  const typed = text.replace(/^sha256:/, '').toLowerCase()
  return /^[0-9a-f]+$/.test(typed) && typed.length >= SHORTEST && typed.length <= 64 ? typed : undefined
}
