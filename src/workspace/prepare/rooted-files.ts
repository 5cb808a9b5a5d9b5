/** Text files that contain the path of the worktree in which they were installed, such as scripts of a virtual environment. */
import { chmodSync, readFileSync, type Stats, statSync, writeFileSync } from 'node:fs'

/** Scripts and configuration. What is larger does not contain paths that matter. */
const LIMIT_BYTES = 1024 * 1024
const OWNER_WRITES = 0o200

/** A binary file does not find its own place by a path that can be replaced. */
export function isRooted(path: string, { size }: Pick<Stats, 'size'>, root: string): boolean {
  if (size > LIMIT_BYTES) return false
  const content = readFileSync(path)
  return content.includes(root) && !content.includes(0)
}

export function replaceRoot(path: string, { from, to }: { from: string; to: string }): void {
  const content = readFileSync(path, 'latin1')
  const { mode } = statSync(path)
  const isLocked = (mode & OWNER_WRITES) === 0
  if (isLocked) chmodSync(path, mode | OWNER_WRITES)
  writeFileSync(path, content.replaceAll(toLatin1(from), toLatin1(to)), 'latin1')
  if (isLocked) chmodSync(path, mode)
}

/** The bytes of a text, as a text of which each character is one byte. */
function toLatin1(text: string): string {
  return Buffer.from(text).toString('latin1')
}
