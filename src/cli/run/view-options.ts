import { existsSync } from 'node:fs'
import { readVerdict } from '../../drive/read-verdict.ts'
import { readDrive } from '../../drive/record/drive-journal.ts'
import type { RunOutline } from '../../runs/read-status.ts'
import { shortenKnownRunId } from '../../runs/resolve-run-id.ts'
import type { RunContext } from '../../runs/run-context.ts'
import type { Invocation } from '../command.ts'
import type { ViewOptions } from './run-view.ts'

/** What the view of a run shows beside the run. */
export async function readViewOptions(
  { flags, runtime }: Invocation,
  context: RunContext,
  run: RunOutline,
): Promise<ViewOptions> {
  const drive = readDrive(context.store, run.id)
  const name = shortenKnownRunId(context, run.id)
  return {
    now: runtime.clock.now(),
    name,
    root: flags.text('root'),
    // In a pipe, ids are whole.
    verdict: drive && (await readVerdict(context, { run, drive, ...(runtime.terminal.out.isTty && { name }) })),
    isRemoved: drive !== undefined && !existsSync(run.workspace),
    out: runtime.terminal.out,
  }
}
