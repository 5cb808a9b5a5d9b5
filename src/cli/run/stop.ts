import { outlineRuns } from '../../runs/list-runs.ts'
import { toRunId } from '../../runs/named-parts.ts'
import { onlyStoppable, stopRun } from '../../runs/stop-run.ts'
import type { Run } from '../command.ts'
import { listRunsAt } from './run-advice.ts'
import { atDesk, type Expectation } from './run-desk.ts'
import { sayStopped } from './run-text.ts'
import { tellChange, tellState } from './tell-change.ts'

/** Whoever has to name a run needs a list of them. */
const LISTED: Expectation = { next: listRunsAt }

export const run: Run = (invocation) =>
  atDesk(invocation, async (desk) => {
    const { args, flags, runtime } = invocation
    const { out } = runtime.terminal
    const [word] = args
    desk.runId = await desk.expecting(LISTED, () => (word === undefined ? undefined : toRunId(word)))
    const context = await desk.open()
    const runId = desk.runId ?? (await desk.expecting(LISTED, async () => onlyStoppable(await outlineRuns(context))))
    desk.runId = runId
    const state = await stopRun(context, runId)
    await (flags.isOn('json') ? tellState(out, state) : tellChange(out, sayStopped(state)))
    return 0
  })
