import { existsSync } from 'node:fs'
import { readDrive } from '../../drive/record/drive-journal.ts'
import type { RunOutline } from '../../runs/read-status.ts'
import { shortenKnownRunId } from '../../runs/resolve-run-id.ts'
import type { RunContext } from '../../runs/run-context.ts'
import type { Invocation } from '../command.ts'
import { isDelivered } from '../output/drive-text.ts'
import type { ViewOptions } from './run-view.ts'

/** What the view of a run shows beside the run. */
export function readViewOptions({ flags, runtime }: Invocation, context: RunContext, run: RunOutline): ViewOptions {
  const driven = readDrive(context.store, run.id)
  return {
    now: runtime.clock.now(),
    name: shortenKnownRunId(context, run.id),
    root: flags.text('root'),
    isDriven: driven !== undefined,
    isDelivered: driven !== undefined && isDelivered(driven),
    isRemoved: driven !== undefined && !existsSync(run.workspace),
    out: runtime.terminal.out,
  }
}
