/** The verdict on a run, for commands that show any run. */
import type { RunVerdict } from '../../contract/run-verdict.shape.ts'
import { readVerdict } from '../../drive/read-verdict.ts'
import { readDrive } from '../../drive/record/drive-journal.ts'
import { ignoreFault } from '../../kit/fault.ts'
import { outlineRun, type RunOutline } from '../../runs/read-status.ts'
import type { RunContext } from '../../runs/run-context.ts'
import { asOwner } from '../../runs/run-worktree.ts'

/** Undefined if the run is not driven. `run` is read if it belongs to another worktree. */
export async function findVerdict(
  context: RunContext,
  run: Pick<RunOutline, 'id'> & Partial<RunOutline>,
  name?: string,
): Promise<RunVerdict | undefined> {
  const drive = readDrive(context.store, run.id)
  if (drive === undefined) return undefined
  const outline = run.actions === undefined ? await outlineRun(asOwner(context, run.id), run.id) : (run as RunOutline)
  return await readVerdict(context, { run: outline, drive, name })
}

/** The same in a list, in which a run that cannot be read has none. */
export async function tryVerdict(...args: Parameters<typeof findVerdict>): Promise<RunVerdict | undefined> {
  return await findVerdict(...args).catch(ignoreFault)
}

export function withVerdict<R extends object>(run: R, verdict: RunVerdict | undefined): R {
  return verdict === undefined ? run : { ...run, verdict }
}
