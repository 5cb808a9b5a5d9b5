/** Finds or starts the run to drive, and the worktree in which it is done. */
import { lstatSync, realpathSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { titleOfGoal } from '../../contract/goal-title.ts'
import type { WorkspaceIdentity } from '../../contract/workspace-identity.shape.ts'
import { randomIds } from '../../kit/ids.ts'
import type { SearchPlaces } from '../../kit/process/find-program.ts'
import { parseStart } from '../../runs/parse-request.ts'
import { outlineRun, type RunOutline } from '../../runs/read-status.ts'
import { resolveRunId } from '../../runs/resolve-run-id.ts'
import { resumeRun } from '../../runs/resume-run.ts'
import { openRunContext, type RunContext, withPinnedGit } from '../../runs/run-context.ts'
import { asOwner, openOwnWorktree, refuseOwnRun } from '../../runs/run-worktree.ts'
import type { MachineSandbox } from '../../sandbox/machine/machine-sandbox.ts'
import { discoverWorkspace } from '../../workspace/discover-workspace.ts'
import { fetchCommit } from '../../workspace/fetch-commit.ts'
import { askGit, locateGit } from '../../workspace/git.ts'
import { findBranch } from '../../workspace/worktrees/branch-checkouts.ts'
import { createWorktree } from '../../workspace/worktrees/create-worktree.ts'
import { discardWorktree } from '../../workspace/worktrees/remove-worktree.ts'
import { ASKED_CHARACTERS, MOST_ASKED } from '../decide/follow-record.ts'
import { openBoundaryFor } from '../drive-boundary.ts'
import { type DriveBegin, driveRounds, type RoundsResult, type RoundsTools } from '../drive-rounds.ts'
import { asStarter, DrivenRecordWriter, type RecordWriterOptions, recordOfUser } from '../driven-record-writer.ts'
import { driveAlsoInvalid, driveFolderMissing, driveNothingToFollow, runDiscarded } from '../faults.ts'
import { readTotals } from '../group-totals.ts'
import { cleanText } from '../prompt/fence.ts'
import { lastRound } from '../read-verdict.ts'
import type { Place } from '../record/drive-event.shape.ts'
import { readDrive } from '../record/drive-journal.ts'
import type { DriveState } from '../record/drive-state.ts'
import type { Options } from '../record/recorded-options.shape.ts'
import { startDrivenRun } from '../start-driven-run.ts'
import { refuseMissingScripts } from './drive-options.ts'
import { findOwnIssue, type IssueOptions, type NewGoal, readIssue } from './read-issue.ts'
import { restorePlace } from './worktree-of-run.ts'

/** What is driven. */
export type DriveTarget =
  | { readonly is: 'run'; readonly id: string }
  | { readonly is: 'issue'; readonly url: string }
  /** An issue of the repository that `origin` names. */
  | { readonly is: 'own_issue'; readonly number: number }
  | { readonly is: 'goal'; readonly goal: string }

export type FoundDrive = {
  readonly runId: string
  /** In the worktree of the run. */
  readonly context: RunContext
  readonly begin: Omit<DriveBegin, 'optionsFrom'>
}

/** How a run is started. A run that exists only takes more actions. */
export type DriveStart = Omit<IssueOptions, 'signal' | 'clock'> & {
  readonly target: DriveTarget
  /** The number of actions; for a run that exists, how many more. */
  readonly actions: number | undefined
  readonly defaultActions: number
  readonly isReviewed: boolean
  readonly isInPlace: boolean
  /** What a run that is delivered already has to do in addition. */
  readonly also?: readonly string[] | undefined
  /** It continues after another person pushed to its branch. */
  readonly takesOver?: boolean | undefined
  /** Its pull request is followed from now on. */
  readonly follows?: boolean | undefined
  /** The id of a new run, if the caller has already chosen one. */
  readonly runId?: string | undefined
  /** What a person added to the issue. */
  readonly note?: string | undefined
  /** It begins with what `origin` has now, instead of with the last commit here. */
  readonly isFromOrigin?: boolean | undefined
  /** The run is started, and waits in the queue. */
  readonly isQueued?: boolean
  /** The run whose branch it starts on. */
  readonly after?: string | undefined
  /** The folder below the root of the repository in which agents and checks work. Undefined: its root. */
  readonly folder?: string | undefined
  /** The directory of the worktrees that drover creates. */
  readonly worktrees: string
  readonly version: string
  /** The options of a new run. Reports agents that are missing and limits that cannot be kept. */
  readonly newOptions: () => Options
  readonly sandbox: MachineSandbox | undefined
}

const NOTHING_SPENT = { tokens: 0, cost_microusd: 0, time_ms: 0 }

/** `context` is the repository, in any of its worktrees. */
export async function findDrive(context: RunContext, start: DriveStart): Promise<FoundDrive> {
  const { target } = start
  if (target.is === 'run') return await openExisting(context, target.id, start)
  // Before anything is created.
  await openBoundaryFor(start.sandbox, { options: start.newOptions() })
  return await startGoal(context, start, await readGoal(context, target, start))
}

/** The goal of a new run. An issue is read, and confirmed if that is needed. */
export async function readGoal(
  context: RunContext,
  target: Exclude<DriveTarget, { is: 'run' }>,
  { note, ...options }: Pick<DriveStart, 'places' | 'confirmGoal' | 'note' | 'issueEdit'>,
): Promise<NewGoal> {
  if (target.is === 'goal') return { goal: target.goal }
  const url = target.is === 'issue' ? target.url : await findOwnIssue(target.number, context)
  const { signal, clock } = context
  const read = await readIssue(url, { ...options, signal, clock })
  return note === undefined ? read : { ...read, goal: `${read.goal}\n\n${cleanText(note)}` }
}

async function openExisting(context: RunContext, id: string, start: DriveStart): Promise<FoundDrive> {
  const runId = resolveRunId(context, id)
  refuseOwnRun(context, runId)
  const { actions, also, takesOver } = start
  checkAsked(also ?? [])
  // Its worktree may be removed already, and nothing more is done in it.
  const last = readDrive(context.store, runId) === undefined ? undefined : lastRound(context.store, runId)
  if (last?.discarded !== undefined) throw runDiscarded({ run_id: last.run_id })
  const isDone = last?.delivered !== undefined && !(await reopen(context, last, start))
  const there = withPinnedGit(isDone ? asOwner(context, runId) : await openOwnWorktree(context, runId))
  const run = await outlineRun(there, runId)
  await reviveRun(there, run, actions)
  const place = { kind: 'in_place', root: there.workspace.worktree_root } as const
  return { runId, context: there, begin: { goal: run.goal, round: 1, place, spent: NOTHING_SPENT, also, takesOver } }
}

/** Throws `drive_also_invalid`. Nothing of it is ever cut. */
export function checkAsked(also: readonly string[]): void {
  const problem =
    also.length > MOST_ASKED
      ? `${also.length} texts are more than the ${MOST_ASKED} that one round can have`
      : also.map(whyUnusable).find((each) => each !== undefined)
  if (problem !== undefined) throw driveAlsoInvalid({ problem })
}

function whyUnusable(text: string): string | undefined {
  if (text.trim() === '') return 'what the run has to do in addition is empty'
  const { length } = [...text]
  return length > ASKED_CHARACTERS
    ? `what the run has to do in addition has ${length} characters, and at most ${ASKED_CHARACTERS} are possible`
    : undefined
}

/** Whether more is done in a run that is delivered already. Its worktree is created again if it is gone. */
async function reopen(context: RunContext, drive: DriveState, start: DriveStart) {
  const { followed, merged, options } = drive
  const { also = [], takesOver = false, follows = options.follow === true, worktrees } = start
  const isWanted = also.length > 0 || takesOver || follows
  const end =
    merged === undefined ? followed && `the pull request of the run was ${followed.end}` : 'the work was merged'
  if (end !== undefined && (also.length > 0 || takesOver)) throw driveNothingToFollow({ problem: end })
  if (!isWanted || end !== undefined) return false
  await restorePlace(context, worktrees, drive)
  return true
}

/** Starts a new run in a new worktree, or in place. */
export async function startGoal(
  context: RunContext,
  start: Omit<DriveStart, 'target' | 'confirmGoal'>,
  { goal, reading, issue }: NewGoal,
): Promise<FoundDrive> {
  const { actions, defaultActions, isReviewed, isQueued, after } = start
  const { budget } = parseStart({ goal, budget: actions ?? defaultActions, sourceFile: undefined })
  const { place, there, discard } = await findPlace(context, start, goal)
  const begin = {
    ...{ goal, round: 1, place, spent: NOTHING_SPENT, ...(issue !== undefined && { issue }) },
    ...(isQueued === true && { is_queued: true as const }),
    ...(after !== undefined && { after }),
  }
  const request = { goal, budget, reviewEnabled: isReviewed, reading }
  try {
    const started = { ...begin, options: start.newOptions() }
    // The branch of another run may have other scripts.
    if (after === undefined) refuseMissingScripts(started.options, join(place.root, place.folder ?? ''))
    const runId = await startDrivenRun(withRunId(there, start.runId), request, started)
    return { runId, context: there, begin: { ...begin, isNew: true } }
  } catch (error) {
    await discard()
    throw error
  }
}

/** The id of the run is the first one that is taken. */
function withRunId(context: RunContext, runId: string | undefined): RunContext {
  const chosen = runId === undefined ? [] : [runId]
  return { ...context, ids: { ...context.ids, uuid: () => chosen.shift() ?? context.ids.uuid() } }
}

type FoundPlace = {
  readonly place: Place
  readonly there: RunContext
  /** Removes what was created for the run. */
  readonly discard: () => Promise<void>
}

type PlaceOptions = Pick<DriveStart, 'isInPlace' | 'worktrees' | 'version' | 'folder' | 'isFromOrigin' | 'places'>

async function findPlace(
  context: RunContext,
  { isInPlace, worktrees, version, folder, ...more }: PlaceOptions,
  goal: string,
): Promise<FoundPlace> {
  const { workspace, git, signal, clock } = context
  const here = workspace.worktree_root
  const below = folder === undefined ? {} : { folder }
  if (isInPlace)
    return { place: { kind: 'in_place', root: here, ...below }, there: withPinnedGit(context), discard: async () => {} }
  const commit = more.isFromOrigin === true ? await findNewest(context, more.places) : 'HEAD'
  const baseBranch = commit === 'HEAD' ? await findBranch(git, { directory: here, signal }) : undefined
  const worktree = await createWorktree({
    home: worktrees,
    repository: workspace,
    commit,
    title: titleOfGoal(goal),
    git,
    clock,
    ids: randomIds,
    signal,
  })
  const { path: root, branch, base, port } = worktree
  const found = await discoverWorkspace({ start: root, git, signal })
  const there = withPinnedGit(openRunContext({ workspace: found, git, signal, clock, version }))
  // With a separate signal: the caller's may be the reason why the run was not started.
  const discard = () => discardWorktree({ git, worktree, signal: new AbortController().signal })
  if (folder !== undefined && !isFolder(join(root, folder))) {
    await discard()
    throw driveFolderMissing({ folder })
  }
  const place = { kind: 'worktree', root: found.worktree_root, branch, base, repository: here, ...below } as const
  const known = { ...(baseBranch !== undefined && { base_branch: baseBranch }), ...(port !== undefined && { port }) }
  return { place: { ...place, ...known }, there, discard }
}

/** Without a remote `origin`, the last commit here. */
async function findNewest({ workspace, signal }: RunContext, places: SearchPlaces): Promise<string> {
  const [git, around] = [locateGit(places), { directory: workspace.worktree_root, signal }]
  const { code } = await askGit(git, { ...around, args: ['remote', 'get-url', 'origin'] })
  return (code === 0 && (await fetchCommit(git, { ...around, ref: 'HEAD' }))) || 'HEAD'
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** The folder of a directory below the root of its worktree. Undefined if it is the root, or elsewhere. */
export function folderBelow({ worktree_root: root }: Pick<WorkspaceIdentity, 'worktree_root'>, directory: string) {
  const way = relative(root, realpathSync.native(directory))
  return way === '' || way === '..' || way.startsWith(`..${sep}`) ? undefined : way
}

/** A worktree of the repository that stays when the run is delivered. */
export function lastingWorktree({ begin, context }: Pick<FoundDrive, 'begin' | 'context'>): string {
  return begin.place.kind === 'worktree' ? begin.place.repository : context.workspace.worktree_root
}

/** Lets a run continue that was stopped, or that waits for what a person settles by driving it again. `actions` are those that the person adds. */
async function reviveRun(context: RunContext, run: RunOutline, actions: number | undefined): Promise<void> {
  if (!canRevive(run, actions)) return
  await resumeRun(context, run.id, { ...chooseSource(run), ...(actions !== undefined && { budget: actions }) })
}

/** A question needs an answer, and a used budget needs a new one. */
function canRevive({ state, pause_reason, source_candidate }: RunOutline, actions: number | undefined): boolean {
  if (source_candidate !== undefined) return false
  if (state === 'stopped' || pause_reason === 'environment_unavailable') return true
  return pause_reason === 'budget_exhausted' && actions !== undefined
}

/** A run with an issue continues with the pinned requirements: to look at the issue again needs an explicit choice. */
export function chooseSource({ pinned_source }: Pick<RunOutline, 'pinned_source'>): { usePinnedSource?: boolean } {
  return pinned_source === undefined ? {} : { usePinnedSource: true }
}

type UserDrive = Omit<RoundsTools, 'runs'> & Omit<RecordWriterOptions, 'clock'> & Pick<DriveBegin, 'optionsFrom'>

/** Drives a run of the user in this process, for a person or for a program. A server lists the run too. */
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
