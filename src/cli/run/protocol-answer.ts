import { answerQuestion } from '../../runs/answer-question.ts'
import { answerFileRequired, answerModeConflict } from '../../runs/faults.ts'
import { ANSWER, decodeAnswer } from '../../runs/given-text.ts'
import { toActionId, toRunId } from '../../runs/named-parts.ts'
import { toAnswer } from '../../runs/request-words.ts'
import type { Invocation, Run } from '../command.ts'
import { readInput } from '../read-input.ts'
import { atDesk } from './run-desk.ts'
import { tellState } from './tell-change.ts'

export const run: Run = (invocation) =>
  atDesk(invocation, async (desk) => {
    const { flags, runtime } = invocation
    const runId = toRunId(flags.text('run'))
    desk.runId = runId
    const actionId = toActionId(flags.text('action'))
    const given = toAnswer({
      actionId,
      text: await readText(invocation),
      confirmDestructive: flags.isOn('confirm-destructive'),
      scopeSha256: flags.text('scope-sha256'),
    })
    await tellState(runtime.terminal.out, await answerQuestion(await desk.open(), runId, given))
    return 0
  })

/** The answer, exactly as it was given; undefined where none was. */
async function readText({ flags, runtime }: Invocation): Promise<string | undefined> {
  const [text, file, isStdin] = [flags.text('text'), flags.text('text-file'), flags.isOn('text-stdin')]
  const modes = [text !== undefined, file !== undefined, isStdin].filter(Boolean)
  if (modes.length > 1) throw answerModeConflict({})
  if (file === '') throw answerFileRequired({})
  return file === undefined && !isStdin ? text : decodeAnswer(await readInput({ ...ANSWER, file, runtime }))
}
