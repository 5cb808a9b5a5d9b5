/**
 * What became of a driven run. Every face shows this verdict and no other: the exit code and the last lines of `drover drive`,
 * `drover status`, the report, the notification, HTTP, MCP, the library and the console. Pure.
 */
import type { RunVerdict } from '../../contract/run-verdict.shape.ts'
import type { RunOutline } from '../../runs/read-status.ts'
import type { DrivePause, EventOf } from '../record/drive-event.shape.ts'
import type { DriveState } from '../record/drive-state.ts'
import { limitedUntil } from './after-limit.ts'
import { describeMerge } from './describe-act.ts'
import { describeFollowedOf, judgeWork } from './judge-work.ts'
import { describeWait, type QueueWait } from './queue.ts'
import { spentBy, unpricedAttempt } from './spending.ts'
import { VERDICT_EXIT } from './verdict-words.ts'

export type VerdictFacts = {
  readonly run: Pick<
    RunOutline,
    | 'id'
    | 'state'
    | 'updated_at'
    | 'pause_reason'
    | 'source_candidate'
    | 'pending_destructive_request'
    | 'current_action'
    | 'actions'
  >
  readonly drive: DriveState
  /** The rounds before it, latest first: their work is part of what is delivered. */
  readonly earlier: readonly DriveState[]
  /** A process drives it now. */
  readonly isDriven: boolean
  /** Why no process can drive it. */
  readonly problem?: { readonly message: string } | undefined
  /** What it waits for in the queue. */
  readonly waitsFor?: QueueWait | undefined
  /** Its worktree is still there. */
  readonly hasWorktree: boolean
  readonly now: Date
  /** The id of the run as commands name it. */
  readonly name?: string | undefined
}

type Judged = Pick<RunVerdict, 'word' | 'reason' | 'next'> & {
  readonly lookFirst?: readonly string[] | undefined
  readonly line?: string
}

export function toVerdict(facts: VerdictFacts): RunVerdict {
  const { word, reason, next, line, lookFirst = [] } = judge(facts)
  const short = toPlainLine(reason)
  return {
    word,
    line: toPlainLine(line ?? (short === '' ? word : `${word}: ${short}`)),
    ...(word in VERDICT_EXIT && { exit_code: VERDICT_EXIT[word as keyof typeof VERDICT_EXIT] }),
    reason: short,
    next: toPlainLine(next),
    look_first: lookFirst.map(toPlainLine),
    exists: whatExists(facts),
  }
}

const LINE_CHARACTERS = 400

/** Agents and people write parts of it. */
function toPlainLine(text: string): string {
  const line = text
    .toWellFormed()
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
  return line.length > LINE_CHARACTERS ? `${line.slice(0, LINE_CHARACTERS - 1).toWellFormed()}…` : line
}

function judge(facts: VerdictFacts): Judged {
  const { run, drive } = facts
  const { next_run_id: followUp, paused, failed } = drive
  // The driver of a run that was stopped is about to end, and that of one that continues works on the next round.
  const isDriven = facts.isDriven && run.state !== 'stopped' && followUp === undefined
  const problem = facts.problem ?? failed
  if (isDriven && drive.waiting !== undefined) return ofWait(facts, drive.waiting)
  if (isDriven) return { word: 'running', reason: whatRuns(facts), next: command(facts, 'status', '--watch') }
  if (followUp !== undefined)
    return {
      word: 'continued',
      line: `continued as ${followUp}`,
      reason: `the run ${followUp} works on what was left open`,
      next: `drover status ${followUp}`,
    }
  const done = ofDone(facts)
  if (done !== undefined) return done
  if (run.state === 'stopped') return waits(facts, whyStopped(run))
  if (run.state === 'paused') return ofWaitingRun(facts)
  if (problem !== undefined) return { word: 'not delivered', reason: problem.message, next: command(facts, 'drive') }
  if (paused !== undefined) return ofPause(facts, paused)
  if (drive.is_queued === true) return ofQueued(facts)
  return (run.state === 'ended' ? judgeDelivered(facts) : undefined) ?? notDriven(facts)
}

function nameOf({ run, name }: VerdictFacts): string {
  return name ?? run.id
}

function command(facts: VerdictFacts, word: string, ...rest: readonly string[]): string {
  return ['drover', word, nameOf(facts), ...rest].join(' ')
}

function waits(facts: VerdictFacts, reason: string, next = command(facts, 'drive')): Judged {
  return { word: 'waits for you', reason, next }
}

function ofWait(facts: VerdictFacts, waiting: NonNullable<DriveState['waiting']>): Judged {
  const reason = `${limitedUntil(waiting)}${waiting.is_guess === true ? '' : '; the run continues then'}`
  return { word: 'waiting for limit', reason, next: command(facts, 'status', '--watch') }
}

function ofQueued({ drive: { after }, waitsFor = after === undefined ? 'turn' : 'run' }: VerdictFacts): Judged {
  return { word: 'queued', reason: describeWait(waitsFor, after), next: 'drover drive --queue' }
}

/** Nothing more is done with the work. What it left to look at is as true of it after a merge. */
function ofDone(facts: VerdictFacts): Judged | undefined {
  const { merged, discarded, followed, delivered } = facts.drive
  const next = command(facts, 'report')
  if (discarded !== undefined) {
    const { until } = discarded
    // There is no branch to bring back.
    if (until === undefined) return { word: 'discarded', reason: 'nothing was changed', next }
    return { word: 'discarded', reason: `the work is kept until ${until}`, next: command(facts, 'discard', '--undo') }
  }
  if (merged === undefined && followed?.end !== 'merged') return undefined
  const judged = judgeDelivered(facts)
  const { lookFirst } = judged ?? {}
  // By hand, or on the forge. A round that came too late says nothing about what was merged.
  const isBad = judged?.word === 'not delivered' && delivered?.as !== 'none'
  const although = isBad ? `, although it was not delivered: ${judged.reason}` : ''
  if (merged !== undefined) {
    const line = `${describeMerge(merged)}${although}`
    return { word: 'merged', line, reason: line, next, lookFirst }
  }
  const reason = followed && describeFollowedOf({ ...facts, followed })
  return { word: 'merged', reason: `${reason}${although}`, next, lookFirst }
}

function judgeDelivered(facts: VerdictFacts): Judged | undefined {
  const { delivered } = facts.drive
  if (delivered === undefined) return undefined
  return judgeWork({ ...facts, delivered, report: command(facts, 'report'), name: nameOf(facts) })
}

function whatRuns({ drive, run }: VerdictFacts): string {
  const last = drive.attempts.at(-1)
  if (last !== undefined && last.ended === undefined)
    return `${last.backend} works on ${last.action_kind}${last.retrying === undefined ? '' : `, and ${describeRetries(last.retrying)}`}`
  if (drive.delivered?.pull_request !== undefined) return `it follows ${drive.delivered.pull_request}`
  return run.current_action === undefined ? '' : `drover works on ${run.current_action.kind}`
}

/** `retries since 2026-01-31T10:00:00.000Z, 4 times so far: retry 4 of 10 after 529 overloaded` */
export function describeRetries({ count, since, message }: EventOf<'agent_retries'>['data']): string {
  const times = count === 1 ? '' : `, ${count} times so far`
  return `retries since ${since}${times}: ${message}`
}

/** A stop withdraws a question: what the agent asks about may change while the run is stopped. */
function whyStopped({ actions }: VerdictFacts['run']): string {
  const isAsked = actions.at(-1)?.outcome?.pause?.question !== undefined
  return isAsked
    ? 'the run was stopped, and its question withdrawn; when it continues, the agent looks again, and asks again if it has to'
    : 'the run was stopped'
}

/** The run itself waits for a person. */
function ofWaitingRun(facts: VerdictFacts): Judged {
  const { run } = facts
  if (run.source_candidate !== undefined) {
    return waits(facts, 'the issue has changed', command(facts, 'continue', '--use-pinned'))
  }
  const question = run.actions.at(-1)?.outcome?.pause?.question ?? ''
  switch (run.pause_reason) {
    case 'budget_exhausted':
      return {
        word: 'paused by limit',
        reason: 'the run has used all of its actions',
        next: command(facts, 'drive', '--actions 8'),
      }
    case 'environment_unavailable':
      return waits(facts, `something is missing: ${question}`)
    case 'destructive_confirmation_required':
      return waits(facts, question, command(facts, 'answer'))
    default:
      return waits(facts, question, command(facts, 'answer', '"TEXT"'))
  }
}

const MINUTE = 60_000
const MICRO = 1_000_000

/** The flag that lets the run use more. Totals of several runs are not in the records of one. */
function higherLimit(reason: DrivePause, drive: DriveState): string | undefined {
  const { tokens, cost_microusd: cost, time_ms: time } = spentBy(drive)
  const { max_tokens, max_cost_microusd, max_time_ms } = drive.options
  switch (reason) {
    case 'max_tokens':
      return `--max-tokens ${oneMore(max_tokens, tokens) ?? 'N'}`
    case 'max_cost': {
      const more = oneMore(max_cost_microusd, cost)
      return `--max-cost ${more === undefined ? 'USD' : more / MICRO}`
    }
    case 'cost_unknown':
      return (
        unpricedAttempt(drive) &&
        `--max-cost ${max_cost_microusd === undefined ? 'USD' : (2 * max_cost_microusd) / MICRO}`
      )
    case 'max_time': {
      const more = oneMore(max_time_ms, time)
      return `--max-time ${more === undefined ? 'TIME' : `${Math.ceil(more / MINUTE)}m`}`
    }
    case 'total_tokens':
      return '--total-tokens N'
    case 'total_cost':
      return '--total-cost USD'
    default:
      return undefined
  }
}

/** A multiple of the limit that leaves room for at least as much as it did. */
function oneMore(limit: number | undefined, used: number): number | undefined {
  return limit === undefined || limit === 0 ? undefined : limit * (Math.max(1, Math.ceil(used / limit)) + 1)
}

/** The flag with which a run whose checks fail before the work does not pause again. */
function afterBaseline({ baseline }: DriveState): string {
  return baseline.some(({ could_start: couldStart }) => !couldStart) ? '--check "COMMAND"' : '--baseline note'
}

/** The driver has stopped, and said why. */
function ofPause(facts: VerdictFacts, { reason, message }: NonNullable<DriveState['paused']>): Judged {
  if (reason === 'tampered') return { word: 'not delivered', reason: message, next: command(facts, 'report') }
  if (reason === 'agent_limited' || reason === 'budget_spent')
    return { word: 'paused by limit', reason: message, next: command(facts, 'drive') }
  if (reason === 'baseline_failed') return waits(facts, message, command(facts, 'drive', afterBaseline(facts.drive)))
  const flag = higherLimit(reason, facts.drive)
  if (flag === undefined) return waits(facts, message)
  return { word: 'paused by limit', reason: message, next: command(facts, 'drive', flag) }
}

/** Its driver died or was interrupted, and left no reason; or a person has answered since it stopped. */
function notDriven(facts: VerdictFacts): Judged {
  const { drive, run, now } = facts
  const last = drive.attempts.at(-1)
  // Older records say it only of an attempt.
  const isInterrupted = drive.interrupted_at !== undefined || last?.ended?.how === 'cancelled'
  const how = wasAnswered(facts) ? 'answered' : isInterrupted ? 'interrupted' : 'killed'
  const times = [run.updated_at, drive.started_at, last?.started_at, last?.ended?.at, drive.interrupted_at]
  const at =
    times
      .map((time) => time ?? '')
      .sort()
      .at(-1) ?? ''
  return withoutDriver({ reason: `${how} ${formatAgo(at, now)}`, next: command(facts, 'drive') })
}

/** The last outcome asked a question, and nothing was attempted since. */
function wasAnswered({ run, drive }: VerdictFacts): boolean {
  const asked = run.actions.findLast(({ outcome }) => outcome !== undefined)
  const last = drive.attempts.at(-1)
  const isQuestion = asked?.outcome?.pause !== undefined && asked.outcome.pause !== null
  return isQuestion && last?.action_id === asked.action.action_id
}

function withoutDriver({ reason, next }: Pick<Judged, 'reason' | 'next'>): Judged & { readonly line: string } {
  return { word: 'not driven', line: `not driven (${reason}): ${next}`, reason, next }
}

type Published = { readonly id: string; readonly updated_at: string; readonly verdict: RunVerdict }

/** The verdict that a machine has published, if the run has lost its driver since. */
export function withLostDriver({ id, updated_at, verdict }: Published, now: Date): RunVerdict {
  const { exit_code: _, ...rest } = verdict
  return { ...rest, ...withoutDriver({ reason: `killed ${formatAgo(updated_at, now)}`, next: `drover drive ${id}` }) }
}

function formatAgo(at: string, now: Date): string {
  const minutes = Math.max(0, Math.floor((now.getTime() - Date.parse(at)) / MINUTE))
  if (minutes < 1) return 'just now'
  if (minutes < 60) return `${minutes} min ago`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ago` : `${Math.floor(hours / 24)} d ago`
}

function whatExists({ drive, hasWorktree }: VerdictFacts): RunVerdict['exists'] {
  const { place, delivered, next_run_id: followUp, merged, discarded } = drive
  const isGone = merged !== undefined || discarded !== undefined
  const isOnBranch = place.kind === 'worktree' && !isGone && (delivered?.commit !== undefined || hasWorktree)
  return {
    ...(isOnBranch && { branch: place.branch }),
    ...(delivered?.commit !== undefined && { commit: delivered.commit }),
    ...(delivered?.pull_request !== undefined && { pull_request: delivered.pull_request }),
    ...(hasWorktree && { worktree: place.root }),
    ...(followUp !== undefined && { follow_up: followUp }),
  }
}
