/** The indexes of the items whose key an earlier item already has. */
export function findDuplicates<T>(items: readonly T[], keyOf: (item: T) => string | number): number[] {
  const seen = new Set<string | number>()
  return items.flatMap((item, index) => {
    const key = keyOf(item)
    if (seen.has(key)) return [index]
    seen.add(key)
    return []
  })
}
