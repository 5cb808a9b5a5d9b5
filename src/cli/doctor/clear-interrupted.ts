import type { WorkspaceIdentity } from '../../contract/workspace-identity.shape.ts'
import { clearChanges, inspectChanges } from '../../hosts/change/inspect-changes.ts'
import { realTreeDisk } from '../../hosts/tree-disk.ts'
import { openWorktree } from '../../hosts/worktree.ts'

type Clearing = { workspace: WorkspaceIdentity; signal: AbortSignal; say: (line: string) => Promise<unknown> }

/** Says what was left behind, then ends every change that was cut off, and says what became of it. */
export async function clearInterrupted({ workspace, signal, say }: Clearing): Promise<void> {
  const { left } = await look(workspace)
  if (left.length === 0) {
    await say('no install was interrupted, nothing to clear')
    return
  }
  for (const { says } of left) await say(`found: ${says}`)
  const { obstacles, warnings } = await clearChanges({ workspace, signal })
  for (const line of [...warnings, ...obstacles]) await say(line)
  const remaining = (await look(workspace)).left.length
  await say(`${left.length - remaining} of ${left.length} cleared`)
}

async function look(workspace: WorkspaceIdentity) {
  using tree = openWorktree(workspace.worktree_root, realTreeDisk)
  return await inspectChanges(workspace, tree)
}
