/** Delivers the work of an ended run: as a commit on its branch, and as a draft pull request if that is wanted. */
import { titleOfGoal } from '../contract/goal-title.ts'
import { Fault } from '../kit/fault.ts'
import { withInertReferences } from '../kit/inert-references.ts'
import { outlineRun } from '../runs/read-status.ts'
import { askGit, askGitForOutput, gitErrorLine } from '../workspace/git.ts'
import { commitWorktree } from '../workspace/worktrees/commit-worktree.ts'
import { checkDelivery } from './check-delivery.ts'
import { type DriveContext, readDriveState, record } from './drive-context.ts'
import { driveDeliveryFailed } from './faults.ts'
import { hashTree } from './observe-tree.ts'
import { openForge } from './open-forge.ts'
import { verdictOnDelivery } from './read-verdict.ts'
import type { Place } from './record/drive-event.shape.ts'
import type { DriveState } from './record/drive-state.ts'
import { refuseChangedRemotes } from './remote-settings.ts'
import { describeRun } from './report-run.ts'

const NETWORK_TIMEOUT_MS = 5 * 60_000
const TITLE_CHARACTERS = 72

type WorktreePlace = Extract<Place, { kind: 'worktree' }>

/** Only what passes its checks in a clean checkout of the commit is delivered. If it is interrupted, nothing is recorded. */
export async function deliver(context: DriveContext): Promise<void> {
  const { place, options: wanted } = readDriveState(context)
  if (place.kind === 'in_place' || wanted.deliver === 'none') {
    const tree_id = await hashTree(context)
    record(context, 'delivered', { as: 'none', tree_id, note: `the changes are in ${place.root}` })
    return
  }
  const { runs } = context
  const { branch, base, root } = place
  const title = await composeTitle(context)
  const message = `${title}\n\nRun: ${context.runId}\n`
  const { head } = await commitWorktree({ git: runs.git, directory: root, branch, message, signal: runs.signal })
  const tree_id = await readTree(context, head)
  if (head === base) {
    record(context, 'delivered', { as: 'none', branch, tree_id, note: 'nothing was changed' })
    return
  }
  const work = { branch, commit: head, tree_id }
  await checkDelivery(context, place, work)
  if (runs.signal.aborted) return
  const { delivery_check: checked } = readDriveState(context)
  if (checked?.commit === head && checked.result === 'failed') {
    record(context, 'delivered', { as: 'none', ...work, note: checked.reason ?? 'a check fails' })
    return
  }
  if (wanted.deliver === 'branch') {
    record(context, 'delivered', { as: 'branch', ...work })
    return
  }
  const delivered = { as: 'branch', ...work } as const
  const pullRequest = await openPullRequest(context, place, { title, delivered })
  record(context, 'delivered', { as: 'pr', ...work, pull_request: pullRequest })
}

async function readTree({ runs }: DriveContext, commit: string): Promise<string> {
  const { git, signal, workspace } = runs
  const args = ['rev-parse', '--verify', `${commit}^{tree}`] as const
  return (await askGitForOutput(git, { directory: workspace.worktree_root, args, signal })).toString('latin1').trim()
}

/** The subject of the commit. In the text of an issue, `@name` and `#12` are no references; in that of the user they are. */
async function composeTitle(context: DriveContext): Promise<string> {
  const { goal, issue } = readDriveState(context)
  const isOfUser = issue === undefined && (await outlineRun(context.runs, context.runId)).pinned_source === undefined
  return isOfUser ? toCommitTitle(goal) : withInertReferences(toCommitTitle(goal))
}

function toCommitTitle(goal: string): string {
  const line = titleOfGoal(goal)
  const characters = [...line]
  return characters.length > TITLE_CHARACTERS
    ? `${characters.slice(0, TITLE_CHARACTERS - 1).join('')}…`
    : line || 'Change'
}

/** Once: a pull request that is open already is used. */
async function openPullRequest(
  context: DriveContext,
  place: WorktreePlace,
  { title, delivered }: { title: string; delivered: NonNullable<DriveState['delivered']> },
): Promise<string> {
  refuseChangedRemotes(context, place)
  try {
    const forge = await openForge(context, place)
    await push(context, place)
    const found = await forge.findPullRequest(place.branch)
    if (found !== undefined) return found.url
    const { runs, runId } = context
    const [run, state] = [await outlineRun(runs, runId), { ...readDriveState(context), delivered }]
    const body = await describeRun(runs, run, { state, verdict: verdictOnDelivery(runs, { run, drive: state }) })
    const base = await forge.defaultBranch()
    return (await forge.openPullRequest({ branch: place.branch, base, title, body })).url
  } catch (error) {
    if (!(error instanceof Fault) || error.code === driveDeliveryFailed.code) throw error
    throw driveDeliveryFailed({ problem: error.message }, error)
  }
}

async function push({ runs }: DriveContext, { branch, root }: WorktreePlace): Promise<void> {
  const git = { ...runs.git, timeoutMs: NETWORK_TIMEOUT_MS }
  // Whatever push.recurseSubmodules says: the repository of a submodule may be an agent's.
  const args = [
    'push',
    '--quiet',
    '--recurse-submodules=no',
    '--no-signed',
    'origin',
    `refs/heads/${branch}:refs/heads/${branch}`,
  ] as const
  const { code, stderr } = await askGit(git, { directory: root, args, signal: runs.signal, allowsNetwork: true })
  if (code !== 0) throw driveDeliveryFailed({ problem: `git push failed: ${gitErrorLine(stderr)}` })
}
