/** What a driver does next about the pull request that it follows: from what the forge shows and from its records. Pure. */
import type { PullRequest } from '../../forge/forge.ts'
import type { DrivePause } from '../record/drive-event.shape.ts'
import type { Requirement } from '../record/follow-event.shape.ts'
import type { Options } from '../record/recorded-options.shape.ts'
import { type FollowRecord, fitting, type PendingAnswer } from './follow-record.ts'

export type SeenPullRequest = {
  readonly pull: PullRequest
  /** What people who may ask for something have written, in threads that are not resolved. */
  readonly comments: readonly Requirement[]
  /** The requirements for which the forge has an answer of drover. */
  readonly answered: readonly string[]
  /** Of the required checks of the head commit. Failed ones have their requirement. */
  readonly checks: {
    readonly areRunning: boolean
    readonly arePassed: boolean
    readonly failed: readonly Requirement[]
  }
  /** The base, if it is not the commit that was compared last. */
  readonly base?: { readonly commit: string; readonly conflict?: Requirement | undefined } | undefined
  /** A person has put the branch back to an earlier commit of drover. */
  readonly isReset: boolean
  /** A reviewer requests changes. */
  readonly isChangeRequested: boolean
}

export type FollowStep =
  /** Answer a requirement, or only note that the forge has the answer already. */
  | ({ readonly do: 'answer'; readonly isThere: boolean } & PendingAnswer)
  | { readonly do: 'close'; readonly end: 'merged' | 'closed'; readonly mergeCommit: string | undefined }
  /** Tell those who read the pull request that drover does not push any more. */
  | { readonly do: 'say_taken'; readonly commit: string }
  | { readonly do: 'describe'; readonly commit: string }
  | { readonly do: 'round'; readonly requirements: readonly Requirement[] }
  | { readonly do: 'note_base'; readonly commit: string }
  | { readonly do: 'make_ready' }
  | { readonly do: 'pause'; readonly reason: DrivePause; readonly message: string }
  | { readonly do: 'wait' }

type Limits = Pick<Options, 'follow_rounds' | 'max_time_ms' | 'ready'> & {
  /** In milliseconds since 1970. */
  readonly now: number
  /** The cap on tokens, costs or working time that is reached. */
  readonly reached: DrivePause | undefined
}

export function nextFollow(seen: SeenPullRequest, known: FollowRecord, limits: Limits): FollowStep {
  const { pull } = seen
  const [pending] = known.pending
  if (pending !== undefined) {
    return { do: 'answer', ...pending, isThere: seen.answered.includes(pending.requirement.id) }
  }
  if (pull.state !== 'open') return { do: 'close', end: pull.state, mergeCommit: pull.mergeCommit }
  return whoseBranch(seen, known) ?? whatIsWanted(seen, known, limits) ?? whatIsLeft(seen, known, limits)
}

/** A person's push ends those of drover. */
function whoseBranch({ pull, isReset }: SeenPullRequest, known: FollowRecord): FollowStep | undefined {
  const { commit } = pull.head
  if (commit !== known.commit) {
    // The forge does not show the last push yet.
    if (known.commits.includes(commit) && !isReset) return { do: 'wait' }
    if (known.branchTaken !== undefined) return pause('branch_taken', TAKEN)
    return { do: 'say_taken', commit }
  }
  if (known.described !== commit) return { do: 'describe', commit }
  return known.failure === undefined
    ? undefined
    : pause('round_failed', `the last round changed nothing in the pull request: ${known.failure}`)
}

const TAKEN =
  'another person pushed to the branch, so drover does not push any more; --take-over continues on top of that'

function whatIsWanted(seen: SeenPullRequest, known: FollowRecord, limits: Limits): FollowStep | undefined {
  const { checks, base } = seen
  const comments = seen.comments.filter(({ id }) => !known.requirements.has(id))
  const failed = checks.areRunning ? [] : checks.failed
  const isKnown = (each: Requirement) => failedBefore(each, known)
  const wanted = [...comments, ...failed.filter((each) => !isKnown(each)), ...(base?.conflict ? [base.conflict] : [])]
  const again = failed.find(isKnown)
  if (wanted.length === 0) {
    if (again === undefined) return undefined
    return pause(
      'same_failure',
      `the check ${again.by ?? ''} fails as it did before the last round; look at it yourself`,
    )
  }
  const { reached, follow_rounds: most = Infinity } = limits
  if (reached !== undefined) return pause(reached, 'a limit of the run is reached; continue with a higher one')
  if (known.rounds >= most) return pause('follow_rounds', `${known.rounds} rounds were made for the pull request`)
  return { do: 'round', requirements: fitting(wanted) }
}

/** The same check of the same commit, or one that failed for the same reason. */
function failedBefore({ id, by, signature }: Requirement, { requirements }: FollowRecord): boolean {
  if (requirements.has(id)) return true
  return [...requirements.values()].some((each) => each.by === by && each.signature === signature)
}

function whatIsLeft({ base, pull, checks, ...seen }: SeenPullRequest, known: FollowRecord, limits: Limits): FollowStep {
  if (base !== undefined && base.commit !== known.base) return { do: 'note_base', commit: base.commit }
  const isGreen = checks.arePassed && !checks.areRunning && !seen.isChangeRequested
  if (limits.ready === true && pull.isDraft && isGreen) return { do: 'make_ready' }
  const { since } = known
  const isOver = since !== undefined && limits.now - Date.parse(since) >= (limits.max_time_ms ?? Infinity)
  return isOver ? pause('max_time', 'the pull request was watched as long as --max-time says') : { do: 'wait' }
}

function pause(reason: DrivePause, message: string): FollowStep {
  return { do: 'pause', reason, message }
}
