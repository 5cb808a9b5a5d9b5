/**
 * Text from an agent as a terminal may show it: line breaks and tabs stay, all other control characters go. What a model
 * says must not be able to move the cursor, set the title or fill the clipboard.
 */
export function toPrintable(text: string): string {
  return text
    .replace(/\r\n/g, '\n')
    .replace(/[\p{Cc}\u2028\u2029]/gu, (character) => (/[\n\t]/.test(character) ? character : ''))
}

/** One line of at most so many columns. */
export function toOneLine(text: string, columns: number): string {
  const plain = toPrintable(text).replace(/\s+/g, ' ').trim()
  let width = 0
  let shown = ''
  for (const character of plain) {
    width += widthOf(character)
    if (width > columns) return `${shown.slice(0, -1)}…`
    shown += character
  }
  return shown
}

/** From the CJK radicals on nearly every character takes two columns; to count a few too many does no harm. */
function widthOf(character: string): number {
  return (character.codePointAt(0) ?? 0) >= 0x2e80 ? 2 : 1
}
