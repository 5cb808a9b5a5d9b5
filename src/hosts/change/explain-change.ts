/** Messages about what an unfinished change left behind, and what to do about it. Pure. */
import type { FoundRecord } from './change-record.ts'
import { recoveryName } from './recovery-folder.ts'

/** A file of a change that could be neither finished nor undone. */
export type LeftFile = {
  /** Relative to the root of the repository. */
  readonly path: string
  /** What is still in the recovery folder: the file before the change, the file after it, or all of them. */
  readonly aside?: { readonly artifact: string; readonly holds: 'before' | 'after' | 'all' }
  readonly problem: string
}

/** The records and recovery folders of unfinished changes. */
export type Leftovers = {
  readonly records: readonly FoundRecord[]
  /** Recovery folders without a record. */
  readonly unclaimed: readonly string[]
}

/** `hosts` is empty if drover cannot tell which hosts are concerned. */
export type LeftoverWarning = { readonly hosts: readonly string[]; readonly text: string }

export function describeLeftFile({ path, aside, problem }: LeftFile): string {
  switch (aside?.holds) {
    case 'before':
      return `the old content of ${path} is in ${aside.artifact}: ${problem}; move it back or delete it, then run the command again`
    case 'after':
      return `${aside.artifact}, which drover wrote to ${path}, could not be deleted: ${problem}; fix that and run the command again`
    case 'all':
      return `${aside.artifact} could not be deleted: ${problem}; fix that and run the command again`
    default:
      return `${path} was not changed: ${problem}`
  }
}

export function describeLeftovers({ records, unclaimed }: Leftovers): LeftoverWarning[] {
  return [
    ...records.map(describeRecord),
    ...unclaimed.map((name) => ({
      hosts: [],
      text: `${name} looks like a recovery folder of drover, but no change of this worktree made it; look into it, then delete it`,
    })),
  ]
}

function describeRecord(found: FoundRecord): LeftoverWarning {
  if ('problem' in found) {
    return {
      hosts: [],
      text: `a change record cannot be read: ${found.problem}; check the files of your hosts, then delete the record`,
    }
  }
  const { id, phase, hosts, steps } = found.record
  const text =
    phase === 'committed'
      ? `a change was committed but not cleaned up: ${recoveryName(id)} holds the old files; the next "drover hosts install" or "drover hosts uninstall" deletes them`
      : `a change of ${steps.length} steps was interrupted: the old files are in ${recoveryName(id)}; the next "drover hosts install" or "drover hosts uninstall" undoes it first`
  return { hosts, text }
}
