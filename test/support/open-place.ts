/** For tests of what somebody without permission may do, also when they are run by root, who may do everything. */
import { statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const NOBODY = 65_534
const ROOT = join(import.meta.dirname, '..', '..')

/** Where somebody else may enter; the temporary directory of a test run is often closed to others. */
export const OPEN_PLACE = [tmpdir(), '/tmp', '/var/tmp'].find(isOpenToAll)

/** Whether somebody without permission can run drover on what a test makes: root has to become nobody for that. */
export const CAN_BE_NOBODY = process.getuid?.() !== 0 || [ROOT, dirname(process.execPath), tmpdir()].every(isOpenToAll)

function isOpenToAll(directory: string): boolean {
  const parent = dirname(directory)
  const { mode } = statSync(directory, { throwIfNoEntry: false }) ?? { mode: 0 }
  return (mode & 0o001) !== 0 && (parent === directory || isOpenToAll(parent))
}

/** Root becomes somebody else for a while. Whatever else this process does meanwhile, it does as that user. */
export async function unprivileged<T>(act: () => T | Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return act()
  process.seteuid?.(NOBODY)
  try {
    return await act()
  } finally {
    process.seteuid?.(0)
  }
}
