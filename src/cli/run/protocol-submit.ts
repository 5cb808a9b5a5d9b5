import { isFault } from '../../kit/fault.ts'
import { contractVersionMismatch, outcomeFileRequired, outcomeModeRequired, runInterrupted } from '../../runs/faults.ts'
import { nextForSubmit } from '../../runs/next-after-input.ts'
import { parseActionId } from '../../runs/resolve-run-id.ts'
import type { RunContext } from '../../runs/run-context.ts'
import { OUTCOME_INPUT } from '../../runs/text-inputs.ts'
import type { RunCommand } from '../command.ts'
import { readInput } from '../read-input.ts'
import { offer } from '../remedies.ts'
import { type Suggestion, withWorkspace } from '../workspace-command.ts'
import { openRuns } from './open-runs.ts'
import { printState } from './print-change.ts'
import { completeRunId, readRunId } from './read-flags.ts'

export const run: RunCommand = (invocation) =>
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
      next: async (workspace, error) =>
        isOfOtherVersion(error) && (await hasHosts(context))
          ? offer('refresh-adapters', workspace)
          : await nextForSubmit(context, runId, { actionId, variant }),
    }
    const { signal } = context
    const interrupted = (cause: unknown) => runInterrupted({}, cause)
    const outcome = await command.suggesting(submitAgain, async () =>
      readOutcome(await readInput({ ...OUTCOME_INPUT, file, runtime, signal, interrupted })),
    )
    await printState(runtime.terminal.out, await submitOutcome(context, runId, { actionId, ...outcome }))
    return 0
  })

function isOfOtherVersion(error: unknown): boolean {
  return isFault(error, contractVersionMismatch)
}

/** Whether drover is installed into a host, whose files may be old. */
async function hasHosts({ workspace }: RunContext): Promise<boolean> {
  const { listHosts } = await import('../../hosts/list/list-hosts.ts')
  const { hosts } = await listHosts(workspace)
  return hosts.some(({ installed }) => installed)
}
