import { toActionId, toRunId } from '../../runs/named-parts.ts'
import { skipAction } from '../../runs/skip-action.ts'
import type { Run } from '../command.ts'
import { atDesk } from './run-desk.ts'
import { tellState } from './tell-change.ts'

export const run: Run = (invocation) =>
  atDesk(invocation, async (desk) => {
    const { flags, runtime } = invocation
    const runId = toRunId(flags.text('run'))
    desk.runId = runId
    const actionId = toActionId(flags.text('action'))
    await tellState(runtime.terminal.out, await skipAction(await desk.open(), runId, actionId))
    return 0
  })
