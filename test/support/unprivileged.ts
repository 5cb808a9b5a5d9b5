/** Runs tests without permissions, even if root runs the tests. */
import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export const NOBODY_UID = 65_534
const ROOT = join(import.meta.dirname, '..', '..')

/** A temporary directory that other users may enter. */
export const SHARED_DIRECTORY = [tmpdir(), '/tmp', '/var/tmp'].find(isOpenToAll)

/** Whether another user can run drover on the files of a test: root has to become the user `nobody` for that. */
export const CAN_DROP_PRIVILEGES =
  process.getuid?.() !== 0 || [ROOT, dirname(process.execPath), tmpdir()].every(isOpenToAll)

function isOpenToAll(directory: string): boolean {
  const parent = dirname(directory)
  const { mode } = statSync(directory, { throwIfNoEntry: false }) ?? { mode: 0 }
  return (mode & 0o001) !== 0 && (parent === directory || isOpenToAll(parent))
}

/**
 * Imports a module in another process, which belongs to another user if root runs the tests, and returns what the code
 * there calls `result`. Needs CAN_DROP_PRIVILEGES.
 */
export function evaluateUnprivileged(module: string, code: string): unknown {
  const uid = process.getuid?.() === 0 ? NOBODY_UID : undefined
  const script = `import * as module from ${JSON.stringify(module)}\n${code}\nconsole.log(JSON.stringify(result))`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
    ...(uid !== undefined && { uid }),
  })
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout)
}

/** If root runs the tests, runs `act` as another user. The whole process has that user meanwhile. */
export async function unprivileged<T>(act: () => T | Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return act()
  process.seteuid?.(NOBODY_UID)
  try {
    return await act()
  } finally {
    process.seteuid?.(0)
  }
}
