import { invalidSourceCandidate } from '../../runs/faults.ts'
import { nextForResume } from '../../runs/next-after-input.ts'
import { parseResume } from '../../runs/parse-request.ts'
import { resumeRun } from '../../runs/resume-run.ts'
import type { RunCommand } from '../command.ts'
import { withWorkspace } from '../workspace-command.ts'
import { openRuns } from './open-runs.ts'
import { printState } from './print-change.ts'
import { readEnvelopeFile } from './read-envelope-file.ts'
import { completeRunId, readBudget, readRunId } from './read-flags.ts'

export const run: RunCommand = (invocation) =>
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
