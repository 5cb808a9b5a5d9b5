/** The patch of a file as `git diff` prints it, in rows that can be shown: one below the other, or side by side. Pure. */
import { diffPieces } from '../text/diff-lines.ts'
import { highlight, type Token } from '../text/highlight.ts'

export type DiffCell = {
  line: number
  text: string
  /** The line on the other side that it replaces or is replaced by. */
  other?: string
}
/** A row has both sides if the line is the same, or if two lines are shown beside each other. */
export type DiffRow = { gap?: string; left?: DiffCell; right?: DiffCell; isSame?: true }

/** Of a binary file, or one that only has another name, there are none. */
export function toRows(part: string, isSplit: boolean): DiffRow[] {
  const rows: DiffRow[] = []
  const position = { left: 0, right: 0 }
  let removed: DiffCell[] = []
  let added: DiffCell[] = []
  const flush = () => {
    rows.push(...toChangedRows(removed, added, isSplit))
    removed = []
    added = []
  }
  let isInHunk = false
  for (const line of part.split('\n')) {
    const hunk = HUNK.exec(line)
    if (hunk !== null) {
      flush()
      const { left = '1', right = '1', heading = '' } = hunk.groups ?? {}
      const skipped = Math.max(0, Number(right) - Math.max(1, position.right))
      Object.assign(position, { left: Number(left), right: Number(right) })
      isInHunk = true
      rows.push({ gap: describeGap(skipped, heading) })
    } else if (isInHunk && line.startsWith('-')) removed.push({ line: position.left++, text: line.slice(1) })
    else if (isInHunk && line.startsWith('+')) added.push({ line: position.right++, text: line.slice(1) })
    else if (isInHunk && line.startsWith(' ')) {
      flush()
      const text = line.slice(1)
      rows.push({ left: { line: position.left++, text }, right: { line: position.right++, text }, isSame: true })
    }
  }
  flush()
  return rows
}

const HUNK = /^@@ -(?<left>\d+)(?:,\d+)? \+(?<right>\d+)(?:,\d+)? @@ ?(?<heading>.*)$/

function describeGap(skipped: number, heading: string): string {
  const count = skipped === 0 ? '' : skipped === 1 ? '1 line' : `${skipped} lines`
  return [count, heading].filter(Boolean).join(' · ')
}

/** The first line that was removed belongs to the first that was added, and so on. */
function toChangedRows(removed: readonly DiffCell[], added: readonly DiffCell[], isSplit: boolean): DiffRow[] {
  const withOther = (cell: DiffCell, other: DiffCell | undefined) =>
    other === undefined ? cell : { ...cell, other: other.text }
  const left = removed.map((cell, at) => withOther(cell, added[at]))
  const right = added.map((cell, at) => withOther(cell, removed[at]))
  if (!isSplit) return [...left.map((cell) => ({ left: cell })), ...right.map((cell) => ({ right: cell }))]
  return Array.from({ length: Math.max(left.length, right.length) }, (_, at) => ({
    ...(left[at] !== undefined && { left: left[at] }),
    ...(right[at] !== undefined && { right: right[at] }),
  }))
}

type PaintedPiece = { kind: Token['kind']; text: string; isChanged: boolean }

/** Longer lines are shown without colors and marks: no one wrote them. */
const MAX_LENGTH = 1000
/** Below this share of common words, two lines have nothing to do with each other. */
const LEAST_COMMON = 0.3

/** A line of code in pieces: each with its color, and whether it differs from the line that it replaces. */
export function paintLine(text: string, language: string, other?: string): PaintedPiece[] {
  if (text.length > MAX_LENGTH) return [{ kind: 'plain', text, isChanged: false }]
  const ends = other === undefined ? [] : changedRanges(text, other)
  return cutAt(highlight(text, language), ends)
}

type Range = { from: number; to: number }

function changedRanges(text: string, other: string): Range[] {
  if (other.length > MAX_LENGTH) return []
  const [own, others] = [toWords(text), toWords(other)]
  const pieces = diffPieces(own, others) ?? []
  const ranges: Range[] = []
  let [at, common] = [0, 0]
  for (const { side, text: piece } of pieces) {
    if (side === 'right') continue
    const last = ranges.at(-1)
    if (side === 'left' && last?.to === at) last.to += piece.length
    else if (side === 'left') ranges.push({ from: at, to: at + piece.length })
    else if (piece.trim() !== '') common += 1
    at += piece.length
  }
  // The longer line decides, so that both lines are marked or none is.
  const all = Math.max(...[own, others].map((words) => words.filter((word) => word.trim() !== '').length))
  return common < all * LEAST_COMMON ? [] : ranges
}

const toWords = (text: string) => text.match(/[\p{L}\p{N}_$]+|\s+|[^\p{L}\p{N}_$\s]/gu) ?? []

/** Cuts tokens where a range begins or ends. */
function cutAt(tokens: readonly Token[], ranges: readonly Range[]): PaintedPiece[] {
  const cuts = ranges.flatMap(({ from, to }) => [from, to])
  const isIn = (at: number) => ranges.some(({ from, to }) => from <= at && at < to)
  let start = 0
  return tokens.flatMap(({ kind, text }) => {
    const inside = cuts.filter((cut) => start < cut && cut < start + text.length).map((cut) => cut - start)
    const bounds = [...new Set([0, ...inside, text.length])].sort((a, b) => a - b)
    const base = start
    start += text.length
    return bounds.slice(0, -1).map((from, at) => ({
      kind,
      text: text.slice(from, bounds[at + 1]),
      isChanged: isIn(base + from),
    }))
  })
}

const LANGUAGES: Readonly<Record<string, string>> = { md: 'markdown', txt: 'text', lock: 'text', svg: 'xml' }

/** By the end of the name of the file. */
export function languageOf(path: string): string {
  const name = path.split('/').at(-1) ?? ''
  const ending = name.includes('.') ? (name.split('.').at(-1) ?? '') : name
  return LANGUAGES[ending.toLowerCase()] ?? ending.toLowerCase()
}
