import { MARK, type ShellToken, takeToken } from './shell-tokens.ts'

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

/** Splits a command line at spaces, with the quotes of a POSIX shell. Whatever else only a shell can do is a problem. */
export function splitCommand(line: string): SplitCommand {
  if (line.includes(MARK)) return { problem: 'it has a NUL' }
  const words: string[] = []
  let word: string | undefined
  for (let rest = line, token: ShellToken; rest !== ''; rest = rest.slice(token.length)) {
    token = takeToken(rest)
    const problem = whyShell(token)
    if (problem !== undefined) return { problem }
    if (token.is === 'text') word = `${word ?? ''}${token.text.replaceAll(MARK, '')}`
    else if (token.is === 'blank' && word !== undefined) {
      words.push(word)
      word = undefined
    }
  }
  return { words: word === undefined ? words : [...words, word] }
}

function whyShell(token: ShellToken): string | undefined {
  if (token.is === 'unclosed') return token.quote === '\\' ? 'it ends with a backslash' : `a ${token.quote} has no end`
  if (token.is === 'operator') return `${JSON.stringify(token.text.charAt(0))} needs a shell`
  const [, expanded] = (token.is === 'text' && EXPANSION.exec(token.text)) || []
  if (expanded === undefined) return undefined
  return token.is === 'text' && token.quote === '"'
    ? '"$" and "`" in double quotes need a shell'
    : `${JSON.stringify(expanded)} needs a shell`
}

const EXPANSION = new RegExp(`${MARK}([$\`])`)
