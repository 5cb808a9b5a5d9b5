/** Reads the issue that a run is about. */
import type { RawSourceEnvelope } from '../../contract/raw-source-envelope.shape.ts'
import { parseOrigin } from '../../forge/forge.ts'
import { locateGh } from '../../forge/gh.ts'
import { GitHub } from '../../forge/github-forge.ts'
import type { Clock } from '../../kit/clock.ts'
import { digest } from '../../kit/digest.ts'
import type { SearchPlaces } from '../../kit/process/find-program.ts'
import { encodeUtf8 } from '../../kit/utf8.ts'
import type { PinnedReading } from '../../runs/change-run.ts'
import type { RunContext } from '../../runs/run-context.ts'
import { invalidSource } from '../../source/faults.ts'
import { fetchEnvelope } from '../../source/fetch-envelope.ts'
import { parseIssueUrl } from '../../source/issue-address.ts'
import { readSource } from '../../source/read-source.ts'
import { askGit } from '../../workspace/git.ts'
import type { DriveBegin } from '../drive-rounds.ts'
import { issueEdited, issueWithoutRepository } from '../faults.ts'
import { cleanText } from '../prompt/fence.ts'

export type NewGoal = {
  readonly goal: string
  readonly reading?: PinnedReading
  readonly issue?: NonNullable<DriveBegin['issue']>
}

export type IssueOptions = {
  /** Where `gh` is looked up, with its environment. */
  readonly places: SearchPlaces
  readonly clock: Clock
  readonly signal: AbortSignal
  /** When it was last edited, as the person who asked for the run knew it; empty: never. Undefined: no matter. */
  readonly issueEdit?: string | undefined
  /** Throws `issue_not_confirmed` unless the text of an ordinary issue may be the goal. */
  readonly confirmGoal: (issue: { readonly url: string; readonly goal: string }) => Promise<void>
}

/** An issue of drover is pinned with its sections. The text of an ordinary one becomes the goal, if that is wanted. */
export async function readIssue(url: string, options: IssueOptions): Promise<NewGoal> {
  const { places, clock, signal, confirmGoal } = options
  const envelope = await fetchEnvelope({ url, gh: locateGh(places), clock, signal })
  await refuseEdited(url, options)
  const reading = readSource(envelope)
  if (reading.is === 'pinned') return { goal: envelope.title, reading }
  const isOrdinary = reading.code === 'change_marker_required' && !envelope.body.includes('<!-- drover-level:')
  if (!isOrdinary) throw invalidSource({ problem: reading.error, classification: reading.code })
  const goal = goalIn(envelope)
  await confirmGoal({ url, goal })
  return { goal, issue: { url, sha256: digest(encodeUtf8(goal)) } }
}

/** Asked after the text was read: an edit after that comes too late. */
async function refuseEdited(url: string, { places, signal, issueEdit }: IssueOptions): Promise<void> {
  if (issueEdit === undefined) return
  const [{ owner, repo, number }, gh] = [parseIssueUrl(url), locateGh(places)]
  const forge = new GitHub({ repository: { host: gh.host, owner, repo }, gh, signal, patienceMs: gh.timeoutMs })
  if (((await forge.lastEdit(number))?.at ?? '') !== issueEdit) throw issueEdited({ url })
}

function goalIn({ title, body }: RawSourceEnvelope): string {
  return cleanText(body.trim() === '' ? title : `${title}\n\n${body}`)
}

/** The address of an issue in the repository of this clone. */
export async function findOwnIssue(number: number, context: RunContext): Promise<string> {
  const origin = await findOrigin(context)
  if (origin === undefined) throw issueWithoutRepository({ issue: `#${number}` })
  return `https://github.com/${origin.owner}/${origin.repo}/issues/${number}`
}

/** The repository on github.com that the remote `origin` names. */
export async function findOrigin({ git, workspace, signal }: Pick<RunContext, 'git' | 'workspace' | 'signal'>) {
  const args = ['remote', 'get-url', 'origin'] as const
  const { code, stdout } = await askGit(git, { directory: workspace.worktree_root, args, signal })
  return code === 0 ? parseOrigin(stdout.toString('utf8').trim()) : undefined
}
