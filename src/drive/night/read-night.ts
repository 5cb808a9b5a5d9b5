/** Reads what became of the driven runs of a repository since some time. */
import { join } from 'node:path'
import { titleOfGoal } from '../../contract/goal-title.ts'
import { listRunIds } from '../../journal/run-store.ts'
import { Fault } from '../../kit/fault.ts'
import { outlineRun, pendingQuestion } from '../../runs/read-status.ts'
import type { RunContext } from '../../runs/run-context.ts'
import { asOwner } from '../../runs/run-worktree.ts'
import { askGit } from '../../workspace/git.ts'
import {
  commitTree,
  type MergeRepository,
  type MergeScratch,
  tryMerge,
  withMergeScratch,
} from '../../workspace/worktrees/try-merge.ts'
import { countUnknownCosts, spentBy } from '../decide/spending.ts'
import { uninterrupted } from '../drive-context.ts'
import { hasChanged } from '../read-overlaps.ts'
import { readQueueWait } from '../read-queue-wait.ts'
import { readVerdict, roundsOf } from '../read-verdict.ts'
import { readDrive } from '../record/drive-journal.ts'
import { pathsOfRun } from '../report-run.ts'
import type { NightReport, NightRun } from './night-report.shape.ts'
import { toNightReport } from './night-report.ts'
import { withSection } from './night-sections.ts'

type Wanted = {
  /** An RFC 3339 timestamp. */
  readonly since: string
  /** Undefined: all runs of the repository. */
  readonly ids?: readonly string[]
  /** Branches are merged into its `HEAD`. */
  readonly directory: string
  /** The directory of the records of driven runs, for what a queued run waits for. */
  readonly records: string
}

/** A run that another one continues is part of that one. */
export async function readNight(context: RunContext, { since, ids, directory, records }: Wanted): Promise<NightReport> {
  const runs: (NightRun & { readonly at: string })[] = []
  for (const id of ids ?? listRunIds(context.store)) {
    const run = hasChanged(context.store, id, since) ? await tryRead(context, id, records) : undefined
    if (run !== undefined && run.at >= since && run.verdict.word !== 'continued') runs.push(run)
  }
  runs.sort((one, other) => (one.at < other.at ? -1 : 1))
  const shown = runs.map(({ at: _, ...run }) => run)
  return toNightReport(since, shown, await tryMerges(context, directory, shown))
}

/** Undefined if it was not driven, or cannot be read. */
async function tryRead(
  context: RunContext,
  id: string,
  records: string,
): Promise<(NightRun & { at: string }) | undefined> {
  try {
    const drive = readDrive(context.store, id)
    if (drive === undefined) return undefined
    const run = await outlineRun(uninterrupted(asOwner(context, id)), id)
    const last = drive.attempts.at(-1)
    const at = [run.updated_at, last?.ended?.at ?? last?.started_at ?? drive.started_at].sort().at(-1) ?? ''
    const waitsFor = await readQueueWait(context, drive, records)
    const verdict = await readVerdict(context, { run, drive, waitsFor })
    const paths = await pathsOfRun(context, drive)
    const rounds = roundsOf(context.store, drive)
    const before = deliveredBefore(rounds)
    const unknown = countUnknownCosts(rounds, { isDriven: verdict.word === 'running' })
    const spent = { ...spentBy(drive), ...(unknown > 0 && { unknown_cost_attempts: unknown }) }
    const facts = { run_id: id, title: titleOfGoal(drive.goal), verdict, spent, paths }
    const question = pendingQuestion(run)
    const asked = question === undefined ? {} : { question }
    return { ...withSection({ ...facts, ...asked, ...(before !== undefined && { delivered_before: before }) }), at }
  } catch (error) {
    if (error instanceof Fault && !context.signal.aborted) return undefined
    throw error
  }
}

/** Undefined if the last round has delivered, or nothing is left of what an earlier one has. A commit whose checks fail is not delivered. */
function deliveredBefore([last, ...earlier]: ReturnType<typeof roundsOf>): NightRun['delivered_before'] {
  if (last.delivered !== undefined || last.discarded !== undefined) return undefined
  const before = earlier.find(({ delivered }) => delivered?.commit !== undefined)?.delivered
  if (last.place.kind !== 'worktree' || before?.commit === undefined || before.as === 'none') return undefined
  return { branch: last.place.branch, commit: before.commit }
}

/** Only branches that hold delivered work. Undefined if there are none, or if git cannot try it. */
async function tryMerges(
  context: RunContext,
  directory: string,
  runs: readonly NightRun[],
): Promise<NightReport['merge']> {
  const { git, workspace, signal } = context
  const branches = runs.flatMap(({ verdict: { word, exists } }): Branch[] => {
    const { branch, commit } = exists
    const isDelivered = word === 'delivered' || word === 'delivered, look first'
    return isDelivered && branch !== undefined && commit !== undefined ? [{ branch, commit }] : []
  })
  const args = ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'] as const
  const head = await askGit(git, { directory, args, signal })
  if (branches.length === 0 || head.code !== 0) return undefined
  const objects = join(workspace.git_common_dir, 'objects')
  const found = await findMergeOrder({ git, objects, signal }, head.stdout.toString('utf8').trim(), branches)
  const into = await askGit(git, { directory, args: ['symbolic-ref', '--quiet', '--short', 'HEAD'], signal })
  return found && { ...found, ...(into.code === 0 && { into: into.stdout.toString('utf8').trim() }) }
}

type Branch = { readonly branch: string; readonly commit: string }

type MergeOrder = {
  /** One after the other, they merge without conflicts. */
  readonly order: string[]
  /** The others, with the files in conflict. */
  readonly conflicts: { branch: string; paths: string[] }[]
}

/** In which order branches can be merged without conflicts. `onto` is the commit that they are merged into. Undefined if this git cannot try it: before 2.38. */
async function findMergeOrder(
  repository: MergeRepository,
  onto: string,
  branches: readonly Branch[],
): Promise<MergeOrder | undefined> {
  return await withMergeScratch(repository, { stay: false }, (scratch) => tryAll(scratch, onto, branches))
}

/** The first that merges is merged, and those that did not are tried again at the end. */
async function tryAll(
  scratch: MergeScratch,
  onto: string,
  branches: readonly Branch[],
): Promise<MergeOrder | undefined> {
  const order: string[] = []
  const conflicts: { branch: string; paths: string[] }[] = []
  let head = onto
  for (const { branch, commit } of branches) {
    const tried = await tryMerge(scratch, head, commit)
    if (tried === undefined) return undefined
    if (tried.is === 'conflict') conflicts.push({ branch, paths: [...tried.paths] })
    else {
      order.push(branch)
      head = await commitTree(scratch, { tree: tried.tree, parents: [head, commit], message: 'drover' })
    }
  }
  return { order, conflicts }
}
