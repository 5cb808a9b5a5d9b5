/**
 * The block structure of Markdown text, decided by a CommonMark parser: which lines are fenced code, and what the first
 * heading is. docs/decisions/0019-commonmark-decides-what-is-code.md says why, and how long hostile text takes.
 */
import { createRequire } from 'node:module'
import type { Token } from 'markdown-it'

/** A block quote is one level, a list is two. The parser calls itself for each level, and skips what is nested deeper. */
export const MAX_LEVELS = 100

/** Lines are counted from 1. The last line is the closing fence, unless the block ends without one. */
export type FencedCode = { readonly openingLine: number; readonly lastLine: number }

/** In the order of the text. Returns undefined if block quotes and lists are nested deeper than the parser goes. */
export function findFencedCode(text: string): FencedCode[] | undefined {
  const tokens = parseBlocks(text, (token) => token.type === 'fence' || isNestedTooDeep(token))
  if (tokens.some(isNestedTooDeep)) return undefined
  return tokens.flatMap(({ map }) => (map === null ? [] : [{ openingLine: map[0] + 1, lastLine: map[1] }]))
}

/** The text of the first heading outside block quotes and lists, without its marks; undefined if there is none. */
export function firstHeading(text: string): string | undefined {
  // The text of a heading or paragraph is the token below the one that opens it.
  const tokens = parseBlocks(text, ({ type, level }) => level === (type === 'inline' ? 1 : 0))
  const opening = tokens.findIndex(({ type }) => type === 'heading_open')
  return opening === -1 ? undefined : tokens[opening + 1]?.content.replace(/[ \t]*\n[ \t]*/g, ' ').trim()
}

/** Whether the content of this quote or list item was skipped. */
function isNestedTooDeep({ type, level }: Token): boolean {
  return level >= MAX_LEVELS && (type === 'blockquote_open' || type === 'list_item_open')
}

const require = createRequire(import.meta.url)

/** Only the tokens to keep are stored: all tokens of 16 MiB of text do not fit into memory. */
function parseBlocks(text: string, keeps: (token: Token) => boolean): Token[] {
  // Loaded on first use: most issues show no marker in code, and most commands read no issue.
  const MarkdownIt: typeof import('markdown-it').default = require('markdown-it')
  const parser = new MarkdownIt('commonmark', { maxNesting: MAX_LEVELS + 1 })
  const tokens: Token[] = []
  tokens.push = (token) => {
    if (token !== undefined && keeps(token)) tokens[tokens.length] = token
    return tokens.length
  }
  parser.block.parse(text, parser, {}, tokens)
  return tokens
}
