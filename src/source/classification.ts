import { LIMITS } from '../contract/limits.ts'
import type { SourceCandidate } from '../contract/source-candidate.shape.ts'

export type InvalidCode = Exclude<SourceCandidate['classification_code'], 'valid_change'>

/** Why an issue cannot be pinned. This is a result, not a failure: a run stores it and the user chooses. */
export type Rejection = { readonly is: 'rejected'; readonly code: InvalidCode; readonly error: string }

const ELLIPSIS = '…'
const EXCERPT_CHARACTERS = 60

/** Makes `problem` plain text that fits the contract, whatever it quotes. */
export function reject(code: InvalidCode, problem: string): Rejection {
  const plain = problem.toWellFormed().replace(/\p{Cc}/gu, '?')
  return { is: 'rejected', code, error: cutToBytes(plain, LIMITS.classificationErrorBytes) }
}

/** The start of a user's text, in quotes. */
export function excerpt(text: string): string {
  const characters = Array.from(text.slice(0, 2 * EXCERPT_CHARACTERS)).slice(0, EXCERPT_CHARACTERS)
  const start = characters.join('')
  return JSON.stringify(start.length < text.length ? start + ELLIPSIS : start)
}

function cutToBytes(text: string, limitBytes: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= limitBytes) return text
  const kept = bytes.subarray(0, limitBytes - Buffer.byteLength(ELLIPSIS))
  // In stream mode the decoder holds back a character that was cut in two instead of replacing it.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(kept, { stream: true }) + ELLIPSIS
}
