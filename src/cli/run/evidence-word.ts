/** Whether a command that an outcome lists was seen to end as it says. Pure. */
import type { Activity } from '../../contract/outcome.shape.ts'
import { cleanText } from '../../drive/prompt/fence.ts'
import type { Claim } from '../../drive/record/drive-event.shape.ts'
import { type DriveState, judgedAttempts } from '../../drive/record/drive-state.ts'

type Ran = Pick<Activity, 'command' | 'exit_code'>

/** `reported` if no one has compared it, as in a run of a host. */
export function evidenceWord(
  { command, exit_code: exitCode }: Ran,
  { action_id: id }: { readonly action_id: string },
  drive: Pick<DriveState, 'attempts'> | undefined,
): Claim['verdict'] | 'reported' {
  const attempt = drive && judgedAttempts(drive).find(({ action_id }) => action_id === id)
  const isCheck = attempt?.checks.some((run) => cleanText(run.command) === command && run.exit_code === exitCode)
  if (isCheck === true) return 'observed'
  const claims = attempt?.evidence?.claims.filter(({ about }) => about === 'activity') ?? []
  return claims.find(({ subject, exit_code }) => subject === command && exit_code === exitCode)?.verdict ?? 'reported'
}
