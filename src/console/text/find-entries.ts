/** What Ctrl-K finds. Pure. */

export type Entry = {
  /** The heading that it stands under. */
  readonly group: 'Commands' | 'Runs' | 'Files of this run' | 'Sessions'
  readonly id: string
  readonly says: string
  /** Where it is, or its key. */
  readonly hint?: string
}

/** Of each group. */
export const MOST = 8

/** Every word must be in the text. Texts that begin with the first word come first; the order is kept otherwise. */
export function findEntries<E extends Entry>(entries: readonly E[], search: string): E[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const [first = ''] = words
  const ranked = entries
    .map((entry) => ({ entry, text: entry.says.toLowerCase() }))
    .filter(({ entry, text }) => words.every((word) => `${text} ${entry.hint?.toLowerCase() ?? ''}`.includes(word)))
    .sort((a, b) => Number(b.text.startsWith(first)) - Number(a.text.startsWith(first)))
    .map(({ entry }) => entry)
  const groups = [...Map.groupBy(ranked, ({ group }) => group).values()]
  return groups.flatMap((group) => group.slice(0, MOST))
}
