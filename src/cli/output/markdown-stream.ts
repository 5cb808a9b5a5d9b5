/**
 * Renders Markdown for a terminal while it arrives: headings, lists, quotes, code, emphasis and links. Text is held back only
 * until its markup is decided, so words appear as the agent writes them. What is not understood stays as it is.
 */
import { closesFence } from '../../kit/fenced-text.ts'
import { renderInline, type StyleText } from './markdown-inline.ts'

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
