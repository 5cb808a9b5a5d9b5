/** Changed files by directory. Pure. */
type Named = { readonly path: string }
type Group<F> = { directory: string; entries: { file: F; name: string; at: number }[] }

/** In the order of the files; `at` is the place among all. */
export function groupByDirectory<F extends Named>(files: readonly F[]): Group<F>[] {
  const groups: Group<F>[] = []
  files.forEach((file, at) => {
    const end = file.path.lastIndexOf('/')
    const directory = end === -1 ? '' : file.path.slice(0, end)
    const entry = { file, name: file.path.slice(end + 1), at }
    const last = groups.at(-1)
    if (last?.directory === directory) last.entries.push(entry)
    else groups.push({ directory, entries: [entry] })
  })
  return groups
}
