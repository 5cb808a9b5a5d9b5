/** The patch of a file as `git diff` prints it, in rows that can be shown: one below the other, or side by side. Pure. */

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
