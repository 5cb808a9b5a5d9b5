import { makeVariant } from '../../contract/next-variants.ts'
import { outcomeFileRequired, outcomeModeRequired, runInterrupted } from '../../runs/faults.ts'
import { OUTCOME } from '../../runs/given-text.ts'
import { toActionId, toRunId } from '../../runs/named-parts.ts'
import type { Run } from '../command.ts'
import { readInput } from '../read-input.ts'
import type { Place } from './run-advice.ts'
import { atDesk, type Expectation } from './run-desk.ts'
import { tellState } from './tell-change.ts'

export const run: Run = (invocation) =>
  atDesk(invocation, async (desk) => {
    const { flags, runtime } = invocation
    const runId = toRunId(flags.text('run'))
    desk.runId = runId
    const actionId = toActionId(flags.text('action'))
    const [file, isStdin] = [flags.text('outcome-file'), flags.isOn('outcome-stdin')]
    if ((file !== undefined) === isStdin) throw outcomeModeRequired({})
    if (file === '') throw outcomeFileRequired({})

    // While git is asked where this is, there is time to load what only that can be done with.
    const [context, { readOutcome }, { submitOutcome }] = await Promise.all([
      desk.open(),
      import('../../runs/read-outcome.ts'),
      import('../../runs/submit-outcome.ts'),
    ])
    const variant = isStdin ? 'submit-outcome-stdin' : 'submit-outcome-file'
    const again: Expectation = {
      isUsage: true,
      next: ({ id, root }: Place) => ({
        operation: 'action',
        workspace_identity: id,
        variants: [makeVariant(variant, { RUN: runId, ACTION: actionId, ROOT: root })],
      }),
    }
    const { signal } = context
    const interrupted = (cause: unknown) => runInterrupted({}, cause)
    const read = await desk.expecting(again, async () =>
      readOutcome(await readInput({ ...OUTCOME, file, runtime, signal, interrupted })),
    )
    await tellState(runtime.terminal.out, await submitOutcome(context, runId, { actionId, ...read }))
    return 0
  })
