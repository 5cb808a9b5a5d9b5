/** Text files that contain the path of the worktree in which they were installed, such as scripts of a virtual environment. */
import type { Stats } from 'node:fs'
import { chmod, readFile, stat, writeFile } from 'node:fs/promises'

/** Scripts and configuration. What is larger does not contain paths that matter. */
const LIMIT_BYTES = 1024 * 1024
const OWNER_WRITES = 0o200

/** A binary file does not find its own place by a path that can be replaced. */
export async function isRooted(path: string, { size }: Pick<Stats, 'size'>, root: string): Promise<boolean> {
  if (size > LIMIT_BYTES) return false
  const content = await readFile(path)
  return content.includes(root) && !content.includes(0)
}

export async function replaceRoot(path: string, { from, to }: { from: string; to: string }): Promise<void> {
  const content = await readFile(path, 'latin1')
  const { mode } = await stat(path)
  const isLocked = (mode & OWNER_WRITES) === 0
  if (isLocked) await chmod(path, mode | OWNER_WRITES)
  await writeFile(path, content.replaceAll(toLatin1(from), toLatin1(to)), 'latin1')
  if (isLocked) await chmod(path, mode)
}

/** The bytes of a text, as a text of which each character is one byte. */
function toLatin1(text: string): string {
  return Buffer.from(text).toString('latin1')
}
