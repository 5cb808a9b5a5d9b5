import { existsSync } from 'node:fs'
import type { DriveState } from '../../drive/record/drive-state.ts'
import type { RunOutline } from '../../runs/read-status.ts'
import { shortNameOf } from '../../runs/resolve-run-id.ts'
import type { RunContext } from '../../runs/run-context.ts'
import type { Invocation } from '../command.ts'
import { isDelivered } from '../output/drive-text.ts'
import type { ViewOptions } from './run-view.ts'

/** What the view of a run shows beside the run. `driven` is undefined if no `drover drive` works on it. */
export function viewOptionsOf(
  { flags, runtime }: Invocation,
  { context, run, driven }: { context: RunContext; run: RunOutline; driven: DriveState | undefined },
): ViewOptions {
  return {
    now: runtime.clock.now(),
    name: shortNameOf(context, run.id),
    root: flags.text('root'),
    isDriven: driven !== undefined,
    isDelivered: driven !== undefined && isDelivered(driven),
    isRemoved: driven !== undefined && !existsSync(run.workspace),
    out: runtime.terminal.out,
  }
}
