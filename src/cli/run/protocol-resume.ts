import { invalidSourceCandidate } from '../../runs/faults.ts'
import { toRunId } from '../../runs/named-parts.ts'
import { toResumption } from '../../runs/request-words.ts'
import { adviseResume, resumeRun } from '../../runs/resume-run.ts'
import type { Run } from '../command.ts'
import { readBudget } from './read-budget.ts'
import { readEnvelopeFile } from './read-envelope-file.ts'
import { atDesk } from './run-desk.ts'
import { tellState } from './tell-change.ts'

export const run: Run = (invocation) =>
  atDesk(invocation, async (desk) => {
    const { args, flags, runtime } = invocation
    const budget = readBudget(flags)
    const runId = toRunId(args[0])
    desk.runId = runId
    const file = flags.text('source-file')
    const asked = toResumption({
      budget,
      sourceFile: file,
      usePinnedSource: flags.isOn('use-pinned-source'),
      sourceChoice: flags.text('source-choice'),
      candidate: flags.text('candidate'),
    })
    const context = await desk.open()
    const another = { next: () => adviseResume(context, runId, { budget }) }
    const envelope = await desk.expecting(another, () =>
      file === undefined ? undefined : readEnvelopeFile({ runtime, file, refuse: invalidSourceCandidate }),
    )
    await tellState(runtime.terminal.out, await resumeRun(context, runId, { ...asked, envelope }))
    return 0
  })
