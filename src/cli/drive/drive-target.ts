/** What `drover drive` is about: a run that exists, an issue, or a goal. */
import type { DriveTarget } from '../../drive/start/start-drive.ts'
import { goalFileRequired } from '../../runs/faults.ts'
import { outlineRuns } from '../../runs/read-status.ts'
import type { RunContext } from '../../runs/run-context.ts'
import { decodeGoal, GOAL_INPUT } from '../../runs/text-inputs.ts'
import { chooseWaitingRun } from '../../runs/waiting-run.ts'
import { findIssueUrl } from '../../source/issue-address.ts'
import type { Invocation } from '../command.ts'
import { flagsConflict } from '../faults.ts'
import { readInput } from '../read-input.ts'
import { driveTargetMissing } from './faults.ts'

const LIKE_RUN_ID = /^[0-9a-f]{4,}[0-9a-f-]*$/
const OWN_ISSUE = /^#([1-9][0-9]{0,9})$/

/** The text of a file is a goal, whatever it looks like. Undefined if nothing was named. */
export async function readTarget({ args, flags, runtime }: Invocation): Promise<DriveTarget | undefined> {
  const file = flags.text('goal-file')
  if (file === undefined) return parseTarget(args[0])
  if (args[0] !== undefined) throw flagsConflict({ flags: ['TARGET', '--goal-file'] })
  if (file === '') throw goalFileRequired({})
  return { is: 'goal', goal: decodeGoal(await readInput({ ...GOAL_INPUT, file, runtime })) }
}

/** The only run that has not ended. */
export async function findOpenRun(context: RunContext): Promise<DriveTarget> {
  const list = await outlineRuns(context)
  if (list.runs.every(({ state }) => state === 'ended')) throw driveTargetMissing({})
  const { run } = await chooseWaitingRun(context, list, 'drive')
  return { is: 'run', id: run.id }
}

/** Pure. A word of hexadecimal digits is the id of a run, so that a typo never becomes a goal. */
function parseTarget(text: string | undefined): DriveTarget | undefined {
  if (text === undefined) return undefined
  const trimmed = text.trim()
  if (trimmed === '') throw driveTargetMissing({})
  const number = OWN_ISSUE.exec(trimmed)?.[1]
  if (number !== undefined) return { is: 'own_issue', number: Number(number) }
  const url = /\s/.test(trimmed) ? undefined : findIssueUrl(trimmed)
  if (url !== undefined) return { is: 'issue', url }
  return LIKE_RUN_ID.test(trimmed) ? { is: 'run', id: trimmed } : { is: 'goal', goal: text }
}
