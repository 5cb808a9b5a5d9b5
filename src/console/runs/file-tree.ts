/** Changed files as a tree. Pure. */
type Named = { readonly path: string }

/** `at` is the place of the file among all. */
export type TreeEntry<F> = { name: string; file: F; at: number } | { name: string; entries: TreeEntry<F>[] }

/** In the order of the files, in which the files of a directory are together. A directory with only one in it is joined with it. */
export function toFileTree<F extends Named>(files: readonly F[]): TreeEntry<F>[] {
  const root: TreeEntry<F>[] = []
  files.forEach((file, at) => {
    const names = file.path.split('/')
    let entries = root
    for (const name of names.slice(0, -1)) entries = openDirectory(entries, name)
    entries.push({ name: names.at(-1) ?? '', file, at })
  })
  return root.map(join)
}

function openDirectory<F>(entries: TreeEntry<F>[], name: string): TreeEntry<F>[] {
  const last = entries.at(-1)
  if (last !== undefined && 'entries' in last && last.name === name) return last.entries
  const created = { name, entries: [] }
  entries.push(created)
  return created.entries
}

function join<F>(entry: TreeEntry<F>): TreeEntry<F> {
  if (!('entries' in entry)) return entry
  const entries = entry.entries.map(join)
  const [only] = entries
  return entries.length === 1 && only !== undefined && 'entries' in only
    ? { name: `${entry.name}/${only.name}`, entries: only.entries }
    : { name: entry.name, entries }
}
