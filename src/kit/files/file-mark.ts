import { statSync } from 'node:fs'

/** Changes whenever the file does. `gone` if there is none. */
export function fileMark(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? 'gone' : [found.ino, found.size, found.mtimeNs].join()
}
