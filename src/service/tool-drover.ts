/** What tools for models need: start work in the background, find it by its id, follow it, cancel it. */
import type { DrivenRun } from '../drive/service/driven-run.shape.ts'
import type { Ids } from '../kit/ids.ts'
import type { Caller } from '../prompts/caller.ts'
import type { DroverService } from './drover-service.ts'
import type { StartBody } from './run-requests.shape.ts'
import { toStartRequest } from './run-requests.ts'

export type ToolDrover = {
  readonly prompts: Started<DroverService['prompts']>
  readonly batches: Started<Pick<DroverService['batches'], 'compare'>> & Pick<DroverService['batches'], 'keep'>
  readonly executions: Pick<DroverService['executions'], 'find' | 'follow' | 'cancel' | 'say' | 'decide'>
  readonly runs: Pick<DroverService['runs'], 'show' | 'follow' | 'answer' | 'followUp' | 'move' | 'act'>
  readonly budgets: DroverService['budgets']
  /** Takes what the HTTP API takes. */
  startRun(by: Caller, body: StartBody): Promise<DrivenRun>
}

type Started<Starters> = {
  [Name in keyof Starters]: Starters[Name] extends (...given: infer Given) => Promise<unknown>
    ? (...given: Given) => Promise<{ readonly id: string }>
    : never
}

/** The service of this process, for its tools. `over-socket.ts` has that of the user's server. */
export function toToolDrover(drover: DroverService, ids: Ids): ToolDrover {
  return {
    ...drover,
    startRun: async (by, body) => await drover.runs.start(by, { ...toStartRequest(body), runId: ids.uuid() }),
  }
}
