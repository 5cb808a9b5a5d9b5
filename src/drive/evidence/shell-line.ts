/**
 * Reads a line for a shell as the commands in it, as far as that is possible without a shell. What is not a plain list of
 * commands is opaque: an agent that wants a command to look as if it had run may write anything. Pure.
 */

/** What joins a command with the one before it; empty for the first. */
type Joiner = '' | '&&' | '||' | ';' | '|'

export type ShellCommand = {
  readonly joinedBy: Joiner
  /** Without quotes. A character that the shell would expand has a mark in front of it. */
  readonly words: readonly string[]
  /** Its output goes to a file, or its input comes from one. */
  readonly usesFile: boolean
}

export type ShellLine = {
  readonly commands: readonly ShellCommand[]
  /** Something in the line is not understood: which of its commands ran, and how, is unknown. */
  readonly isOpaque: boolean
}

/** In front of a character that the shell would expand. */
const MARK = '\u0000'

const OPERATOR = /^(?:&>>?|>>|>\||>&|<&|<<|&&|\|\||\|&|[;\n|<>&()])/
const JOINERS: Readonly<Record<string, Joiner>> = { '&&': '&&', '||': '||', ';': ';', '\n': ';', '|': '|' }
const REDIRECTION = /^(?:>>?|>\||[<>]&|<)$/
/** What stands alone and makes the line more than a list of commands. */
const KEYWORD = /^(?:!|\{|\}|\[\[|if|then|elif|else|fi|for|while|until|do|done|case|esac|select|function|coproc)$/
/** Commands after which the rest of the line does not run, or means something else. */
const CHANGES_FLOW =
  /^(?:exit|logout|return|exec|eval|trap|source|\.|alias|break|continue|wait|kill|suspend|hash|enable|shopt|declare|typeset|local|readonly|read|readarray|mapfile|getopts|let)$/
/** What `set` may be given: other options turn errors off, or the commands themselves. */
const KNOWN_OPTIONS = /^(?:-[eux]+ |-[eux]*o (?:pipefail|errexit|nounset|xtrace) )+$/
export const VARIABLE = /^[A-Za-z_]\w*=/

export function readShellLine(line: string): ShellLine {
  const reader = new LineReader()
  let rest = line
  while (rest !== '') {
    const piece = reader.isAtWordStart && rest.startsWith('#') ? (/^[^\n]*/.exec(rest)?.[0] ?? '') : reader.take(rest)
    rest = rest.slice(piece.length)
  }
  return reader.finish()
}

/** The line that a shell was given, such as `npm test` of `/bin/bash -lc 'npm test'`. */
export function unwrapShell(line: string): string {
  const { commands, isOpaque } = readShellLine(line)
  const [command, ...more] = commands
  if (command === undefined || more.length > 0 || isOpaque || command.usesFile) return line
  const [program = '', ...args] = command.words
  const flags = args.slice(0, -1).join(' ')
  const script = args.at(-1) ?? ''
  if (!/^(?:(?:\/usr)?\/bin\/)?(?:ba|z|da)?sh$/.test(program) || script.includes(MARK)) return line
  if (/^(?:-l |-i )*-l?i?l?c$/.test(flags)) return unwrapShell(script)
  const [, options] = /^-([eux]*o pipefail|[eux]+) -l?c$/.exec(flags) ?? /^-l?([eux]+)c$/.exec(flags) ?? []
  return options === undefined ? line : `set -${options}; ${unwrapShell(script)}`
}

class LineReader {
  readonly #commands: ShellCommand[] = []
  #joinedBy: Joiner = ''
  #words: string[] = []
  #word: string | undefined
  #isQuoted = false
  #usesFile = false
  #isRedirected = false
  /** The next word is the target of this redirection. */
  #redirection: string | undefined
  #isOpaque = false

  get isAtWordStart(): boolean {
    return this.#word === undefined
  }

  get #isEmpty(): boolean {
    return this.#word === undefined && this.#words.length === 0 && !this.#isRedirected
  }

  /** Takes the next piece of the line. */
  take(rest: string): string {
    const [operator] = OPERATOR.exec(rest) ?? []
    if (operator !== undefined) return this.#takeOperator(operator)
    const [space] = /^[ \t]+/.exec(rest) ?? []
    if (space !== undefined) {
      this.#endWord()
      return space
    }
    if (rest.startsWith('\\\n')) return this.#takeContinuation(rest)
    if (rest.startsWith("'")) return this.#takeQuoted(rest, /^'([^']*)'/, (text) => text)
    if (rest.startsWith('"')) return this.#takeQuoted(rest, /^"((?:[^"\\]|\\.)*)"/s, unescapeDoubleQuoted)
    return this.#takeCharacter(rest)
  }

  finish(): ShellLine {
    // A line may end with `;`, and not with an operator that needs another command.
    if (this.#isEmpty && !['', ';'].includes(this.#joinedBy)) this.#isOpaque = true
    this.#endCommand()
    const commands = this.#commands
    const isSetAside = commands.some((command, at) => isSet(command) && !hasEffect(command, commands[at + 1]))
    return { commands, isOpaque: this.#isOpaque || isSetAside }
  }

  #add(text: string): void {
    this.#word = `${this.#word ?? ''}${text}`
  }

  /** The shell joins the lines. In the middle of a word or an operator, that makes another one. */
  #takeContinuation(rest: string): string {
    if (!this.isAtWordStart || /^[|&;<>()]/.test(rest.slice(2))) this.#isOpaque = true
    return rest.slice(0, 2)
  }

  #takeQuoted(rest: string, pattern: RegExp, toText: (inside: string) => string): string {
    const [whole, inside] = pattern.exec(rest) ?? []
    if (whole === undefined || inside === undefined) {
      this.#isOpaque = true
      return rest
    }
    // In double quotes, the shell would run what is in them, or read other quotes.
    if (whole.startsWith('"') && /`|\$[({]/.test(inside)) this.#isOpaque = true
    this.#isQuoted = true
    this.#add(toText(inside))
    return whole
  }

  #takeCharacter(rest: string): string {
    if (rest.startsWith('\\')) {
      this.#isQuoted = true
      this.#add(rest.slice(1, 2))
      return rest.slice(0, 2)
    }
    if (/^(?:`|\$[({['"])/.test(rest)) this.#isOpaque = true
    const character = rest.slice(0, 1)
    this.#add(/[$`*?[\]~{}\0]/.test(character) ? `${MARK}${character}` : character)
    return character
  }

  #takeOperator(operator: string): string {
    if (REDIRECTION.test(operator)) {
      // A number in front of it is not a word, as in `2>`.
      if (/^\d$/.test(this.#word ?? '') && !this.#isQuoted) this.#word = undefined
      this.#endWord()
      if (this.#redirection !== undefined) this.#isOpaque = true
      this.#redirection = operator
      this.#isRedirected = true
      return operator
    }
    // A line may break after `&&`, `||` or `|`.
    if (operator === '\n' && this.#isEmpty) return operator
    const joiner = JOINERS[operator]
    // A subshell, a command in the background, a text in the line, or an operator without a command before it.
    if (joiner === undefined || this.#isEmpty) this.#isOpaque = true
    this.#endCommand()
    this.#joinedBy = joiner ?? ';'
    return operator
  }

  #endWord(): void {
    const word = this.#word
    this.#word = undefined
    this.#isQuoted = false
    if (word === undefined) return
    const redirection = this.#redirection
    this.#redirection = undefined
    if (redirection === undefined) this.#words.push(word)
    else if (!isHarmless(redirection, word)) this.#usesFile = true
  }

  #endCommand(): void {
    this.#endWord()
    const words = this.#words
    this.#words = []
    while (KEYWORD.test(words[0]?.replace(MARK, '') ?? '')) {
      words.shift()
      this.#isOpaque = true
    }
    if (words.length > 0) {
      if (changesRest(words)) this.#isOpaque = true
      this.#commands.push({
        joinedBy: this.#commands.length === 0 ? '' : this.#joinedBy,
        words,
        usesFile: this.#usesFile,
      })
    }
    // A redirection without a command succeeds, and one without a target is an error.
    if ((words.length === 0 && this.#isRedirected) || this.#redirection !== undefined) this.#isOpaque = true
    this.#usesFile = false
    this.#isRedirected = false
    this.#redirection = undefined
  }
}

function isSet({ words }: ShellCommand): boolean {
  return words[0] === 'set'
}

/** Whether its options hold for the commands after it: it runs in any case, and not in a process of its own. */
function hasEffect({ joinedBy, usesFile }: ShellCommand, next: ShellCommand | undefined): boolean {
  return (joinedBy === '' || joinedBy === ';') && next?.joinedBy !== '|' && !usesFile
}

/** Whether the commands after it run in another way, or not at all. */
function changesRest(words: readonly string[]): boolean {
  const [first = '', ...args] = words
  if (VARIABLE.test(first) || /^(?:command|builtin)$/.test(first)) return args.length > 0 && changesRest(args)
  if (first === 'set') return !KNOWN_OPTIONS.test(args.map((word) => `${word} `).join(''))
  // `command -p exit`, `$X`, and `printf -v PATH`, which sets a variable.
  const isUnknown = first.startsWith('-') || first.includes(MARK)
  return isUnknown || CHANGES_FLOW.test(first) || (first === 'printf' && args[0]?.startsWith('-v') === true)
}

/** It only joins outputs, or drops one. */
function isHarmless(redirection: string, target: string): boolean {
  if (/^[<>]&$/.test(redirection)) return /^[012-]$/.test(target)
  return redirection !== '<' && target === '/dev/null'
}

function unescapeDoubleQuoted(inside: string): string {
  return inside.replaceAll(/\\([$`"\\\n])|([$`])/g, (_, escaped?: string, active?: string) =>
    active === undefined ? (escaped === '\n' ? '' : (escaped ?? '')) : `${MARK}${active}`,
  )
}
