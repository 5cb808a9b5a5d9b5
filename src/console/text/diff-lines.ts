/** The lines that two texts have in common, and those that only one has. Pure. */

export type DiffLine = { side: 'both' | 'left' | 'right'; text: string }

/** The table of common lines has the product of both numbers of lines. */
const MAX_CELLS = 4_000_000

/** Undefined if the texts are too long to compare. */
export function diffLines(left: string, right: string): DiffLine[] | undefined {
  return diffPieces(left.split('\n'), right.split('\n'))
}

/** The same for pieces of any kind, such as words. */
export function diffPieces(a: readonly string[], b: readonly string[]): DiffLine[] | undefined {
  if (a.length * b.length > MAX_CELLS) return undefined
  const lengths = commonLengths(a, b)
  const lines: DiffLine[] = []
  for (let [i, j] = [0, 0]; i < a.length || j < b.length; ) {
    const side = sideAt({ a, b, lengths }, i, j)
    lines.push({ side, text: (side === 'right' ? b[j] : a[i]) ?? '' })
    if (side !== 'right') i += 1
    if (side !== 'left') j += 1
  }
  return lines
}

type Compared = { a: readonly string[]; b: readonly string[]; lengths: Table }

function sideAt({ a, b, lengths }: Compared, i: number, j: number): DiffLine['side'] {
  if (i >= a.length) return 'right'
  if (j >= b.length) return 'left'
  if (a[i] === b[j]) return 'both'
  return at(lengths, i + 1, j) >= at(lengths, i, j + 1) ? 'left' : 'right'
}

type Table = { width: number; cells: Uint32Array }

function at({ width, cells }: Table, i: number, j: number): number {
  return cells[i * width + j] ?? 0
}

/** For each pair of positions, how many lines the rests have in common. */
function commonLengths(a: readonly string[], b: readonly string[]): Table {
  const width = b.length + 1
  const table = { width, cells: new Uint32Array((a.length + 1) * width) }
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      table.cells[i * width + j] =
        a[i] === b[j] ? at(table, i + 1, j + 1) + 1 : Math.max(at(table, i + 1, j), at(table, i, j + 1))
    }
  }
  return table
}
