import { makeVariant } from '../../contract/next-variants.ts'
import { outcomeFileRequired, outcomeModeRequired, runInterrupted } from '../../runs/faults.ts'
import { parseActionId } from '../../runs/parse-ids.ts'
import { OUTCOME_INPUT } from '../../runs/text-inputs.ts'
import type { Run } from '../command.ts'
import { readInput } from '../read-input.ts'
import { type Suggestion, withWorkspace } from '../workspace-command.ts'
import { openRuns } from './open-runs.ts'
import { printState } from './print-change.ts'
import { completeRunId, readRunId } from './read-flags.ts'

export const run: Run = (invocation) =>
  withWorkspace(invocation, async (command) => {
    const { flags, runtime } = invocation
    const typed = await readRunId(command, flags.text('run'))
    const actionId = parseActionId(flags.text('action'))
    const [file, isStdin] = [flags.text('outcome-file'), flags.isOn('outcome-stdin')]
    if ((file !== undefined) === isStdin) throw outcomeModeRequired({})
    if (file === '') throw outcomeFileRequired({})

    // The modules load while git answers.
    const [context, { readOutcome }, { submitOutcome }] = await Promise.all([
      openRuns(command, runtime),
      import('../../runs/read-outcome.ts'),
      import('../../runs/operations.ts'),
    ])
    const runId = completeRunId(command, context, typed)
    const variant = isStdin ? 'submit-outcome-stdin' : 'submit-outcome-file'
    const submitAgain: Suggestion = {
      isUsage: true,
      next: ({ id, root }) => ({
        operation: 'action',
        workspace_identity: id,
        variants: [makeVariant(variant, { RUN: runId, ACTION: actionId, ROOT: root })],
      }),
    }
    const { signal } = context
    const interrupted = (cause: unknown) => runInterrupted({}, cause)
    const outcome = await command.suggesting(submitAgain, async () =>
      readOutcome(await readInput({ ...OUTCOME_INPUT, file, runtime, signal, interrupted })),
    )
    await printState(runtime.terminal.out, await submitOutcome(context, runId, { actionId, ...outcome }))
    return 0
  })
