/** Control characters, line separators, and invisible marks that reverse the direction of text. */
const UNSAFE = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f]/gu

/**
 * Removes control characters except line breaks and tabs. The output of a model must not move the cursor, set the title,
 * fill the clipboard, or look different from what it contains.
 */
export function toPrintable(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(UNSAFE, (character) => (/[\n\t]/.test(character) ? character : ''))
}

/** Everything that cannot be seen. */
const HIDDEN = /[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/gu

/** Characters that look like spaces and are none, next to each other: they can move text to where it is not expected. */
const BLANKS = /(?:(?![ \u3000])[\p{Zs}\u2800] *){2,}/gu

/** Shows characters that cannot be seen as escapes, for texts that a user decides about. */
export function toRevealed(text: string): string {
  const reveal = (character: string, at: number) =>
    character === '\n' || isJoined(character, text[at - 1]) ? character : toEscape(character)
  return text.replace(HIDDEN, reveal).replace(BLANKS, (run) => run.replace(/[^ ]/gu, toEscape))
}

/** Joiners and variants belong to the letter or the emoji before them. */
function isJoined(character: string, before = ''): boolean {
  return /[\u200c-\u200d]|[\ufe00-\ufe0f]/.test(character) && before > '\x7f' && before !== character
}

function toEscape(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16)
  if (character === '\t') return '  '
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`
}
