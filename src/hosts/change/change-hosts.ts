/** Changes the hosts of a repository, one process at a time: read the files, plan, apply. */
import type { BigIntStats } from 'node:fs'
import type { ChangeReport } from '../../contract/reports.shape.ts'
import type { WorkspaceIdentity } from '../../contract/workspace-identity.shape.ts'
import { digest } from '../../kit/digest.ts'
import { Fault, isFault } from '../../kit/fault.ts'
import { fileWriteFailed, lockBusy } from '../../kit/faults.ts'
import { randomIds } from '../../kit/ids.ts'
import { hostFileChanged, hostPathBlocked, type installFailed, type uninstallFailed } from '../faults.ts'
import { isBlocked } from '../found-files.ts'
import type { Host } from '../host.ts'
import { NOTHING, type Plan, type PlanEnding, type PlanStep, toChangeReport } from '../plan/plan.ts'
import { type FoundHosts, findFile, readHosts } from '../read-hosts.ts'
import {
  describeError,
  lastPart,
  lstatIfExists,
  makeFolder,
  type OpenWorktree,
  openWorktree,
  parentPath,
  realTreeDisk,
  type TreeDisk,
} from '../worktree.ts'
import { withChangeLock } from './change-lock.ts'
import type { ChangeRecord } from './change-record.shape.ts'
import { type RecordedStep, writeRecord } from './change-record.ts'
import { type ChangeContext, finishChange, undoChange } from './end-change.ts'
import { describeLeftFile, type LeftFile } from './explain-change.ts'
import { confirmStep, type ExpectedFiles, performStep } from './perform-steps.ts'
import { inspectChanges, recoverChanges } from './recover-changes.ts'
import { openRecovery, recoveryName, stageFiles } from './recovery-folder.ts'

/** How the change is planned. */
export type HostDecision = {
  /** The hosts whose files `decide` needs. */
  hosts: readonly Host[]
  decide: (found: FoundHosts) => Plan
}

export type HostsRequest = HostDecision & {
  workspace: WorkspaceIdentity
  /** The fault to throw if the change fails. */
  fail: typeof installFailed | typeof uninstallFailed
  signal: AbortSignal
  disk?: TreeDisk
}

/** The plan was carried out if the report says committed. */
export type HostChangeResult = { plan: Plan; report: ChangeReport }

export function changeHosts(request: HostsRequest): Promise<HostChangeResult> {
  const { workspace, signal, disk = realTreeDisk } = request
  return withFailureCode(request, () =>
    withChangeLock({ workspace, signal, disk }, (context) => changeInContext(context, request)),
  )
}

/** For a dry run: plans the change and applies nothing. */
export function planChange(request: HostsRequest): Promise<Plan> {
  const { workspace, hosts, decide, disk = realTreeDisk } = request
  return withFailureCode(request, async () => {
    using tree = openWorktree(workspace.worktree_root, disk)
    const plan = decide(readHosts(hosts, tree))
    const { left, isRunning } = await inspectChanges(workspace, tree)
    return isRunning ? plan : { ...plan, warnings: [...plan.warnings, ...left.map(({ text }) => text)] }
  })
}

/** Reports every failure under the code of the command: `install_failed` or `uninstall_failed`. */
async function withFailureCode<T>({ fail, signal }: HostsRequest, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const problem = describeProblem(error, signal)
    if (problem === undefined || isFault(error, fail)) throw error
    throw fail({ problem, report: toChangeReport(NOTHING, { outcome: 'not_committed' }) }, error)
  }
}

function changeInContext(context: ChangeContext, { hosts, decide, fail }: HostsRequest): HostChangeResult {
  const { obstacles, warnings, artifacts } = recoverChanges(context)
  if (obstacles.length > 0) {
    const ending = { outcome: 'not_committed', recoveryArtifacts: artifacts, warnings: obstacles } as const
    const report = toChangeReport(NOTHING, ending)
    throw fail({ problem: `an earlier change is not finished: ${obstacles.join('; ')}`, report })
  }
  const decided = decide(readHosts(hosts, context.tree))
  const plan = { ...decided, warnings: [...decided.warnings, ...warnings] }
  if (plan.steps.length === 0) {
    return { plan, report: toChangeReport(plan, { outcome: 'committed', recoveryArtifacts: artifacts }) }
  }
  const { problem, ...ending } = applyChange(plan, { ...context, id: randomIds.hex(16) })
  const recoveryArtifacts = [...artifacts, ...(ending.recoveryArtifacts ?? [])]
  const report = toChangeReport(plan, { ...ending, recoveryArtifacts })
  if (problem !== undefined) throw fail({ problem, report })
  return { plan, report }
}

/** Returns undefined for usage errors and bugs: they are not failures of the change. */
function describeProblem(error: unknown, signal: AbortSignal): string | undefined {
  // The signal only ends the wait for the lock: a change that has started is not interrupted.
  if (signal.aborted && error === signal.reason) return 'it was interrupted before it started'
  if (!(error instanceof Fault) || error.kind === 'usage') return undefined
  return error.code === lockBusy.code
    ? 'another process is changing the hosts of this repository; run the command again when that process is done'
    : error.message
}

/** `problem` says why the change failed, or what is left to clean up. */
type Applied = PlanEnding & { readonly problem?: string }

/**
 * Applies a plan as a whole or not at all:
 * 1. check every precondition;
 * 2. write the change record, and stage every new file in the recovery folder;
 * 3. change names in the repository, step by step; no step destroys anything;
 * 4. mark the record as committed.
 * A failure before step 4 undoes the change. If this process is killed, the next one undoes it.
 * `id` must be new: 32 random hexadecimal digits.
 */
function applyChange(plan: Plan, context: ChangeContext & { readonly id: string }): Applied {
  const { tree } = context
  let looked: ReturnType<typeof checkPreconditions>
  try {
    requireRoot(tree)
    looked = checkPreconditions(plan, context)
  } catch (error) {
    return { outcome: 'not_committed', problem: describeError(error) }
  }
  const { record, seen } = looked
  let outcome: 'not_committed' | 'rolled_back' = 'not_committed'
  try {
    writeRecord(record, { directory: context.records, disk: tree.disk })
    stageFiles(plan, record, tree)
    outcome = 'rolled_back'
    performAll(record, { tree, seen })
  } catch (error) {
    return undo({ record, error, outcome }, context)
  }
  return commit(record, context)
}

function performAll(record: ChangeRecord, { tree, seen }: { tree: OpenWorktree; seen: ExpectedFiles }): void {
  using recovery = openRecovery(record.id, tree)
  for (const folder of record.folders) makeFolder(tree, folder)
  for (const [index, step] of record.steps.entries()) performStep(step, index, { tree, recovery, seen })
  for (const [index, step] of record.steps.entries()) confirmStep(step, index, { tree, recovery })
  requireRoot(tree)
  syncFolders(record, tree)
  recovery.sync()
}

/** Syncs once for all steps: until the record says committed, both states of a name can be undone. */
function syncFolders({ folders, steps }: ChangeRecord, tree: OpenWorktree): void {
  const files = steps.filter((step) => step.do !== 'remove_directory' && step.do !== 'verify')
  for (const path of new Set([...folders, ...files.map((step) => step.path)].map(parentPath))) {
    using folder = tree.enter(path)
    folder?.sync()
  }
}

function commit(record: ChangeRecord, context: ChangeContext): Applied {
  const { tree, records } = context
  try {
    writeRecord({ ...record, phase: 'committed' }, { directory: records, disk: tree.disk })
  } catch (error) {
    if (!mayBeWritten(error)) return undo({ record, error, outcome: 'rolled_back' }, context)
    const problem = `${error.message}; run the command again to finish or undo the change`
    return { outcome: 'ambiguous', problem, recoveryArtifacts: [recoveryName(record.id)] }
  }
  const left = finishChange(record, context)
  if (!tree.isInPlace()) return { ...toEnding(left), outcome: 'ambiguous', problem: `${tree.root} was replaced` }
  if (left.length === 0) return { outcome: 'committed' }
  return {
    ...toEnding(left),
    outcome: 'committed',
    problem: 'some of the old files could not be deleted',
  }
}

function mayBeWritten(error: unknown): error is ReturnType<typeof fileWriteFailed> {
  const isOfWriting = isFault(error, fileWriteFailed)
  return isOfWriting && error.details.commitment === 'ambiguous'
}

type Undoing = { record: ChangeRecord; error: unknown; outcome: 'not_committed' | 'rolled_back' }

function undo({ record, error, outcome }: Undoing, context: ChangeContext): Applied {
  const left = undoChange(record, context)
  const problem = describeError(error)
  const isAboutFile = ({ path }: LeftFile) => record.steps.some((step) => step.path === path)
  const isWhole = context.tree.isInPlace() && (outcome === 'not_committed' || !left.some(isAboutFile))
  return { ...toEnding(left), outcome: isWhole ? outcome : 'ambiguous', problem }
}

function toEnding(left: readonly LeftFile[]): Omit<PlanEnding, 'outcome'> {
  return {
    recoveryArtifacts: left.flatMap(({ aside }) => aside?.artifact ?? []),
    warnings: left.map(describeLeftFile),
  }
}

function requireRoot(tree: OpenWorktree): void {
  if (!tree.isInPlace()) throw hostPathBlocked({ path: tree.root, problem: 'it was replaced' })
}

/** Throws `host_file_changed` for the first file that is not as planned. Changes nothing. */
function checkPreconditions(
  plan: Plan,
  { tree, id }: { tree: OpenWorktree; id: string },
): { record: ChangeRecord; seen: ExpectedFiles } {
  const seen = new Map<string, BigIntStats>()
  const folders: string[] = []
  for (const step of plan.steps) {
    if (step.do === 'create') folders.push(...missingFolders(parentPath(step.path), tree))
    if (step.do !== 'remove_directory') requirePrecondition(step, tree)
    const found = readStats(step.path, tree)
    if (found !== undefined) seen.set(step.path, found)
  }
  const record: ChangeRecord = {
    version: 1,
    id,
    phase: 'applying',
    hosts: [...plan.hosts],
    folders: [...new Set(folders)],
    steps: plan.steps.map(toRecorded),
  }
  return { record, seen }
}

function requirePrecondition(step: Exclude<PlanStep, { do: 'remove_directory' }>, tree: OpenWorktree): void {
  const found = findFile(step.path, tree)
  const problem = (said: string) => hostFileChanged({ path: step.path, problem: said })
  if (isBlocked(found)) throw problem(`it cannot be inspected: ${found.reason}`)
  if (step.do === 'create') {
    if (found.is !== 'absent') throw problem('it was created')
  } else if (found.is !== 'regular') throw problem(found.is === 'absent' ? 'it was removed' : 'it was replaced')
  else if (found.digest !== step.expects) throw problem('it was edited')
}

/** Outermost first. */
function missingFolders(path: string, tree: OpenWorktree): string[] {
  if (path === '') return []
  using folder = tree.enter(path)
  return folder === undefined ? [...missingFolders(parentPath(path), tree), path] : []
}

function readStats(path: string, tree: OpenWorktree): BigIntStats | undefined {
  using folder = tree.enter(parentPath(path))
  return folder && lstatIfExists(folder.at(lastPart(path)), tree.disk)
}

function toRecorded(step: PlanStep): RecordedStep {
  const { path } = step
  switch (step.do) {
    case 'create':
      return { do: step.do, path, gives: digest(step.text) }
    case 'replace':
      return { do: step.do, path, expects: step.expects, gives: digest(step.text) }
    case 'remove_directory':
      return { do: step.do, path }
    default:
      return { do: step.do, path, expects: step.expects }
  }
}
