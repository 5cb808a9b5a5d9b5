/** `a, b and 3 more`. `count` is how many there are, if `items` has only the first of them. */
export function listSome(items: readonly string[], shown: number, count = items.length): string {
  const text = items.slice(0, shown).join(', ')
  return count > shown ? `${text} and ${count - shown} more` : text
}
