import { endTree } from './end-tree.ts'
import { ProcessTree, READS_ENVIRONMENTS } from './process-tree.ts'

/** No process has this number, and no group. */
const NOBODY = -1
const GRACE_MS = 2000

/**
 * Ends what a process that is gone has left running: everybody whose environment holds the mark. Environments can be read
 * on Linux only; elsewhere nobody is found.
 */
export async function endMarked(mark: string): Promise<void> {
  if (!READS_ENVIRONMENTS) return
  await endTree(new ProcessTree({ pid: NOBODY, treeId: mark }), { firstSignal: 'SIGTERM', graceMs: GRACE_MS })
}
