import { resolve } from 'node:path'
import { LIMITS } from '../../contract/limits.ts'
import type { RawSourceEnvelope } from '../../contract/raw-source-envelope.shape.ts'
import { Fault } from '../../kit/fault.ts'
import { parseRunId, resolveRunId } from '../../runs/resolve-run-id.ts'
import type { RunContext } from '../../runs/run-context.ts'
import { readEnvelope } from '../../source/read-source.ts'
import type { Flags, Runtime } from '../command.ts'
import { flagValueInvalid } from '../faults.ts'
import { readInput } from '../read-input.ts'
import { offer } from '../remedies.ts'
import type { WorkspaceCommand } from '../workspace-command.ts'

/** Checks the id and tells `command` which run it is about. If there is no id, the failure offers `variant`. */
export async function readRunId(
  command: WorkspaceCommand,
  given: string | undefined,
  variant: 'none' | 'inspect-runs' | 'list-runs' = 'none',
): Promise<string> {
  const runId = await command.suggesting({ next: (workspace) => offer(variant, workspace) }, () => parseRunId(given))
  command.runId = runId
  return runId
}

/** Completes the id, so that messages and offered commands have the full one. */
export function completeRunId(command: WorkspaceCommand, context: RunContext, given: string): string {
  command.runId = resolveRunId(context, given)
  return command.runId
}

/**
 * Refuses what is not a whole number. Range and spelling have their own fault and are checked with the rest of the request: a
 * number in another spelling stays a text.
 */
export function readBudget(flags: Flags): number | string | undefined {
  const given = flags.text('budget')
  if (given === undefined || /^(?:0|-?[1-9][0-9]{0,8})$/.test(given)) return flags.integer('budget')
  if (/^[+-]?[0-9]+$/.test(given)) return given
  throw flagValueInvalid({ flag: '--budget', given, allowed: 'a whole number from 1 to 1000' })
}

type EnvelopeFile = {
  runtime: Runtime
  file: string
  /** The fault of the command, whatever is wrong with the file. */
  refuse: (facts: { problem: string }, cause: Fault) => Fault
}

/** Reads an envelope from a file. The fault does not name the path, because it may be shown on another machine. */
export async function readEnvelopeFile({ runtime, file, refuse }: EnvelopeFile): Promise<RawSourceEnvelope> {
  try {
    const bytes = await readInput({ runtime, file, limitBytes: LIMITS.envelopeBytes })
    return readEnvelope(bytes, { input: 'it' })
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    throw refuse({ problem: error.message.replaceAll(resolve(runtime.cwd, file), 'the file') }, error)
  }
}
