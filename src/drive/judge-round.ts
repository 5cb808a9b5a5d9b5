/** Records what became of the requirements of a round, when its work is delivered. */
import { outlineRun } from '../runs/read-status.ts'
import { askGit } from '../workspace/git.ts'
import { toFollowRecord } from './decide/follow-record.ts'
import { judgeRequirements } from './decide/judge-requirements.ts'
import { type DriveContext, readDriveState, record } from './drive-context.ts'
import { unresolvedIn } from './merge-base.ts'
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
  const verdicts = judgeRequirements({
    requirements,
    observations: run.actions.flatMap(({ outcome }) => outcome?.observations ?? []),
    commit: delivered.commit,
    changed: await changedBetween(context, before, delivered.commit),
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

async function changedBetween(
  { runs }: DriveContext,
  from: string | undefined,
  to: string | undefined,
): Promise<string[]> {
  if (from === undefined || to === undefined) return []
  const args = ['diff', '--name-only', '-z', '--no-ext-diff', '--no-renames', from, to] as const
  const directory = runs.workspace.worktree_root
  const { stdout } = await askGit(runs.git, { directory, args, signal: new AbortController().signal })
  return stdout.toString('utf8').split('\0').filter(Boolean)
}
