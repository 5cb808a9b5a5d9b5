/** The source text without comments and, in a second copy, without the content of strings. Pure. */

export type Source = {
  /** Comments are blanks. */
  readonly code: string
  /** The same length. Strings are filled with a placeholder, so brackets and commas are those of the program. */
  readonly bare: string
}

/** Stands for each character in a string. */
const FILLER = '\u0001'

const HASH_COMMENTS = /\.(?:py|pyi|rb|sh|bash|pl|r|exs?|ya?ml|toml)$/i
/** A quote before a name is a lifetime there. */
const RUST = /\.rs$/i
const PYTHON = /\.pyi?$/i

/** One pass, so its time grows with the length of the text. A plain string ends with its line at the latest. */
export function readSource(text: string, path: string): Source {
  const language = toLanguage(path)
  const copies = new Copies(text)
  while (copies.at < text.length) {
    const comment = endOfComment(text, copies.at, language)
    const quote = comment === undefined ? quoteAt(text, copies.at, language) : undefined
    if (comment !== undefined) copies.blank(comment)
    else if (quote === undefined) copies.keep(copies.at + 1)
    else {
      copies.keep(copies.at + quote.length)
      copies.fill(endOfString(text, quote, copies.at))
      copies.keep(copies.at + quote.length)
    }
  }
  return copies.toSource()
}

type Language = { readonly hasHash: boolean; readonly isPython: boolean; readonly quotes: string }

function toLanguage(path: string): Language {
  const isPython = PYTHON.test(path)
  const quotes = RUST.test(path) ? '"' : isPython ? `"'` : `"'\``
  return { hasHash: HASH_COMMENTS.test(path), isPython, quotes }
}

function endOfComment(text: string, at: number, { hasHash }: Language): number | undefined {
  if (hasHash) return text[at] === '#' ? endOf(text, '\n', at) : undefined
  if (text.startsWith('//', at)) return endOf(text, '\n', at)
  return text.startsWith('/*', at) ? endOf(text, '*/', at + 2) + 2 : undefined
}

function quoteAt(text: string, at: number, { isPython, quotes }: Language): string | undefined {
  const next = text[at] ?? ''
  if (!quotes.includes(next)) return undefined
  return isPython && text.startsWith(next.repeat(3), at) ? next.repeat(3) : next
}

/** The two copies of a text, as far as it was read. */
class Copies {
  readonly #text: string
  readonly #code: string[] = []
  readonly #bare: string[] = []
  at = 0

  constructor(text: string) {
    this.#text = text
  }

  blank(end: number): void {
    const piece = this.#take(end).replace(/[^\n]/g, ' ')
    this.#code.push(piece)
    this.#bare.push(piece)
  }

  keep(end: number): void {
    const piece = this.#take(end)
    this.#code.push(piece)
    this.#bare.push(piece)
  }

  fill(end: number): void {
    const piece = this.#take(end)
    this.#code.push(piece)
    this.#bare.push(piece.replace(/[^\n]/g, FILLER))
  }

  toSource(): Source {
    return { code: this.#code.join(''), bare: this.#bare.join('') }
  }

  #take(end: number): string {
    const piece = this.#text.slice(this.at, end)
    this.at = Math.min(end, this.#text.length)
    return piece
  }
}

function endOf(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from)
  return found === -1 ? text.length : found
}

/** The index of the quote that ends it. */
function endOfString(text: string, quote: string, from: number): number {
  const spansLines = quote.length > 1 || quote === '`'
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text.startsWith(quote, at) || (text[at] === '\n' && !spansLines)) return at
  }
  return text.length
}

/** A piece of the program in one form, however it is laid out: without blanks, with one kind of quotes. */
export function toPlainCode({ code, bare }: Source, begin: number, end: number): string {
  let plain = ''
  for (let at = begin; at < end; at += 1) {
    const mark = bare[at] ?? ''
    if (mark === FILLER) plain += code[at]
    else if (/['"`]/.test(mark)) plain += '"'
    else if (!/\s/.test(mark)) plain += mark
  }
  return plain.replace(/,(?=[)\]}]|$)/g, '').replace(/;+$/, '')
}
