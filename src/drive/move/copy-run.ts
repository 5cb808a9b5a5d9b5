/** Copies a run that is driven, with the work in its worktree. */
import { readRunFiles } from '../../journal/copy-records.ts'
import { packWorktree } from '../../workspace/worktrees/pack-worktree.ts'
import { type DriveContext, readDriveState } from '../drive-context.ts'
import { roundsOf } from '../read-verdict.ts'
import { readDriveEvents } from '../record/drive-journal.ts'
import { findDriven } from '../record/driven-records.ts'
import type { RunCopy } from '../record/run-copy.shape.ts'

/** `records` is the directory with those of all runs. Undefined if the run works in a directory of the user. */
export async function copyRun({ runs, journal }: DriveContext, records: string): Promise<RunCopy | undefined> {
  const state = readDriveState({ journal })
  const { place } = state
  if (place.kind !== 'worktree') return undefined
  const { git, signal, workspace, store } = runs
  const { head, commit, pack } = await packWorktree({ git, signal, workspace, base: place.base })
  const rounds = roundsOf(store, state)
    .toReversed()
    .flatMap(({ run_id: id }) => {
      const record = findDriven(records, id)
      const files = readRunFiles(store, id).map(({ name, bytes }) => ({ name, content: bytes.toString('base64') }))
      return record === undefined ? [] : [{ record, events: readDriveEvents(store, id).length, files }]
    })
  if (rounds.length === 0) return undefined
  return {
    version: 1,
    git_common_dir: workspace.git_common_dir,
    ...{ root: place.root, branch: place.branch, base: place.base },
    ...{ head, commit, pack: pack.toString('base64') },
    rounds,
  }
}
