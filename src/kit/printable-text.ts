/** Control characters, line separators, and invisible marks that reverse the direction of text. */
const UNSAFE = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f]/gu

/**
 * Removes control characters except line breaks and tabs. The output of a model must not move the cursor, set the title,
 * fill the clipboard, or look different from what it contains.
 */
export function toPrintable(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(UNSAFE, (character) => (/[\n\t]/.test(character) ? character : ''))
}
