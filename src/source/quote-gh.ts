/*
 * What gh says, as far as it may be shown. It knows tokens that drover does not, of forms that nobody has published, and
 * may print them; so whatever could be one is hidden, even where that hides a long word that was none.
 */
import { redactSecrets } from '../kit/redact.ts'

const HIDDEN = '[redacted]'
/** No token of GitHub is shorter, and few words are as long. */
const LIKE_TOKEN = /[A-Za-z0-9_.-]{20,}/g

export function quoteGh(text: string): string {
  return redactSecrets(text)
    .replace(LIKE_TOKEN, HIDDEN)
    .replace(/\p{Cc}/gu, '?')
    .toWellFormed()
}
