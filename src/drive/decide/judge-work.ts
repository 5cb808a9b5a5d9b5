/** Whether what an ended run leaves is what was wanted. Pure. */
import type { RunVerdict } from '../../contract/run-verdict.shape.ts'
import type { RunOutline } from '../../runs/read-status.ts'
import { describeFlag, seriousFlags } from '../evidence/repository-flags.ts'
import { describeRefusals } from '../evidence/summarize-boundary.ts'
import { type DriveState, judgedAttempts } from '../record/drive-state.ts'
import { checkResults, hasWork } from './check-results.ts'

type EndedRun = {
  readonly run: Pick<RunOutline, 'actions'>
  readonly drive: DriveState
  readonly earlier: readonly DriveState[]
  readonly delivered: NonNullable<DriveState['delivered']>
  /** The command that shows the report. */
  readonly report: string
  /** The id of the run as commands name it. */
  readonly name: string
}

type Work = Pick<EndedRun, 'run' | 'drive' | 'delivered'>

type Judged = Pick<RunVerdict, 'word' | 'reason' | 'next'> & { readonly lookFirst?: readonly string[] }

export function judgeWork(ended: EndedRun): Judged {
  const { drive, name, report } = ended
  const problem = whyNotReached(ended)
  if (problem !== undefined) return { word: 'not delivered', reason: problem, next: report }
  const lookFirst = whatToLookAt(ended)
  if (!isWork(ended)) return { word: 'nothing to change', reason: describeChecks(ended), next: report }
  if (lookFirst.length === 0) {
    const reason = [
      whereItIs(ended),
      untestedNote(drive),
      describeRefusals([drive, ...ended.earlier]),
      describeUnconfirmed(drive),
    ]
      .filter((part) => part !== '')
      .join('; ')
    return { word: 'delivered', reason, next: mergeCommand(drive, name) ?? report }
  }
  const untested = untestedNote(drive)
  if (untested !== '') lookFirst.push(untested)
  return { word: 'delivered, look first', reason: lookFirst.join('; '), next: report, lookFirst }
}

/** Empty if there is a check. */
function untestedNote({ options }: DriveState): string {
  return options.checks.length > 0 ? '' : 'no check was given, so nothing was tested'
}

/** No failure: the report lists them. */
function describeUnconfirmed(drive: DriveState): string {
  const claims = judgedAttempts(drive).flatMap(({ evidence }) => evidence?.claims ?? [])
  const count = claims.filter(({ verdict }) => verdict === 'claimed').length
  return count === 0 ? '' : `nothing confirms ${count === 1 ? '1 claim' : `${count} claims`} of the agent`
}

/** The command that merges the work; undefined if there is no commit, or if the forge merges it. */
export function mergeCommand({ delivered, followed, place }: DriveState, name: string): string | undefined {
  if (delivered?.commit === undefined || delivered.pull_request !== undefined || followed !== undefined)
    return undefined
  const isBaseKnown = place.kind === 'worktree' && place.base_branch !== undefined
  return `drover merge ${name}${isBaseKnown ? '' : ' --into BRANCH'}`
}

function whereItIs({ delivered, drive, earlier }: EndedRun): string {
  const { branch, commit, note } = delivered
  const request = pullRequestOf({ drive, earlier })
  if (commit === undefined) return note ?? ''
  if (drive.followed !== undefined) return describeFollowedOf({ drive, earlier, followed: drive.followed })
  return request === undefined ? `branch ${branch}` : `branch ${branch}, draft pull request ${request}`
}

type Rounds = Pick<EndedRun, 'drive' | 'earlier'>
type Followed = NonNullable<DriveState['followed']>

/** Of any round. */
function pullRequestOf({ drive, earlier }: Rounds): string | undefined {
  return [drive, ...earlier].map((each) => each.delivered?.pull_request).find((each) => each !== undefined)
}

/** Which pull request ended, and how. */
export function describeFollowedOf({ followed, ...rounds }: Rounds & { readonly followed: Followed }): string {
  return `pull request ${pullRequestOf(rounds)} was ${describeFollowed(followed)}`
}

/** How the pull request ended. */
export function describeFollowed({ end, merge_commit: merged }: NonNullable<DriveState['followed']>): string {
  return merged === undefined ? end : `${end} as ${merged}`
}

/** In place, no commit shows it. */
function isWork({ drive, delivered }: Work): boolean {
  if (delivered.commit !== undefined) return true
  return delivered.branch === undefined && hasWork(drive)
}

/** Why what has ended with a commit or without one is not delivered. Undefined if it is. */
export function whyNotReached(ended: Work): string | undefined {
  const failed = failedCheck(ended)
  const work = judgeOutcome(ended)
  if (work === undefined) return failed
  const parts = [work.replace(/\.\s*$/, ''), failed ?? uncheckedNote(ended)]
  return parts.filter((part) => part !== undefined).join('; ')
}

function uncheckedNote({ drive }: Work): string | undefined {
  const ran = drive.attempts.some(({ checks }) => checks.length > 0)
  return drive.options.checks.length > 0 && !ran ? 'no check was run after it' : undefined
}

function failedCheck({ drive, ...ended }: Work): string | undefined {
  const { as, commit, note } = ended.delivered
  // In a clean checkout of the commit, its checks fail; or a person pushed, and drover has not taken over since.
  if (as === 'none' && commit !== undefined && drive.taken_over === undefined) return note
  const failed = checkResults(drive).find(({ passed }) => !passed)
  if (failed !== undefined) return `the check ${failed.command} ${failed.result}`
  if (isWork({ drive, ...ended })) return undefined
  return uncheckedCommit(drive)
}

/** Without work, the checks before it speak about the same files. */
function uncheckedCommit({ attempts, baseline, options }: DriveState): string | undefined {
  const ran = [...baseline, ...attempts.flatMap(({ checks }) => checks)]
  const results = options.checks.map((command) => ({ command, run: ran.findLast((each) => each.command === command) }))
  const failed = results.find(({ run }) => run?.passed !== true)
  return (
    failed && `the check ${failed.command} ${failed.run === undefined ? 'was not run' : 'fails on the commit as it is'}`
  )
}

/** Its branch was at its base when it ended, so it was removed with the worktree. The rounds are latest first. */
export function hasChangedNothing([last, ...earlier]: readonly [DriveState, ...DriveState[]]): boolean {
  const { delivered } = last
  const isEmpty = delivered?.branch !== undefined && delivered.commit === undefined
  return isEmpty && earlier.every((round) => round.delivered?.commit === undefined)
}

type Action = RunOutline['actions'][number]

/** Why the reports of the agents do not say that the goal is reached. */
function judgeOutcome(ended: Work): string | undefined {
  const { run, drive } = ended
  const counted = run.actions.filter(({ voided }) => voided !== true)
  const implement = counted.filter(({ action }) => action.kind === 'implement')
  const last = implement.findLast(({ skipped }) => skipped !== true)
  if (last === undefined) return implement.length > 0 ? 'the work was skipped' : withoutWork(ended, counted)
  const { outcome } = last
  if (outcome === undefined) return 'the work has no outcome'
  if (outcome.status === 'error') return outcome.summary
  if (outcome.implementation?.result === 'not_needed') return undefined
  if (isWork(ended) || drive.round > 1) return undefined
  // A check that fails makes every report partial, also that nothing has to change.
  const isReported = (outcome.implementation?.files_changed ?? []).length > 0
  return isReported ? 'nothing was changed, although the agent reports changes' : 'nothing was changed'
}

/**
 * A person stopped the agent that worked, or it waited for a person. After that, the run was reviewed or ended, and no agent was
 * asked to implement. Undefined if one has reported.
 */
export function whyUnreported(
  { actions }: Pick<RunOutline, 'actions'>,
  drive: DriveState,
): 'was stopped' | 'waited for a person' | undefined {
  const work = actions.filter(({ action }) => action.kind === 'implement')
  if (!work.every(({ voided }) => voided === true) || !hasWork(drive)) return undefined
  const last = work.at(-1)
  return last && (last.outcome?.pause ? 'waited for a person' : 'was stopped')
}

/** No agent was asked to implement. */
function withoutWork({ run, drive }: Work, actions: readonly Action[]): string | undefined {
  const asked = actions.filter(({ action }) => action.kind !== 'summarize' && action.kind !== 'review')
  const failed = asked.find(({ outcome }) => outcome?.status === 'error')?.outcome
  if (failed !== undefined) return failed.summary
  if (whyUnreported(run, drive) !== undefined) return undefined
  if (asked.every(({ skipped }) => skipped === true)) return 'every action was skipped'
  const said = asked.findLast(({ skipped }) => skipped !== true)?.outcome
  const isSaid = said?.status === 'completed' && said.suggested_actions.some(({ kind }) => kind === 'summarize')
  return isSaid && drive.round === 1
    ? undefined
    : 'no agent worked on the goal, and none said that nothing has to change'
}

function describeChecks({ drive }: EndedRun): string {
  return drive.options.checks.length === 0
    ? 'the agent says so; there is no check'
    : 'the agent says so, and the checks pass'
}

/** Serious flags of all rounds, and what is known to be unfinished. */
function whatToLookAt({ run, drive, earlier }: EndedRun): string[] {
  const rounds = [drive, ...earlier]
  const flags = rounds.flatMap((each) => seriousFlags(each).map(describeFlag))
  const review = run.actions.findLast(({ action, voided }) => action.kind === 'review' && voided !== true)
  const work = run.actions.findLast(({ action, voided }) => action.kind === 'implement' && voided !== true)
  const why = whyUnreported(run, drive)
  const unreported = why === undefined ? [] : [`the work ${why}, and no agent has reported on it since`]
  return [...new Set([...flags, ...unreported, ...describeReview(review), ...describePartial(work)])]
}

function describeReview(review: Action | undefined): string[] {
  const { outcome } = review ?? {}
  if (outcome?.review === null || outcome?.review === undefined) return []
  const { findings, result } = outcome.review
  if (result === 'error' || result === 'inconclusive') return [`the review has no result: ${outcome.summary}`]
  return findings.map(({ location, summary }) => `the review found: ${location}: ${summary}`)
}

function describePartial(work: Action | undefined): string[] {
  const { outcome } = work ?? {}
  return outcome?.status === 'partial' ? [`the work is reported as partial: ${outcome.summary}`] : []
}
