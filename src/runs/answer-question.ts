import type { ProtocolState } from '../contract/protocol-state.shape.ts'
import { answer } from '../engine/operations/answer.ts'
import type { Answer } from '../engine/state/answer-digest.ts'
import { changeRun, reportChange } from './change-run.ts'
import type { RunContext } from './run-context.ts'

/** Gives a run what a person answered, or what they allow it to destroy. */
export async function answerQuestion(context: RunContext, runId: string, given: Answer): Promise<ProtocolState> {
  const { run } = await changeRun(context, runId, { decide: (before, facts) => answer(before, given, facts) })
  return reportChange(run)
}
