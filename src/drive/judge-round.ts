/** Records what became of the requirements of a round, when its work is delivered. */
import { outlineRun } from '../runs/read-status.ts'
import { toFollowRecord } from './decide/follow-record.ts'
import { judgeRequirements } from './decide/judge-requirements.ts'
import { type DriveContext, readDriveState, record } from './drive-context.ts'
import { unresolvedIn } from './merge-base.ts'
import { committedBetween } from './observe-tree.ts'
import { surroundings } from './read-verdict.ts'

/** Once. */
export async function judgeRound(context: DriveContext): Promise<void> {
  const { runs, runId } = context
  const state = readDriveState(context)
  const { requirements = [], delivered, judged } = state
  if (requirements.length === 0 || delivered === undefined || judged !== undefined) return
  const run = await outlineRun(runs, runId)
  const { earlier } = surroundings(runs.store, state)
  const before = lastCommit(earlier)
  const isDelivered = delivered.as !== 'none'
  const { commit } = delivered
  const verdicts = judgeRequirements({
    requirements,
    observations: run.actions.flatMap(({ outcome }) => outcome?.observations ?? []),
    commit,
    changed: before && commit ? await committedBetween(context, before, commit) : [],
    unresolved: unresolvedIn(context, requirements),
    failure: isDelivered ? undefined : (delivered.note ?? 'there is no commit'),
  })
  record(context, 'requirements_judged', { verdicts })
}

/** What the round began with. */
function lastCommit(earlier: Parameters<typeof toFollowRecord>[0]): string | undefined {
  return (
    toFollowRecord(earlier).commit ??
    earlier.find(({ delivered }) => delivered?.commit !== undefined)?.delivered?.commit
  )
}
