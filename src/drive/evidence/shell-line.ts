/**
 * Reads a line for a shell as the commands in it, as far as that is possible without a shell. What is not a plain list of
 * commands is opaque: an agent that wants a command to look as if it had run may write anything. Pure.
 */
import { MARK, type ShellToken, takeToken } from '../../kit/shell-tokens.ts'

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
    const isComment = reader.isAtWordStart && rest.startsWith('#')
    rest = rest.slice(isComment ? /[^\n]*/.exec(rest)?.[0].length : reader.take(rest))
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
  // Stryker disable next-line ArrayDeclaration: a list of one text has no second one
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

  /** Takes the next token of the line, and returns its length. */
  take(rest: string): number {
    const token = takeToken(rest)
    switch (token.is) {
      case 'operator':
        this.#takeOperator(token.text)
        break
      case 'blank':
        this.#endWord()
        break
      case 'continuation':
        // The shell joins the lines, which makes another word, or another meaning as with `$` and `{`.
        if (!this.isAtWordStart) this.#isOpaque = true
        break
      case 'unclosed':
        this.#isOpaque = true
        break
      case 'text':
        if (runsSomething(token, rest)) this.#isOpaque = true
        if (token.quote !== '') this.#isQuoted = true
        this.#word = `${this.#word ?? ''}${token.text}`
    }
    return token.length
  }

  finish(): ShellLine {
    // A line may end with `;`, and not with an operator that needs another command.
    if (this.#isEmpty && !['', ';'].includes(this.#joinedBy)) this.#isOpaque = true
    this.#endCommand()
    const commands = this.#commands
    const isSetAside = commands.some((command, at) => isSet(command) && !hasEffect(command, commands[at + 1]))
    return { commands, isOpaque: this.#isOpaque || isSetAside }
  }

  #takeOperator(operator: string): void {
    if (REDIRECTION.test(operator)) {
      // A number in front of it is not a word, as in `2>`.
      if (/^\d$/.test(this.#word ?? '') && !this.#isQuoted) this.#word = undefined
      this.#endWord()
      if (this.#redirection !== undefined) this.#isOpaque = true
      this.#redirection = operator
      this.#isRedirected = true
      return
    }
    // A line may break after `&&`, `||` or `|`.
    if (operator === '\n' && this.#isEmpty) return
    const joiner = JOINERS[operator]
    // A subshell, a command in the background, a text in the line, or an operator without a command before it.
    if (joiner === undefined || this.#isEmpty) this.#isOpaque = true
    this.#endCommand()
    this.#joinedBy = joiner ?? ';'
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
      this.#commands.push({ joinedBy: this.#joinedBy, words, usesFile: this.#usesFile })
    }
    // A redirection without a command succeeds, and one without a target is an error.
    if ((words.length === 0 && this.#isRedirected) || this.#redirection !== undefined) this.#isOpaque = true
    this.#usesFile = false
    this.#isRedirected = false
    this.#redirection = undefined
  }
}

/** The shell would run what is in it, or read other quotes. */
function runsSomething({ length, quote }: Extract<ShellToken, { is: 'text' }>, rest: string): boolean {
  if (quote === '"') return /`|\$[({]/.test(rest.slice(0, length))
  return /^(?:`|\$[({['"])/.test(rest)
}

function isSet({ words }: ShellCommand): boolean {
  return words[0] === 'set'
}

/** Whether its options hold for the commands after it: it runs in any case, and not in a separate process. */
function hasEffect({ joinedBy, usesFile }: ShellCommand, next: ShellCommand | undefined): boolean {
  return (joinedBy === '' || joinedBy === ';') && next?.joinedBy !== '|' && !usesFile
}

/** Whether the commands after it run in another way, or not at all. */
function changesRest(words: readonly string[]): boolean {
  const [first = '', ...args] = words
  if (VARIABLE.test(first) || /^(?:command|builtin)$/.test(first)) return changesRest(args)
  if (first === 'set') return !KNOWN_OPTIONS.test(args.map((word) => `${word} `).join(''))
  // `command -p exit`, `$X`, and `printf -v PATH`, which sets a variable.
  const isUnknown = first.startsWith('-') || first.includes(MARK)
  return isUnknown || CHANGES_FLOW.test(first) || (first === 'printf' && args[0]?.startsWith('-v') === true)
}

/** It only joins outputs, or drops one. */
function isHarmless(redirection: string, target: string): boolean {
  if (redirection.endsWith('&')) return /^[012-]$/.test(target)
  return redirection !== '<' && target === '/dev/null'
}
