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
  /** Nobody can say: the system refuses, or something above the path is no directory. */
  | { readonly is: 'unreadable'; readonly reason: string }

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

/** What was found at a path that had to be looked at. */
export function foundAt<T>(found: ReadonlyMap<string, T>, path: string): T {
  const there = found.get(path)
  if (there === undefined) throw new TypeError(`nobody looked at ${path}`)
  return there
}
