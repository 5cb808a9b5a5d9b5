/** What a change that did not end left behind, and what to do about it, in words. Pure. */
import type { FoundRecord } from './change-record.ts'
import { recoveryName } from './recovery-folder.ts'

/** Something of a change that could be neither finished nor undone. */
export type Remains = {
  /** What it is about, from the root of the repository. */
  readonly path: string
  /** What is still put aside: what was at the path before, what was to be there after, or both and more. */
  readonly aside?: { readonly artifact: string; readonly holds: 'before' | 'after' | 'all' }
  readonly problem: string
}

/** What is there of changes that have not ended. */
export type Leftovers = {
  readonly records: readonly FoundRecord[]
  /** Recovery folders that belong to no record: nobody knows what was to happen to them. */
  readonly unclaimed: readonly string[]
}

/** One thing that was left behind; `hosts` is whom it is about, as far as that is known. */
export type Leftover = { readonly hosts: readonly string[]; readonly says: string }

export function explainRemains({ path, aside, problem }: Remains): string {
  switch (aside?.holds) {
    case 'before':
      return `what ${path} was before is in ${aside.artifact}: ${problem}; move it back to have it again, or delete it, then run the command again`
    case 'after':
      return `${aside.artifact}, which is what drover wrote to ${path}, is not cleared away: ${problem}; run the command again when that is mended`
    case 'all':
      return `${aside.artifact} is not cleared away: ${problem}; run the command again when that is mended`
    default:
      return `${path} was left as it is: ${problem}`
  }
}

export function explainLeftovers({ records, unclaimed }: Leftovers): Leftover[] {
  return [
    ...records.map(explainRecord),
    ...unclaimed.map((name) => ({
      hosts: [],
      says: `${name} looks like a recovery folder of drover, but no change of this worktree made it; see what is in it, then delete it`,
    })),
  ]
}

function explainRecord(found: FoundRecord): Leftover {
  if ('problem' in found) {
    return {
      hosts: [],
      says: `the record of a change cannot be read: ${found.problem}; delete it when the files are as they should be`,
    }
  }
  const { id, phase, hosts, steps } = found.record
  const says =
    phase === 'committed'
      ? `a change was made but not cleared up: ${recoveryName(id)} holds files as they were before; the next "drover install" or "drover uninstall" deletes them`
      : `a change was cut off: ${steps.length} steps, files as they were before are in ${recoveryName(id)}; the next "drover install" or "drover uninstall" undoes it first`
  return { hosts, says }
}
