/** Drives a run of the user in this process, for a person or for a program. A server lists the run too. */
import { type DriveBegin, driveRounds, type RoundsResult, type RoundsTools } from '../drive-rounds.ts'
import { asStarter, DrivenRecordWriter, type RecordWriterOptions, recordOfUser } from '../driven-record-writer.ts'
import { readTotals } from '../group-totals.ts'
import { type FoundDrive, lastingWorktree } from './start-drive.ts'

type UserDrive = Omit<RoundsTools, 'runs'> & Omit<RecordWriterOptions, 'clock'> & Pick<DriveBegin, 'optionsFrom'>

export async function driveUserRun(
  found: FoundDrive,
  { directories, onNoteFailure, optionsFrom, ...tools }: UserDrive,
): Promise<RoundsResult> {
  const { runId, begin, context: runs } = found
  const repository = lastingWorktree(found)
  const record = recordOfUser(directories.drivenRuns, { ...found, repository, env: tools.env })
  const note = new DrivenRecordWriter({ directories, onNoteFailure, clock: runs.clock }, record)
  const onUpdate: RoundsTools['onUpdate'] = (update) => {
    note.update(update)
    tools.onUpdate(update)
  }
  const totals = () => readTotals(directories.drivenRuns, runId)
  const prompts = { ...tools.prompts, by: asStarter(tools.prompts.by, record) }
  return await driveRounds({ ...tools, prompts, runs, onUpdate, totals }, runId, { ...begin, optionsFrom })
}
