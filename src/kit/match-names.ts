/** A word with more edits than this is another word, however long it is. */
const MAX_EDITS = 3

/** The known word closest to a mistyped one, or undefined if none is close enough to suggest. */
export function nearestWord(word: string, known: readonly string[], maxEdits = MAX_EDITS): string | undefined {
  const allowed = Math.min(maxEdits, Math.max(1, Math.floor(word.length / 3)))
  let nearest: string | undefined
  let closest = word.length
  // The length filter also keeps a very long word from costing time.
  for (const candidate of known.filter((other) => Math.abs(other.length - word.length) <= allowed)) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (distance <= allowed && distance < closest) {
      nearest = candidate
      closest = distance
    }
  }
  return nearest
}

/** There are thousands of programs, so that one with two other letters is most likely another one. */
export function nearestProgram(program: string, known: readonly string[]): string | undefined {
  return nearestWord(program, known, 1)
}

/** The number of insertions, deletions, replacements and swaps of neighbours that turn one word into the other. */
function editDistance(from: string, to: string): number {
  let beforePrevious: number[] = []
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const replace = at(previous, column - 1) + (from[row - 1] === to[column - 1] ? 0 : 1)
      current.push(Math.min(at(previous, column) + 1, at(current, column - 1) + 1, replace))
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      if (swapped) current[column] = Math.min(at(current, column), at(beforePrevious, column - 2) + 1)
    }
    beforePrevious = previous
    previous = current
  }
  return at(previous, to.length)
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY
}

/**
 * Whether a name matches a pattern in which `*` stands for any text. Case does not matter. Without regular expressions, because a
 * pattern with many `*` must not take exponential time. Pure.
 */
export function matchesPattern(anyName: string, anyPattern: string): boolean {
  const [name, pattern] = [anyName.toLowerCase(), anyPattern.toLowerCase()]
  const [start = '', ...parts] = pattern.split('*')
  const end = parts.pop()
  if (end === undefined) return name === start
  if (name.length < start.length + end.length || !name.startsWith(start) || !name.endsWith(end)) return false
  const middle = name.slice(start.length, name.length - end.length)
  return containsInOrder(middle, parts)
}

function containsInOrder(text: string, [first, ...rest]: readonly string[]): boolean {
  if (first === undefined) return true
  const at = text.indexOf(first)
  return at !== -1 && containsInOrder(text.slice(at + first.length), rest)
}
