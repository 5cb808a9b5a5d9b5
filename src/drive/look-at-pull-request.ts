/** Looks at a pull request: what people wrote, what its checks say, and whether its base has moved. */
import { type Forge, type ForgeCheck, type MayAsk, type PullRequest, type Review, rightsIn } from '../forge/forge.ts'
import type { FollowRecord } from './decide/follow-record.ts'
import type { SeenPullRequest } from './decide/next-follow.ts'
import { type DriveContext, readDriveState } from './drive-context.ts'
import { fetchBranch, tryBase } from './merge-base.ts'
import { cutComment, cutLog, cutName, isOwnComment, markOf, signatureOf } from './prompt/follow-texts.ts'
import type { Requirement } from './record/follow-event.shape.ts'

type Comment = { readonly author: string; readonly body: string; readonly requirement: Requirement }

export async function lookAtPullRequest(
  context: DriveContext,
  { forge, number, known }: { forge: Forge; number: number; known: FollowRecord },
): Promise<SeenPullRequest> {
  const { reviewers = [] } = readDriveState(context).options
  const pull = await forge.pullRequest(number)
  const mayAsk = rightsIn(forge, reviewers)
  const reviews = await forge.reviews(number)
  const { comments, own } = await readComments(forge, number, reviews)
  const wanted: Requirement[] = []
  for (const { author, requirement } of comments) if (await mayAsk(author)) wanted.push(requirement)
  const answered = [...known.requirements.keys()].filter((id) => own.some((body) => body.includes(markOf(id))))
  const isOpen = pull.state === 'open'
  const base = isOpen ? await forge.branch(pull.base.branch) : undefined
  return {
    pull,
    comments: wanted,
    answered,
    checks: isOpen ? await readChecks(forge, pull, base?.required ?? []) : NO_CHECKS,
    base: base === undefined ? undefined : await compareBase(context, { pull, commit: base.commit, known }),
    isReset: isOpen && (await isReset(context, pull, known)),
    isChangeRequested: await isChangeRequested(reviews, mayAsk),
  }
}

const NO_CHECKS = { areRunning: false, arePassed: false, failed: [] }

/** Those of others, and the texts of drover's own ones. What drover writes has a mark, because it may use a person's account. */
async function readComments(
  forge: Forge,
  number: number,
  given: readonly Review[],
): Promise<{ comments: Comment[]; own: string[] }> {
  const viewer = await forge.viewer()
  const threads = (await forge.reviewComments(number)).map((each) => ({
    ...each,
    requirement: {
      ...toRequirement('thread', each),
      path: each.path,
      ...(each.line !== undefined && { line: each.line }),
      thread: each.thread,
    },
  }))
  const plain = (await forge.comments(number)).map((each) => ({ ...each, requirement: toRequirement('comment', each) }))
  // Who approves asks for nothing more, except in comments on lines.
  const reviews = given
    .filter(({ state, body }) => !['approved', 'pending'].includes(state) && body.trim() !== '')
    .map((each) => ({ ...each, requirement: toRequirement('review', each) }))
  const isOwn = ({ author, body }: Pick<Comment, 'author' | 'body'>) => author === viewer && isOwnComment(body)
  const own = [...threads, ...plain].filter(isOwn).map(({ body }) => body)
  return {
    comments: [...threads.filter(({ isResolved }) => !isResolved), ...plain, ...reviews].filter((each) => !isOwn(each)),
    own,
  }
}

type Written = { readonly id: number; readonly author: string; readonly body: string; readonly url: string }

function toRequirement(from: Requirement['from'], { id, author, body, url }: Written): Requirement {
  return { id: `${from}-${id}`, from, text: cutComment(body), by: author, url }
}

/** The forge may not show the last push yet. Git does. */
async function isReset(context: DriveContext, { head }: PullRequest, known: FollowRecord): Promise<boolean> {
  const { place } = readDriveState(context)
  if (place.kind !== 'worktree' || head.commit === known.commit || !known.commits.includes(head.commit)) return false
  return (await fetchBranch(context, place, place.branch)) === head.commit
}

/** The latest word of each reviewer counts. */
async function isChangeRequested(reviews: readonly Review[], mayAsk: MayAsk): Promise<boolean> {
  const decided = reviews.filter(({ state }) => state !== 'commented' && state !== 'pending')
  const latest = new Map(decided.map(({ author, state }) => [author, state]))
  for (const [author, state] of latest) if (state === 'changes_requested' && (await mayAsk(author))) return true
  return false
}

async function readChecks(
  forge: Forge,
  { head }: PullRequest,
  required: readonly string[],
): Promise<SeenPullRequest['checks']> {
  const checks = (await forge.checks(head.commit, required)).filter(({ isRequired }) => isRequired)
  const areRunning = checks.some(({ state }) => state === 'running')
  const failed: Requirement[] = []
  for (const check of areRunning ? [] : checks.filter(({ state }) => state === 'failed'))
    failed.push(await toFailure(forge, check, head.commit))
  return { areRunning, arePassed: checks.every(({ state }) => state === 'passed'), failed }
}

async function toFailure(forge: Forge, check: ForgeCheck, commit: string): Promise<Requirement> {
  const text = cutLog(await forge.outputOf(check))
  const url = check.url === undefined ? {} : { url: check.url }
  const name = cutName(check.name)
  const id = `check-${name}-${commit.slice(0, 12)}`
  return { id, from: 'check', text, by: name, ...url, signature: signatureOf(text) }
}

async function compareBase(
  context: DriveContext,
  { pull, commit, known }: { pull: PullRequest; commit: string; known: FollowRecord },
): Promise<SeenPullRequest['base']> {
  const { place } = readDriveState(context)
  if (commit === known.base || place.kind !== 'worktree' || pull.head.commit !== known.commit) return undefined
  // It may have moved again since the forge was asked.
  const fetched = await fetchBranch(context, place, pull.base.branch)
  const tried = await tryBase(context, pull.head.commit, fetched)
  if (tried?.is !== 'conflict') return { commit: fetched }
  const text = `The base ${cutName(pull.base.branch)} has moved to ${fetched.slice(0, 12)}, which conflicts with this branch.`
  const conflict: Requirement = {
    id: `base-${fetched}`,
    from: 'base',
    text,
    commit: fetched,
    conflicts: [...tried.paths],
  }
  return { commit: fetched, conflict }
}
