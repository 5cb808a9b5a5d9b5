import { toOneLine, toPrintable } from './printable.ts'
import type { TextLayout } from './text-table.ts'
import { wrapWords } from './wrap-words.ts'

const LINE_COLUMNS = 160
const OUTPUT_LINES = 40

/** A line, and how it looks in colour. A path in a line with `keepsPaths` is not broken, so no agent may write that line. */
export type StyledLine = string | { readonly text: string; readonly tone?: Tone; readonly keepsPaths?: true }
type Tone = 'good' | 'bad' | 'open' | 'dim' | 'title'

const STYLES = { good: 'green', bad: 'red', open: 'yellow', dim: 'dim', title: 'bold' } as const

/** On a terminal lines are wrapped to its width. Elsewhere one line stays one line. */
export function formatLines(lines: readonly StyledLine[], { style, isTty, columns }: TextLayout): string[] {
  return lines.flatMap((line) => {
    const { text, tone, keepsPaths } = typeof line === 'string' ? { text: line } : line
    const wrapped = isTty ? wrapWords(text, columns - 1, { keepsPaths }) : text.split('\n')
    return tone === undefined ? wrapped : wrapped.map((each) => style(STYLES[tone], each))
  })
}

/** The end of what a failed command printed. */
export function lastLines(output: string): StyledLine[] {
  const lines = output.trimEnd().split('\n').slice(-OUTPUT_LINES)
  return lines.filter(Boolean).map((line) => ({ text: `    ${toPrintable(line)}`, tone: 'dim' }))
}

export function oneLine(text: string): string {
  return toOneLine(text, LINE_COLUMNS)
}
