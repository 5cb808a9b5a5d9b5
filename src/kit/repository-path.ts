/** What is wrong with a path that must lead to something in a repository; undefined if nothing is. Pure. */
export function problemOfRepositoryPath(path: string): string | undefined {
  const parts = path.split('/')
  if (path.startsWith('/') || path.includes('\\')) return 'it must be relative, with / between names'
  if (parts.some((part) => part === '' || part === '.' || part === '..')) return 'it must stay in the repository'
  if (parts.some((part) => part.toLowerCase() === '.git')) return 'it is part of a git repository'
  return path.includes('\0') ? 'it has a NUL' : undefined
}
