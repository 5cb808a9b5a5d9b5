/** The pieces of a line for a POSIX shell: blanks, operators, and parts of words without their quotes. Pure. */

/** In front of a character that the shell would expand. */
export const MARK = '\u0000'

export type ShellToken =
  | { readonly is: 'blank' | 'continuation'; readonly length: number }
  | { readonly is: 'operator'; readonly length: number; readonly text: string }
  /** A part of a word. What the shell would expand has a mark. */
  | { readonly is: 'text'; readonly length: number; readonly text: string; readonly quote: '' | '\\' | "'" | '"' }
  /** A quote that does not end, or a backslash at the end of the line. */
  | { readonly is: 'unclosed'; readonly length: number; readonly quote: string }

const OPERATOR = /^(?:>>|>\||>&|<&|<<|&&|\|\||\|&|[;\n|<>&()])/

/** The first piece of a line that is not empty. A comment is not one: only the reader knows where a word begins. */
export function takeToken(line: string): ShellToken {
  const [operator] = OPERATOR.exec(line) ?? []
  if (operator !== undefined) return { is: 'operator', length: operator.length, text: operator }
  if (/^[ \t]/.test(line)) return { is: 'blank', length: 1 }
  if (line === '\\') return { is: 'unclosed', length: 1, quote: '\\' }
  if (line.startsWith('\\\n')) return { is: 'continuation', length: 2 }
  if (line.startsWith('\\')) return { is: 'text', length: 2, text: line.slice(1, 2), quote: '\\' }
  if (line.startsWith("'")) return takeQuoted(line, "'", /^'([^']*)'/)
  if (line.startsWith('"')) return takeQuoted(line, '"', /^"((?:[^"\\]|\\.)*)"/s)
  const character = line.slice(0, 1)
  const isActive = /[$`*?[\]~{}\0]/.test(character)
  return { is: 'text', length: 1, text: isActive ? `${MARK}${character}` : character, quote: '' }
}

function takeQuoted(line: string, quote: "'" | '"', pattern: RegExp): ShellToken {
  const found = pattern.exec(line)
  if (found === null) return { is: 'unclosed', length: line.length, quote }
  const [whole, inside = ''] = found
  return { is: 'text', length: whole.length, text: quote === '"' ? unescapeDoubleQuoted(inside) : inside, quote }
}

function unescapeDoubleQuoted(inside: string): string {
  return inside.replaceAll(/\\([$`"\\\n])|([$`])/g, (_, escaped?: string, active?: string) =>
    active === undefined ? (escaped === '\n' ? '' : (escaped ?? '')) : `${MARK}${active}`,
  )
}
