/** Which paths a command could not write, as it printed them. Nothing else shows it: the kernel tells only the command. Pure. */

/** Enough to see what was tried. */
export const MAX_PATHS = 50
const MAX_LENGTH = 300

/** For a user who is not root, the permissions of a file count before its mount. Only absolute paths are told then: others are in the worktree. */
const SAID = '(read-only file system|permission denied)'
/** Node: `EROFS: read-only file system, open '/x'`; Python: `[Errno 30] Read-only file system: '/x'`. */
const AFTER = new RegExp(`${SAID}(?:, \\w+)?:? ['"](?<path>[^'"\n]+)['"]`, 'gi')
/** `touch: cannot touch '/x': Read-only file system`, `sh: 1: cannot create /x: Read-only file system`, Go: `open /x: read-only …`. */
const BEFORE = new RegExp(`(?:['"](?<quoted>[^'"\n]+)['"]|(?<bare>[^\\s'":]*[/.][^\\s'":]*)): ${SAID}`, 'gi')

export function findUnwritablePaths(printed: string): string[] {
  const found = [...printed.matchAll(AFTER), ...printed.matchAll(BEFORE)]
  const paths = found.flatMap(({ 0: said, groups: { path, quoted, bare } = {} }) => {
    const named = path ?? quoted ?? bare ?? ''
    return named.startsWith('/') || /read-only/i.test(said) ? [named] : []
  })
  return [...new Set(paths.filter((path) => path.length <= MAX_LENGTH))].slice(0, MAX_PATHS)
}
