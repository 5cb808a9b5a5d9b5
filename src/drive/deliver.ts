/** Delivers the work of an ended run: as a commit on its branch, and as a draft pull request if that is wanted. */
import { titleOfGoal } from '../contract/goal-title.ts'
import type { Forge } from '../forge/forge.ts'
import { Fault, isFault } from '../kit/fault.ts'
import { withInertReferences } from '../kit/foreign-text.ts'
import { outlineRun } from '../runs/read-status.ts'
import { resolveRevision } from '../workspace/worktrees/branch-checkouts.ts'
import { commitWorktree } from '../workspace/worktrees/commit-worktree.ts'
import { checkDelivery } from './check-delivery.ts'
import type { FollowRecord } from './decide/follow-record.ts'
import { whyNotReached } from './decide/judge-work.ts'
import { nameRequirement } from './decide/next-round.ts'
import { type DriveContext, type Recording, readDriveState, record } from './drive-context.ts'
import { driveBranchTaken, driveDeliveryFailed, drivePullRequestOver } from './faults.ts'
import { takeOver, unresolvedIn } from './merge-base.ts'
import { hashTree } from './observe-tree.ts'
import { openForge } from './open-forge.ts'
import { pushBranch, refuseChangedRemotes } from './push-branch.ts'
import { readFollowRecord, verdictOnDelivery } from './read-verdict.ts'
import type { WorktreePlace } from './record/drive-event.shape.ts'
import type { DriveState } from './record/drive-state.ts'
import type { Requirement } from './record/follow-event.shape.ts'
import { describeRun } from './report-run.ts'

const OWN_FAULTS: readonly string[] = [driveDeliveryFailed.code, driveBranchTaken.code, drivePullRequestOver.code]

type Publishing = Recording & Pick<DriveContext, 'env'>
type Delivery = NonNullable<DriveState['delivered']>

/** Only what passes its checks in a clean checkout of the commit is delivered. If it is interrupted, nothing is recorded. */
export async function deliver(context: DriveContext, { takesOver }: { takesOver: boolean }): Promise<void> {
  const { place, options: wanted } = readDriveState(context)
  if (place.kind === 'in_place' || wanted.deliver === 'none') {
    const delivered = { as: 'none', tree_id: await hashTree(context) } as const
    const why = await whyNot(context, delivered)
    const note = [why, `the changes are in ${place.root}`].filter((part) => part !== undefined).join('; ')
    return record(context, 'delivered', { ...delivered, note })
  }
  const { runs } = context
  const { branch, base, root } = place
  const message = `${await composeSubject(context)}\n\nRun: ${context.runId}\n`
  const committed = await commitWorktree({ git: runs.git, directory: root, branch, message, signal: runs.signal })
  const { head } = takesOver && wanted.deliver === 'pr' ? await takeOver(context, place) : committed
  const tree_id = await resolveRevision(runs.git, { directory: root, signal: runs.signal }, `${head}^{tree}`)
  if (head === base) return record(context, 'delivered', { as: 'none', branch, tree_id, note: 'nothing was changed' })
  const work = { branch, commit: head, tree_id }
  const problem = await findProblem(context, place, work)
  if (runs.signal.aborted) return
  if (problem !== undefined) return record(context, 'delivered', { as: 'none', ...work, note: problem })
  const delivered = { as: 'branch', ...work } as const
  const why = await whyNot(context, delivered)
  const noted = { ...delivered, ...(why !== undefined && { note: why }) }
  if (wanted.deliver === 'branch') return record(context, 'delivered', noted)
  // A pull request that is open gets every commit, and none is opened for work that was not reached.
  const mayOpen = why === undefined || readFollowRecord(context).pullRequest !== undefined
  if (!mayOpen) return record(context, 'delivered', noted)
  await deliverPullRequest(context, place, noted)
}

/** Why the commit must not be delivered. */
async function findProblem(
  context: DriveContext,
  place: WorktreePlace,
  work: { commit: string; tree_id: string },
): Promise<string | undefined> {
  const unresolved = unresolvedIn(context, readDriveState(context).requirements ?? [])
  if (unresolved.length > 0) return `conflicts are left in ${unresolved.join(', ')}`
  await checkDelivery(context, place, work)
  const { delivery_check: checked } = readDriveState(context)
  const isFailed = checked?.commit === work.commit && checked.result === 'failed'
  return isFailed ? (checked.reason ?? 'a check fails') : undefined
}

/** After a person's push, or if the pull request was merged or closed, a further round leaves its commit here. */
async function deliverPullRequest(context: DriveContext, place: WorktreePlace, delivered: Delivery): Promise<void> {
  try {
    const pullRequest = await openPullRequest(context, place, delivered)
    record(context, 'delivered', { ...delivered, as: 'pr', pull_request: pullRequest })
  } catch (error) {
    const isTaken = isFault(error, driveBranchTaken) || isFault(error, drivePullRequestOver)
    if (!isTaken || readDriveState(context).first_round === undefined) throw error
    record(context, 'delivered', { ...delivered, as: 'none', note: error.message })
  }
}

/** Why the verdict on this delivery will be `not delivered`. Undefined if it will not. */
async function whyNot(context: DriveContext, delivered: Delivery): Promise<string | undefined> {
  const run = await outlineRun(context.runs, context.runId)
  return whyNotReached({ run, drive: { ...readDriveState(context), delivered }, delivered })
}

async function composeSubject(context: Recording): Promise<string> {
  const [first, ...more] = readDriveState(context).requirements ?? []
  return first === undefined ? await composeTitle(context) : subjectOf([first, ...more])
}

/** What the run is for. */
async function composeTitle(context: Recording): Promise<string> {
  const { goal, issue } = readDriveState(context)
  const isOfUser = issue === undefined && (await outlineRun(context.runs, context.runId)).pinned_source === undefined
  return toTitle(goal, { isOfUser })
}

/** Once: a pull request that is open already is used, and a run never opens a second one. Its text tells of `delivered`. */
export async function openPullRequest(context: Publishing, place: WorktreePlace, delivered: Delivery): Promise<string> {
  refuseChangedRemotes(context, place)
  try {
    const forge = await openForge(context, place)
    const { runs, runId } = context
    const now = readDriveState(context)
    const { pullRequest: known } = readFollowRecord(context)
    if (known !== undefined && (await isPushed(forge, known, delivered.commit))) return known.url
    await pushBranch(context, place)
    const found = known ?? (await forge.findPullRequest(place.branch))
    if (found !== undefined) return found.url
    const [run, state] = [await outlineRun(runs, runId), { ...now, delivered }]
    const body = await describeRun(runs, run, { state, verdict: verdictOnDelivery(runs, { run, drive: state }) })
    const [base, title] = [await forge.defaultBranch(), await composeTitle(context)]
    return (await forge.openPullRequest({ branch: place.branch, base, title, body })).url
  } catch (error) {
    if (!(error instanceof Fault) || OWN_FAULTS.includes(error.code)) throw error
    throw driveDeliveryFailed({ problem: error.message }, error)
  }
}

type KnownPullRequest = NonNullable<FollowRecord['pullRequest']>

/** Whether a driver that was killed has pushed the commit already. Throws `drive_pull_request_over`. */
async function isPushed(forge: Forge, { url, number }: KnownPullRequest, commit: string | undefined): Promise<boolean> {
  const { state, head } = await forge.pullRequest(number)
  if (head.commit === commit) return true
  if (state !== 'open') throw drivePullRequestOver({ url, state })
  return false
}

/** The subject of a commit, and the title of a pull request. Pure. */
const TITLE_CHARACTERS = 72

/** In the text of an issue, `@name` and `#12` are no references; in that of the user they are. */
export function toTitle(goal: string, { isOfUser }: { readonly isOfUser: boolean }): string {
  return isOfUser ? shorten(goal) : withInertReferences(shorten(goal))
}

/** Of a round after the delivery, which does something else than the commit before. Others write comments and the names of checks. */
export function subjectOf([first, ...more]: readonly [Requirement, ...Requirement[]]): string {
  const rest = more.length === 0 ? '' : ` (and ${more.length} more)`
  if (first.from === 'person') return shorten(first.text, rest)
  return withInertReferences(shorten(`Address ${nameRequirement(first)}`, rest))
}

function shorten(text: string, rest = ''): string {
  const characters = [...(titleOfGoal(text) || 'Change')]
  const most = TITLE_CHARACTERS - rest.length
  return `${characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : characters.join('')}${rest}`
}
