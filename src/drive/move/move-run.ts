/** Moves a driven run to another machine: copies it, with the work in its worktree, and brings it there. */
import { existsSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { createRunFromFiles, readRunFiles } from '../../journal/copy-records.ts'
import { runUnavailable } from '../../journal/faults.ts'
import { hasRun, toJournalPath } from '../../journal/run-store.ts'
import { toTimestamp } from '../../kit/clock.ts'
import { readJson } from '../../kit/json/read-json.ts'
import { checker } from '../../kit/schema.ts'
import { encodeUtf8 } from '../../kit/utf8.ts'
import { openRun } from '../../runs/open-run.ts'
import type { RunContext } from '../../runs/run-context.ts'
import { openOwnWorktree } from '../../runs/run-worktree.ts'
import { fetchCommit } from '../../workspace/fetch-commit.ts'
import { hasCommit, packWorktree, putWork, unpackBranch } from '../../workspace/worktrees/pack-worktree.ts'
import { forgetWorktree } from '../../workspace/worktrees/remove-worktree.ts'
import { type DriveContext, readDriveState } from '../drive-context.ts'
import { roundsOf } from '../read-verdict.ts'
import { validateRunCopy } from '../record/checks.generated.js'
import { openDriveJournal, readDrive, readDriveEvents } from '../record/drive-journal.ts'
import type { DrivenRecord, RunCopy } from '../record/driven-record.shape.ts'
import { findDriven, saveDriven } from '../record/driven-records.ts'
import { restorePlace } from '../start/worktree-of-run.ts'

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

const COPY_LIMIT_BYTES = 256 * 1024 * 1024

const checkCopy = checker<RunCopy>('runCopy', validateRunCopy)

export type Receiving = {
  readonly copy: RunCopy
  /** The machine that had the run, and this one. */
  readonly from: string
  readonly to: string
  /** Of this user: all worktrees, and the records of driven runs. */
  readonly directories: { readonly worktrees: string; readonly drivenRuns: string }
}

/** Brings a run of another machine here, from its copy. Throws a fault if it is not a copy of a run. */
export function readCopy(text: string): RunCopy {
  return checkCopy(readJson(encodeUtf8(text), { input: 'the copy of a run', limitBytes: COPY_LIMIT_BYTES }))
}

/** Why this machine cannot have the run; undefined if it can. `context` is its repository. Fetches what is missing from `origin`. */
export async function whyNotHere(context: RunContext, { copy, directories }: Receiving): Promise<string | undefined> {
  const { git, signal, workspace, store } = context
  const { git_common_dir: shared, root, base, rounds } = copy
  const { worktrees, drivenRuns } = directories
  if (workspace.git_common_dir !== shared) return `its repository is ${workspace.git_common_dir} here, not ${shared}`
  if (dirname(dirname(root)) !== worktrees) return `worktrees are in ${worktrees} here, and its own was ${root}`
  // With its record, it is one that a process began to receive.
  const old = rounds.map(({ record }) => record.run_id).find((id) => hasRun(store, id) && !findDriven(drivenRuns, id))
  if (old !== undefined)
    return `the repository has an older state of run ${old}; remove ${dirname(toJournalPath(store, old))}`
  if (await hasCommit(context, base)) return undefined
  await fetchCommit(git, { directory: workspace.worktree_root, signal, ref: 'HEAD' })
  return (await hasCommit(context, base)) ? undefined : `neither the repository nor origin has the commit ${base}`
}

/** Returns the record of its first round, with which a server continues it. If it is interrupted, it can be done again. */
export async function receiveRun(
  context: RunContext,
  { copy, from, to, directories }: Receiving,
): Promise<DrivenRecord> {
  const { rounds, branch, head, commit, root, git_common_dir } = copy
  const [first, last] = [rounds[0], rounds.at(-1)]
  if (first === undefined || last === undefined) throw new TypeError('a copy has at least one round')
  const { git, signal, store, clock } = context
  const { run_id: id } = last.record
  for (const { record } of rounds) saveDriven(directories.drivenRuns, { ...record, is_server_driven: false })
  for (const { record } of rounds)
    rmSync(dirname(toJournalPath(store, record.run_id)), { recursive: true, force: true })
  const begun = { path: root, directory: dirname(root), git_common_dir }
  if (existsSync(root)) await forgetWorktree({ git, signal, worktree: begun })

  await unpackBranch(context, { branch, head, commit, pack: Buffer.from(copy.pack, 'base64') })
  for (const { record, files } of rounds) {
    const decoded = files.map(({ name, content }) => ({ name, bytes: Buffer.from(content, 'base64') }))
    createRunFromFiles(store, record.run_id, decoded)
  }
  const drive = readDrive(store, id)
  if (drive === undefined) throw runUnavailable({ run_id: id, problem: 'its copy has no records of a driver' })
  await restorePlace(context, directories.worktrees, drive)
  const there = await openOwnWorktree(context, id)
  await putWork(there, { commit })
  await openRun(there, id, () => {})
  using journal = await openDriveJournal(store, id)
  journal.append({ type: 'moved', at: toTimestamp(clock.now()), data: { from, to } })
  return saveDriven(directories.drivenRuns, { ...first.record, is_server_driven: true })
}
