/** The state of the paths of a host on disk. Plans are made from these facts alone. */
import type { Digest } from '../kit/digest.ts'

/** The state of one path. Links are not followed. */
export type FoundFile =
  | { readonly is: 'absent' }
  | { readonly is: 'regular'; readonly bytes: Uint8Array; readonly digest: Digest; readonly mode: number }
  /** A regular file of more than `MANAGED_FILE_LIMIT_BYTES`; drover never writes one, so it is not read. */
  | { readonly is: 'oversize' }
  | { readonly is: 'symlink' }
  | { readonly is: 'directory' }
  /** A socket, a named pipe, a device. */
  | { readonly is: 'other' }
  /** The system refuses to read it. */
  | { readonly is: 'unreadable'; readonly reason: string }
  /** A folder above the path is a link or not a folder. drover does not create files behind it. */
  | { readonly is: 'unreachable'; readonly reason: string }

/** One entry for every path of `pathsOf(host)`. */
export type FoundFiles = ReadonlyMap<string, FoundFile>

/** The state of a directory that a host is detected by. A link, or anything that is not a directory, is `absent`. */
export type FoundDirectory =
  | { readonly is: 'directory' }
  | { readonly is: 'absent' }
  | { readonly is: 'unreadable'; readonly reason: string }

/** One entry for every path of `host.directories`. */
export type FoundDirectories = ReadonlyMap<string, FoundDirectory>

export const MANAGED_FILE_LIMIT_BYTES = 1024 * 1024

export function isBlocked(found: FoundFile): found is Extract<FoundFile, { is: 'unreadable' | 'unreachable' }> {
  return found.is === 'unreadable' || found.is === 'unreachable'
}

/** The first path that cannot be inspected, and why; undefined if there is none. */
export function describeBlocked(paths: readonly string[], found: FoundFiles): string | undefined {
  for (const path of paths) {
    const there = foundAt(found, path)
    if (isBlocked(there)) return `${path} cannot be inspected: ${there.reason}`
  }
  return undefined
}

/** Throws if the path was not read, which is a bug. */
export function foundAt<T>(found: ReadonlyMap<string, T>, path: string): T {
  const there = found.get(path)
  if (there === undefined) throw new TypeError(`${path} was not read`)
  return there
}
