/** A word as it is to be typed into a POSIX shell; bare where that means the same. */
export function quoteWord(word: string): string {
  return /^[\w@%+:,./-][\w@%+=:,./-]*$/.test(word) ? word : quoteText(word)
}

/** `$'…'` where a plain quote would break the line or hide what is in it. */
export function quoteText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (!/[\x00-\x1f\x7f]/.test(text)) return `'${text.replaceAll("'", "'\\''")}'`
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
  const escaped = text.replace(/[\\']/g, '\\$&').replace(/[\x00-\x1f\x7f]/g, escapeControl)
  return `$'${escaped}'`
}

function escapeControl(character: string): string {
  const names: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }
  return names[character] ?? `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
}
