import { toActionId, toRunId } from '../../runs/named-parts.ts'
import { skipAction } from '../../runs/skip-action.ts'
import type { Run } from '../command.ts'
import { atDesk } from '../runs/run-desk.ts'
import { tellState } from '../runs/tell-change.ts'

export const run: Run = (invocation) =>
  atDesk(invocation, async (desk) => {
    const { flags, world } = invocation
    const runId = toRunId(flags.text('run'))
    desk.runId = runId
    const actionId = toActionId(flags.text('action'))
    await tellState(world.terminal.out, await skipAction(await desk.open(), runId, actionId))
    return 0
  })
