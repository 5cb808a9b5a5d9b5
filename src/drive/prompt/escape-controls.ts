/** Makes control characters in the JSON of an agent visible. Pure. */
import { MARKDOWN } from '../../contract/control-characters.ts'

const RAW = new RegExp(`[${MARKDOWN.controls}]`, 'g')
/** An escape of one, whose backslash is not itself escaped. */
const ESCAPED = /(?<!\\)((?:\\\\)*)\\(u00(?:0[0-8bcef]|1[0-9a-f]|7f|[89][0-9a-f])|[bf])/gi

/**
 * No message may contain control characters, but a question must not be lost because of one: `\u001b` becomes the six
 * characters that stand for it.
 */
export function escapeControls(json: string): string {
  const written = json.replace(ESCAPED, (_, before: string, word: string) => `${before}\\\\${word}`)
  return written.replace(RAW, (character) => `\\\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
