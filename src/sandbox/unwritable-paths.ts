/** Which paths a command could not write, as it printed them. Nothing else shows it: the kernel tells only the command. Pure. */

/** Enough to see what was tried. */
export const MAX_PATHS = 50
const MAX_LENGTH = 300

/** Node: `EROFS: read-only file system, open '/x'`; Python: `[Errno 30] Read-only file system: '/x'`. */
const AFTER = /read-only file system(?:, \w+)?:? ['"]([^'"\n]+)['"]/gi
/** `touch: cannot touch '/x': Read-only file system`, `sh: 1: cannot create /x: Read-only file system`, Go: `open /x: read-only …`. */
const BEFORE = /(?:['"]([^'"\n]+)['"]|([^\s'":]*[/.][^\s'":]*)): read-only file system/gi

export function findUnwritablePaths(printed: string): string[] {
  const found = [...printed.matchAll(AFTER), ...printed.matchAll(BEFORE)]
  const paths = found.map(([, first, second]) => first ?? second ?? '').filter((path) => path.length <= MAX_LENGTH)
  return [...new Set(paths)].slice(0, MAX_PATHS)
}
