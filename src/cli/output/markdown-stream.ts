/**
 * Renders Markdown for a terminal while it arrives: headings, lists, quotes, code, emphasis and links. Text is held back only
 * until its markup is decided, so words appear as the agent writes them. What is not understood stays as it is.
 */
import { closesFence } from '../../kit/foreign-text.ts'
import type { Channel } from '../terminal.ts'

const RULE_COLUMNS = 40

/** The kind of the current line; `whole` lines are rendered when they are complete. */
type LineKind = 'undecided' | 'inline' | 'whole'

export class MarkdownStream {
  readonly #style: StyleText
  #kind: LineKind = 'undecided'
  /** The end of the current line that is not printed yet, and the character before it. */
  #held = ''
  #before = ''
  /** The opening fence of the code block that the current line is in. */
  #fence: string | undefined

  constructor(style: StyleText) {
    this.#style = style
  }

  /** Takes the next text, without control characters, and returns what can be printed. */
  write(text: string): string {
    const [first = '', ...rest] = text.split('\n')
    let printed = this.#add(first)
    for (const piece of rest) printed += `${this.#endLine()}\n${this.#add(piece)}`
    return printed
  }

  /** Returns what was held back. The next text starts over. */
  end(): string {
    const printed = this.#endLine()
    this.#fence = undefined
    return printed
  }

  #add(piece: string): string {
    this.#held += piece
    if (this.#kind === 'undecided') this.#kind = this.#fence === undefined ? classifyLine(this.#held) : 'whole'
    else if (this.#kind === 'inline') return this.#printInline({ isComplete: false })
    return this.#kind === 'inline' ? this.#printPrefix() + this.#printInline({ isComplete: false }) : ''
  }

  #endLine(): string {
    const printed = this.#kind === 'inline' ? this.#printInline({ isComplete: true }) : this.#printWhole()
    this.#kind = 'undecided'
    this.#held = ''
    this.#before = ''
    return printed
  }

  #printInline({ isComplete }: { isComplete: boolean }): string {
    const text = this.#held
    const { printed, held } = renderInline({ text, before: this.#before, isComplete }, this.#style)
    this.#before = text.at(-held.length - 1) ?? this.#before
    this.#held = held
    return printed
  }

  /** The indentation, quote marks and bullet of a line. */
  #printPrefix(): string {
    const [all, indent = '', quotes = '', bullet = ''] = /^(\s*)((?:>\s?)*)((?:[-*+]\s+)?)/.exec(this.#held) ?? ['']
    this.#held = this.#held.slice(all.length)
    const bars = quotes === '' ? '' : this.#style('dim', quotes.replaceAll('>', '│'))
    return `${indent}${bars}${bullet.replace(/^[-*+]/, '•')}`
  }

  #printWhole(): string {
    const line = this.#held
    const [, fence] = /^\s*(`{3,}|~{3,})/.exec(line) ?? []
    if (this.#fence !== undefined && !closesFence(line, this.#fence))
      return line === '' ? '' : this.#style('cyan', line)
    if (this.#fence !== undefined || fence !== undefined) {
      this.#fence = this.#fence === undefined ? fence : undefined
      return this.#style('dim', line)
    }
    const [, heading] = /^ {0,3}#{1,6}\s+(.*?)(?:\s+#+)?\s*$/.exec(line) ?? []
    if (heading !== undefined) return this.#printHeading(heading)
    if (/^ {0,3}([-*_])(?: *\1){2,} *$/.test(line)) return this.#style('dim', '─'.repeat(RULE_COLUMNS))
    return this.#printPrefix() + this.#printInline({ isComplete: true })
  }

  #printHeading(text: string): string {
    const { printed } = renderInline({ text, before: '', isComplete: true }, this.#style)
    return printed === '' ? '' : this.#style(['bold', 'underline'], printed)
  }
}

/** `undecided` if the next characters can still make it a heading, a rule, a fence or a list. */
function classifyLine(line: string): LineKind {
  if (/^\s*(?:`{3}|~{3})/.test(line) || /^ {0,3}#{1,6}\s/.test(line)) return 'whole'
  return /^\s*(?:>\s?)*(?:[-*+_ ]*|#{1,6}|`{1,2}|~{1,2})$/.test(line) ? 'undecided' : 'inline'
}

type StyleText = Channel['style']

type InlineText = {
  text: string
  /** The character before the text: markup inside of a word is not emphasis. */
  before: string
  /** Nothing follows: what is not closed is plain text. */
  isComplete: boolean
}

/** Markup that is not closed within this length is plain text. */
const MARKUP_LIMIT = 400

/** Markup at the beginning of a text: rendered, plain text of this length, or still undecided. */
type Found = { length: number; printed: string } | { plain: number } | 'undecided'

/** Returns the printable beginning, and the rest from the first markup that is still open. */
function renderInline({ text, before, isComplete }: InlineText, style: StyleText): { printed: string; held: string } {
  // The end of a line decides what the end of a piece leaves open.
  const source = isComplete ? `${text}\n` : text
  let [printed, at] = ['', 0]
  while (at < text.length) {
    const next = nextMarkup(text, at)
    printed += text.slice(at, next)
    at = next
    if (at === text.length) break
    const found = readMarkup(source.slice(at, at + MARKUP_LIMIT), text[at - 1] ?? before, style)
    if (found === 'undecided' && !isComplete && text.length - at < MARKUP_LIMIT) break
    if (found === 'undecided' || 'plain' in found) {
      const length = found === 'undecided' ? runLength(text.slice(at)) : found.plain
      printed += text.slice(at, at + length)
      at += length
    } else {
      printed += found.printed
      at += found.length
    }
  }
  return { printed, held: text.slice(at) }
}

function nextMarkup(text: string, from: number): number {
  const found = text.slice(from).search(/[\\`*_[]/)
  return found === -1 ? text.length : from + found
}

function runLength(text: string): number {
  return /^(?:`+|\*+|_+)/.exec(text)?.[0].length ?? 1
}

function readMarkup(text: string, before: string, style: StyleText): Found {
  if (text.startsWith('\\')) return readEscape(text)
  if (text.startsWith('`')) return readCode(text, style)
  if (text.startsWith('[')) return readLink(text, style)
  return readEmphasis(text, before, style)
}

function readEscape(text: string): Found {
  const next = text[1]
  if (next === undefined) return 'undecided'
  return /[\\`*_[\]()#+.!>|~-]/.test(next) ? { length: 2, printed: next } : { plain: 1 }
}

function readCode(text: string, style: StyleText): Found {
  const length = runLength(text)
  const [fence, rest] = [text.slice(0, length), text.slice(length)]
  // A backtick that follows would make the run longer, and not the end of this code.
  const closing = new RegExp(`(?<!\`)${fence}(?=[^\`])`).exec(rest)
  if (closing === null) return 'undecided'
  const code = rest.slice(0, closing.index).replace(/^ (.*[^ ].*) $/, '$1')
  return { length: length + closing.index + length, printed: style('cyan', code) }
}

function readLink(text: string, style: StyleText): Found {
  const [whole, label = '', target = ''] = /^\[([^[\]]*)\]\(([^()\s]*)\)/.exec(text) ?? []
  if (whole !== undefined && target !== '') {
    const address = label === target ? '' : ` ${style('dim', `(${target})`)}`
    return { length: whole.length, printed: `${style('underline', label)}${address}` }
  }
  return /^\[[^[\]]*(?:\](?:\([^()\s]*)?)?$/.test(text) ? 'undecided' : { plain: 1 }
}

const WORD = /[\p{L}\p{N}_]/u

function readEmphasis(text: string, before: string, style: StyleText): Found {
  const length = runLength(text)
  const [mark, rest] = [text.slice(0, length), text.slice(length)]
  if (rest === '') return 'undecided'
  if (length > 2 || /^\s/.test(rest) || WORD.test(before)) return { plain: length }
  const end = findClosing(mark, rest)
  if (end === undefined) return 'undecided'
  const inner = renderInline({ text: rest.slice(0, end), before: mark, isComplete: true }, style).printed
  return { length: length + end + length, printed: style(length === 2 ? 'bold' : 'italic', inner) }
}

/** The position of a run of exactly this mark that follows a visible character and ends a word. */
function findClosing(mark: string, rest: string): number | undefined {
  const sign = mark[0] === '*' ? '\\*' : '_'
  const closing = new RegExp(`(?<=[^\\s${sign}])${sign}{${mark.length}}(?=[^${sign}\\p{L}\\p{N}])`, 'u').exec(rest)
  return closing?.index
}
