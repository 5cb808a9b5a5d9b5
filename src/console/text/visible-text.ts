/** Texts of agents and users as they can be shown: nothing in them may be invisible or change how other text is shown. Pure. */

const ESCAPE = String.fromCharCode(0x1b)

/** Colours and styles of terminals. They say nothing without a terminal. */
const TERMINAL_STYLES = new RegExp(`${ESCAPE}\\[[0-9;:]*m`, 'g')

/** Control characters, and those that are invisible or change the direction of text. The joiners are part of words and emoji. */
const HIDDEN = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\u2028\u2029]/gu

export function toVisible(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(TERMINAL_STYLES, '').replace(HIDDEN, nameCharacter)
}

/** Everything that cannot be seen, and fillers that look like spaces. */
const UNSEEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu

/** For texts that a user decides about: nothing is left out. */
export function toRevealed(text: string): string {
  return text.replace(UNSEEN, nameCharacter)
}

/** On one line, for lists and titles. */
export function toLine(text: string): string {
  return toVisible(text.trim().replace(/\s+/g, ' '))
}

/** Unicode has pictures of the ASCII control characters. */
function nameCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  if (code === 0x7f) return '\u2421'
  return `‹U+${code.toString(16).toUpperCase().padStart(4, '0')}›`
}

/** What an agent says to people. The block in which it reports its outcome to drover is not for them. */
const BLOCK = /^```drover-outcome\n[\s\S]*?(?:^```$|(?![\s\S]))/gm

export function withoutOutcome(text: string): string {
  return text.includes('drover-outcome') ? text.replace(BLOCK, '').trim() : text
}
