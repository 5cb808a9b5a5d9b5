/**
 * The block structure of Markdown text, decided by a CommonMark parser: which lines are fenced code, and what the first
 * heading is. docs/decisions/0019-commonmark-decides-what-is-code.md says why, and why the input has limits.
 */
import { createRequire } from 'node:module'

type Micromark = typeof import('micromark')
type MarkdownEvent = ReturnType<Micromark['postprocess']>[number]

/** The parser takes more than linear time. Within these limits hostile text takes it about half a second. */
export const PARSER_LIMITS = { characters: 65_536, lines: 500, nesting: 10 } as const

/** Block quotes and list items that open at the start of one line. */
const NESTED_TOO_DEEP = new RegExp(
  String.raw`^(?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=\s|$))){${PARSER_LIMITS.nesting + 1}}`,
  'm',
)

/** These are switched off: links and emphasis do not change the block structure. */
const INLINE_CONSTRUCTS = [
  'attention',
  'autolink',
  'characterEscape',
  'characterReference',
  'codeText',
  'hardBreakEscape',
  'htmlText',
  'labelEnd',
  'labelStartImage',
  'labelStartLink',
]

/** Lines are counted from 1. The last line is the closing fence, unless the block ends without one. */
export type FencedCode = { readonly openingLine: number; readonly lastLine: number }

/** Returns undefined if the text exceeds the limits of the parser. */
export function findFencedCode(text: string): FencedCode[] | undefined {
  if (exceedsLimits(text)) return undefined
  return parseBlocks(text).flatMap(([kind, { type, start, end }]) =>
    kind === 'enter' && type === 'codeFenced' ? [{ openingLine: start.line, lastLine: end.line }] : [],
  )
}

const CONTAINERS = ['blockQuote', 'listOrdered', 'listUnordered']
const HEADINGS = ['atxHeading', 'setextHeading']
const HEADING_TEXTS = ['atxHeadingText', 'setextHeadingText']

/**
 * The text of the first heading outside block quotes and lists, without its marks; undefined if there is none. Only the
 * part of the text that fits into the limits of the parser is searched.
 */
export function firstHeading(text: string): string | undefined {
  const start = text.slice(0, PARSER_LIMITS.characters).split('\n').slice(0, PARSER_LIMITS.lines).join('\n')
  if (exceedsLimits(start)) return undefined
  let depth = 0
  let heading = ''
  for (const [kind, token, context] of parseBlocks(start)) {
    if (CONTAINERS.includes(token.type)) depth += kind === 'enter' ? 1 : -1
    if (depth > 0) continue
    if (HEADING_TEXTS.includes(token.type)) heading = context.sliceSerialize(token)
    if (kind === 'exit' && HEADINGS.includes(token.type)) return heading.replace(/[ \t]*\n[ \t]*/g, ' ').trim()
  }
  return undefined
}

function exceedsLimits(text: string): boolean {
  const { characters, lines } = PARSER_LIMITS
  return text.length > characters || text.split('\n', lines + 1).length > lines || NESTED_TOO_DEEP.test(text)
}

const require = createRequire(import.meta.url)

function parseBlocks(text: string): MarkdownEvent[] {
  // Loaded on first use: most issues show no marker in code, and most commands read no issue.
  const { parse, preprocess, postprocess }: Micromark = require('micromark')
  const parser = parse({ extensions: [{ disable: { null: INLINE_CONSTRUCTS } }] })
  return postprocess(parser.document().write(preprocess()(text, undefined, true)))
}
