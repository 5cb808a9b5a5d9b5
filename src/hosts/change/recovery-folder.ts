/**
 * The folder at the root of the worktree with everything that is needed to undo a change:
 *
 *     .drover-recovery-<32 hex>/new-<n>       the file that step n writes; the file in place is a hard link to it
 *     .drover-recovery-<32 hex>/snapshot-<n>  the file that step n moved aside; not a copy
 *
 * It is on the file system of the worktree, so files are moved and not copied. A change that ends well removes it.
 */
import { digest } from '../../kit/digest.ts'
import { Fault } from '../../kit/fault.ts'
import { readFileBytes } from '../../kit/files/read-file.ts'
import { stageFile } from '../../kit/files/write-file.ts'
import { hostPathBlocked } from '../faults.ts'
import { MANAGED_FILE_LIMIT_BYTES } from '../found-files.ts'
import type { Plan } from '../plan/plan.ts'
import { attempt, type Folder, type OpenWorktree, type TreeDisk } from '../worktree.ts'
import type { ChangeRecord } from './change-record.shape.ts'

const NAME = /^\.drover-recovery-[0-9a-f]{32}$/

export function recoveryName(id: string): string {
  return `.drover-recovery-${id}`
}

export function isRecoveryName(name: string): boolean {
  return NAME.test(name)
}

export function stagedName(step: number): string {
  return `new-${step}`
}

export function snapshotName(step: number): string {
  return `snapshot-${step}`
}

/** Creates the folder and stages every file that the change writes. */
export function stageFiles(plan: Plan, { id }: ChangeRecord, tree: OpenWorktree): void {
  const name = recoveryName(id)
  using root = tree.enter('')
  attempt(name, () => tree.disk.mkdirSync(root?.at(name) ?? '', { mode: 0o700 }))
  using folder = openRecovery(id, tree)
  attempt(name, () => {
    for (const [index, step] of plan.steps.entries()) {
      if (step.do !== 'create' && step.do !== 'replace') continue
      const file = { path: folder.at(stagedName(index)), bytes: Buffer.from(step.text), mode: step.mode }
      stageFile(file, tree.disk)
    }
    folder.sync()
    root?.sync()
  })
}

export function openRecovery(id: string, tree: OpenWorktree): Folder {
  const folder = tree.enter(recoveryName(id))
  if (folder === undefined) throw hostPathBlocked({ path: recoveryName(id), problem: 'it no longer exists' })
  return folder
}

/** Whether a regular file with this digest is there. */
export function isFileWith(expected: string | undefined, place: string, disk: TreeDisk): boolean {
  try {
    return digest(readFileBytes({ path: place, limitBytes: MANAGED_FILE_LIMIT_BYTES }, disk)) === expected
  } catch (error) {
    if (error instanceof Fault) return false
    throw error
  }
}
