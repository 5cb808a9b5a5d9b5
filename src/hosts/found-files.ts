/** What stands at the paths that matter to a host, as the disk tells it. Deciding starts from these facts and no others. */
import type { Digest } from '../kit/digest.ts'

/** What is at the path of a file. Links are not followed. */
export type FoundFile =
  | { readonly is: 'absent' }
  | { readonly is: 'regular'; readonly bytes: Uint8Array; readonly digest: Digest; readonly mode: number }
  /** A regular file of more than `MANAGED_FILE_LIMIT_BYTES`; drover never wrote one, so its bytes do not matter. */
  | { readonly is: 'oversize' }
  | { readonly is: 'symlink' }
  | { readonly is: 'directory' }
  /** A socket, a named pipe, a device. */
  | { readonly is: 'other' }
  /** Nobody can say, because the system refuses. */
  | { readonly is: 'unreadable'; readonly reason: string }
  /** A folder above the path is a link or no folder at all. Nothing that drover made is behind it. */
  | { readonly is: 'unreachable'; readonly reason: string }

/** Every path of `pathsOf(host)`, by path, for each host that is asked about. */
export type FoundFiles = ReadonlyMap<string, FoundFile>

/** What is at a path that a host is detected by. A link, or anything else that is no directory, is `absent`. */
export type FoundDirectory =
  | { readonly is: 'directory' }
  | { readonly is: 'absent' }
  | { readonly is: 'unreadable'; readonly reason: string }

/** Every path of `host.directories`, by path, for each host that is asked about. */
export type FoundDirectories = ReadonlyMap<string, FoundDirectory>

export const MANAGED_FILE_LIMIT_BYTES = 1024 * 1024

/** Nobody can say what is there. */
export function isBlocked(found: FoundFile): found is Extract<FoundFile, { is: 'unreadable' | 'unreachable' }> {
  return found.is === 'unreadable' || found.is === 'unreachable'
}

/** The first of the paths about which that is so, and why. */
export function sayBlocked(paths: readonly string[], found: FoundFiles): string | undefined {
  for (const path of paths) {
    const there = foundAt(found, path)
    if (isBlocked(there)) return `${path} cannot be inspected: ${there.reason}`
  }
  return undefined
}

/** What was found at a path that had to be looked at. */
export function foundAt<T>(found: ReadonlyMap<string, T>, path: string): T {
  const there = found.get(path)
  if (there === undefined) throw new TypeError(`nobody looked at ${path}`)
  return there
}
