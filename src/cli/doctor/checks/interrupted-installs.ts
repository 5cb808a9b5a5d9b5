import type { WorkspaceIdentity } from '../../../contract/workspace-identity.shape.ts'
import { clearChanges, inspectChanges } from '../../../hosts/change/recover-changes.ts'
import { openWorktree, realTreeDisk } from '../../../hosts/worktree.ts'
import { inWorktree } from './doctor-check.ts'
import { defineFindings, ok, problem } from './finding.ts'

export const INTERRUPTED = defineFindings('Hosts', 'interrupted installs', {
  install_settled: ok('Every install and uninstall has finished, or is running right now.'),
  install_interrupted: problem(
    'An install or uninstall was interrupted. A folder `.drover-recovery-…` holds the previous files.',
    'run drover doctor --clear-interrupted',
  ),
})

/** A recovery folder without a record has no host. Drover does not delete it, so its detail says what to do. */
export const checkInterruptedInstalls = inWorktree(async (workspace) => {
  const { left, isRunning } = await findInterrupted(workspace)
  if (isRunning) return [INTERRUPTED.install_settled({ detail: 'another process is changing hosts right now' })]
  if (left.length === 0) return [INTERRUPTED.install_settled({ detail: 'no install was interrupted' })]
  return left.map(({ hosts, text }) => {
    const [host, ...others] = hosts
    const facts = { detail: text, host: others.length === 0 ? host : undefined }
    return INTERRUPTED.install_interrupted(host === undefined ? { ...facts, todo: undefined } : facts)
  })
})

type ClearOptions = {
  workspace: WorkspaceIdentity
  signal: AbortSignal
  print: (line: string) => Promise<unknown>
}

/** For `--clear-interrupted`: finishes or undoes every interrupted install, and prints what it found and did. */
export async function clearInterruptedInstalls({ workspace, signal, print }: ClearOptions): Promise<void> {
  const { left } = await findInterrupted(workspace)
  if (left.length === 0) {
    await print('no install was interrupted, nothing to clear')
    return
  }
  for (const { text } of left) await print(`found: ${text}`)
  const { obstacles, warnings } = await clearChanges({ workspace, signal })
  for (const line of [...warnings, ...obstacles]) await print(line)
  const remaining = (await findInterrupted(workspace)).left.length
  await print(`${left.length - remaining} of ${left.length} cleared`)
}

async function findInterrupted(workspace: WorkspaceIdentity) {
  using tree = openWorktree(workspace.worktree_root, realTreeDisk)
  return await inspectChanges(workspace, tree)
}
