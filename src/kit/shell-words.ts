/** Quotes a word for a POSIX shell, if it needs quotes. */
export function quoteWord(word: string): string {
  return /^[\w@%+:,./-][\w@%+=:,./-]*$/.test(word) ? word : quoteText(word)
}

/** Uses `$'…'` for control characters, which plain quotes would leave invisible or as line breaks. */
export function quoteText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject
  if (!/[\x00-\x1f\x7f]/.test(text)) return `'${text.replaceAll("'", "'\\''")}'`
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject
  const escaped = text.replace(/[\\']/g, '\\$&').replace(/[\x00-\x1f\x7f]/g, escapeControl)
  return `$'${escaped}'`
}

function escapeControl(character: string): string {
  const names: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }
  return names[character] ?? `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
}
