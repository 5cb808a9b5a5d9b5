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
