import { answerFileRequired, answerModeConflict, invalidSourceCandidate } from '../../runs/faults.ts'
import { nextForResume } from '../../runs/next-after-input.ts'
import { answerQuestion, skipAction } from '../../runs/operations.ts'
import { parseAnswer, parseResume } from '../../runs/parse-request.ts'
import { readActionMaterial } from '../../runs/read-material.ts'
import { parseActionId, parseSectionKey } from '../../runs/resolve-run-id.ts'
import { resumeRun } from '../../runs/resume-run.ts'
import { ANSWER_INPUT, decodeAnswer } from '../../runs/text-inputs.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { readInput } from '../read-input.ts'
import { withWorkspace } from '../workspace-command.ts'
import { openRuns } from './open-runs.ts'
import { printState, toJsonLine } from './print-change.ts'
import { completeRunId, readBudget, readEnvelopeFile, readRunId } from './read-flags.ts'

export const answer: RunCommand = (invocation) =>
  withWorkspace(invocation, async (command) => {
    const { flags, runtime } = invocation
    const typed = await readRunId(command, flags.text('run'))
    const actionId = parseActionId(flags.text('action'))
    const answer = parseAnswer({
      actionId,
      text: await readAnswer(invocation),
      confirmDestructive: flags.isOn('confirm-destructive'),
      scopeSha256: flags.text('scope-sha256'),
    })
    const context = await openRuns(command, runtime)
    const runId = completeRunId(command, context, typed)
    await printState(runtime.terminal.out, await answerQuestion(context, runId, answer))
    return 0
  })

/** The answer, unchanged; undefined without one. */
async function readAnswer({ flags, runtime }: Invocation): Promise<string | undefined> {
  const [text, file, isStdin] = [flags.text('text'), flags.text('text-file'), flags.isOn('text-stdin')]
  const modes = [text !== undefined, file !== undefined, isStdin].filter(Boolean)
  if (modes.length > 1) throw answerModeConflict({})
  if (file === '') throw answerFileRequired({})
  return file === undefined && !isStdin ? text : decodeAnswer(await readInput({ ...ANSWER_INPUT, file, runtime }))
}

export const skip: RunCommand = (invocation) =>
  withWorkspace(invocation, async (command) => {
    const { flags, runtime } = invocation
    const typed = await readRunId(command, flags.text('run'))
    const actionId = parseActionId(flags.text('action'))
    const context = await openRuns(command, runtime)
    const runId = completeRunId(command, context, typed)
    await printState(runtime.terminal.out, await skipAction(context, runId, actionId))
    return 0
  })

export const resume: RunCommand = (invocation) =>
  withWorkspace(invocation, async (command) => {
    const { args, flags, runtime } = invocation
    const budget = readBudget(flags)
    const typed = await readRunId(command, args[0])
    const file = flags.text('source-file')
    const resumption = parseResume({
      budget,
      sourceFile: file,
      usePinnedSource: flags.isOn('use-pinned-source'),
      sourceChoice: flags.text('source-choice'),
      candidate: flags.text('candidate'),
    })
    const context = await openRuns(command, runtime)
    const runId = completeRunId(command, context, typed)
    const resumeAgain = { next: () => nextForResume(context, runId, { budget: resumption.budget }) }
    const envelope = await command.suggesting(resumeAgain, () =>
      file === undefined ? undefined : readEnvelopeFile({ runtime, file, refuse: invalidSourceCandidate }),
    )
    await printState(runtime.terminal.out, await resumeRun(context, runId, { ...resumption, envelope }))
    return 0
  })

export const material: RunCommand = (invocation) =>
  withWorkspace(invocation, async (command) => {
    const { flags, runtime } = invocation
    const typed = await readRunId(command, flags.text('run'), 'inspect-runs')
    const actionId = parseActionId(flags.text('action'))
    const key = parseSectionKey(flags.text('section'))
    const context = await openRuns(command, runtime)
    const runId = completeRunId(command, context, typed)
    const material = await readActionMaterial(context, { runId, actionId, key })
    await runtime.terminal.out.write(toJsonLine(material))
    return 0
  })
