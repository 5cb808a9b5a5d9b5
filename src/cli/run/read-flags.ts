/** Arguments that several commands on runs have. */
import { parseRunId } from '../../runs/parse-ids.ts'
import type { Flags } from '../command.ts'
import { flagValueInvalid } from '../faults.ts'
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

/** Refuses what is not a number. The range has its own fault and is checked with the rest of the request. */
export function readBudget(flags: Flags): number | undefined {
  const given = flags.text('budget')
  if (given === undefined || /^(?:0|-?[1-9][0-9]{0,8})$/.test(given)) return flags.integer('budget')
  throw flagValueInvalid({ flag: '--budget', given, allowed: 'a whole number from 1 to 1000' })
}
