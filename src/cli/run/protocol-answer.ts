import { answerFileRequired, answerModeConflict } from '../../runs/faults.ts'
import { answerQuestion } from '../../runs/operations.ts'
import { parseActionId } from '../../runs/parse-ids.ts'
import { parseAnswer } from '../../runs/parse-request.ts'
import { ANSWER_INPUT, decodeAnswer } from '../../runs/text-inputs.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { readInput } from '../read-input.ts'
import { withWorkspace } from '../workspace-command.ts'
import { openRuns } from './open-runs.ts'
import { printState } from './print-change.ts'
import { completeRunId, readRunId } from './read-flags.ts'

export const run: RunCommand = (invocation) =>
  withWorkspace(invocation, async (command) => {
    const { flags, runtime } = invocation
    const typed = await readRunId(command, flags.text('run'))
    const actionId = parseActionId(flags.text('action'))
    const answer = parseAnswer({
      actionId,
      text: await readText(invocation),
      confirmDestructive: flags.isOn('confirm-destructive'),
      scopeSha256: flags.text('scope-sha256'),
    })
    const context = await openRuns(command, runtime)
    const runId = completeRunId(command, context, typed)
    await printState(runtime.terminal.out, await answerQuestion(context, runId, answer))
    return 0
  })

/** The answer, unchanged; undefined without one. */
async function readText({ flags, runtime }: Invocation): Promise<string | undefined> {
  const [text, file, isStdin] = [flags.text('text'), flags.text('text-file'), flags.isOn('text-stdin')]
  const modes = [text !== undefined, file !== undefined, isStdin].filter(Boolean)
  if (modes.length > 1) throw answerModeConflict({})
  if (file === '') throw answerFileRequired({})
  return file === undefined && !isStdin ? text : decodeAnswer(await readInput({ ...ANSWER_INPUT, file, runtime }))
}
