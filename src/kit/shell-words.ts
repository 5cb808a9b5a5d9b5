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

export type SplitCommand = { words: string[] } | { problem: string }

/** What these would do needs a shell. */
const OPERATORS = /^[|&;<>()\n]/
const EXPANSIONS = /^[$`]/

/** Splits a command line at spaces, with the quotes of a POSIX shell. Whatever else only a shell can do is a problem. */
export function splitCommand(line: string): SplitCommand {
  const words: string[] = []
  let word: string | undefined
  let rest = line
  while (rest !== '') {
    const piece = takePiece(rest)
    if ('problem' in piece) return piece
    if (piece.isSpace) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = `${word ?? ''}${piece.text}`
    rest = rest.slice(piece.length)
  }
  return { words: word === undefined ? words : [...words, word] }
}

type Piece = { length: number; text: string; isSpace?: true } | { problem: string }

function takePiece(rest: string): Piece {
  const [space] = /^[ \t]+/.exec(rest) ?? []
  if (space !== undefined) return { length: space.length, text: '', isSpace: true }
  if (rest.startsWith("'")) return takeQuoted(rest, /^'([^']*)'/)
  if (rest.startsWith('"')) return takeQuoted(rest, /^"((?:[^"\\]|\\.)*)"/s)
  const needsShell = OPERATORS.exec(rest) ?? EXPANSIONS.exec(rest)
  if (needsShell !== null) return { problem: `${JSON.stringify(needsShell[0])} needs a shell` }
  if (rest === '\\') return { problem: 'it ends with a backslash' }
  return rest.startsWith('\\') ? { length: 2, text: rest.slice(1, 2) } : { length: 1, text: rest.slice(0, 1) }
}

function takeQuoted(rest: string, pattern: RegExp): Piece {
  const [whole, inside] = pattern.exec(rest) ?? []
  if (whole === undefined || inside === undefined) return { problem: `a ${rest.slice(0, 1)} has no end` }
  if (rest.startsWith("'")) return { length: whole.length, text: inside }
  if (/(?<!\\)(?:\\\\)*[$`]/.test(inside)) return { problem: '"$" and "`" in double quotes need a shell' }
  return { length: whole.length, text: inside.replaceAll(/\\([$`"\\])/g, '$1') }
}
