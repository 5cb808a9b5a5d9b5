/** What runs that were queued together have used, and may use. */
import { openRunStore } from '../journal/run-store.ts'
import { addSpent, spentBy, type Totals } from './decide/spending.ts'
import { readDrive } from './record/drive-journal.ts'
import type { DrivenRecord } from './record/driven-record.shape.ts'
import { findDriven, listDriven, saveDriven } from './record/driven-records.ts'
import type { Spent } from './record/spent.shape.ts'

export type RunGroup = NonNullable<DrivenRecord['group']>

/** `directory` is that of all records. Undefined if the run has no such limit. */
export function readTotals(directory: string, runId: string): Totals | undefined {
  const group = findDriven(directory, runId)?.group
  if (group === undefined || (group.max_tokens ?? group.max_cost_microusd) === undefined) return undefined
  const { id, ...caps } = group
  return { spent: spentTogether(membersOf(directory, id)), caps }
}

/** From now on, the runs of the group may use this much. A limit that is not given stays. */
export function joinGroup(directory: string, group: RunGroup): RunGroup {
  const members = membersOf(directory, group.id)
  const joined = { ...members[0]?.group, ...group }
  for (const record of members) saveDriven(directory, { ...record, group: joined })
  return joined
}

function membersOf(directory: string, id: string): DrivenRecord[] {
  return listDriven(directory).filter(({ group }) => group?.id === id)
}

/** A later round counts what the rounds before it have used. */
function spentTogether(records: readonly DrivenRecord[]): Spent {
  const states = records
    .map(({ git_common_dir: gitCommonDir, run_id: runId }) => readDrive(openRunStore({ gitCommonDir }), runId))
    .filter((state) => state !== undefined)
  const known = new Set(states.map(({ run_id: id }) => id))
  return states
    .filter(({ next_run_id: next }) => next === undefined || !known.has(next))
    .map(spentBy)
    .reduce(addSpent, { tokens: 0, cost_microusd: 0, time_ms: 0 })
}
