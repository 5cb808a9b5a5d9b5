/** The names of worktrees and their branches. Pure. */

const LONGEST_SLUG = 40
/** A goal can be a whole document; its first words are enough. */
const READ_CHARACTERS = 1000

/** A short name for a text: lowercase letters and digits joined by `-`, which git and every file system accept. */
export function toSlug(text: string): string {
  const plain = text
    .slice(0, READ_CHARACTERS)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
  const [first = 'change', ...rest] = plain.match(/[a-z0-9]+/g) ?? []
  let slug = first.slice(0, LONGEST_SLUG)
  for (const word of rest) {
    if (slug.length + 1 + word.length > LONGEST_SLUG) break
    slug = `${slug}-${word}`
  }
  return slug
}

export function toBranch(name: string): string {
  return `drover/${name}`
}

/** The directory of the checkout has the name of the repository, because programs show it and some derive names from it. */
export function folderFor(repositoryName: string): string {
  return /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/.test(repositoryName) && !repositoryName.endsWith('.json')
    ? repositoryName
    : 'repository'
}
