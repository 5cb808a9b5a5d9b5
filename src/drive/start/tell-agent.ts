/** A person answers an agent that lacks something: it gets the text with its next prompt, and its run continues. */
import type { Decider } from '../../agents/adapter/agent.ts'
import type { ProtocolState } from '../../contract/protocol-state.shape.ts'
import { toTimestamp } from '../../kit/clock.ts'
import type { RunOutline } from '../../runs/read-status.ts'
import { resumeRun } from '../../runs/resume-run.ts'
import type { RunContext } from '../../runs/run-context.ts'
import { refuseOwnRun } from '../../runs/run-worktree.ts'
import { readDriveState, record } from '../drive-context.ts'
import { openDriveJournal } from '../record/drive-journal.ts'
import { chooseSource } from './start-drive.ts'

/** Throws `drive_busy` while a process drives the run. */
export async function tellAgent(
  runs: RunContext,
  run: RunOutline,
  { text, by }: { text: string; by: Decider },
): Promise<ProtocolState> {
  refuseOwnRun(runs, run.id)
  using journal = await openDriveJournal(runs.store, run.id)
  const recording = { runs, runId: run.id, journal, onUpdate: () => {} }
  const message = { message_id: runs.ids.uuid(), text, sent_at: toTimestamp(runs.clock.now()), by }
  const attempt = readDriveState(recording).attempts.length
  record(recording, 'user_message', { attempt, ...message, delivered: 'next_turn' })
  return await resumeRun(runs, run.id, chooseSource(run))
}
