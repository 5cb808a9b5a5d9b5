/** A driven run as text for people. Pure. */

import { spentBy, tokensOf } from '../../drive/decide/budget.ts'
import { describeClaim, howItEnded } from '../../drive/prompt/follow-ups.ts'
import type { Attempt, DriveState } from '../../drive/record/drive-state.ts'
import type { DriveEvent, Options, Purpose } from '../../drive/record/event.shape.ts'
import type { EventOf } from '../../drive/record/event.ts'
import { formatDuration } from '../output/format-time.ts'
import { toOneLine, toPrintable } from '../output/printable.ts'
import { formatCost } from '../output/usage-text.ts'

const LINE_COLUMNS = 160
const SHORT_ID = 8

function shortRunId(id: string): string {
  return id.slice(0, SHORT_ID)
}

/** The lines that a record adds to the output; none for records that only matter later. */
export function describeRecord(event: DriveEvent, state: DriveState): string[] {
  switch (event.type) {
    case 'drive_started':
      return describeStart(event.data)
    case 'drive_resumed':
      return [`Run ${shortRunId(state.run_id)} goes on`, ...describeLimits(event.data.options)]
    case 'attempt_started':
      return [describeAttempt(event.data)]
    case 'attempt_ended':
      return describeEnd(event.data, state)
    case 'check_ran':
      return [`  check ${toOneLine(event.data.command, LINE_COLUMNS)} ${howItEnded(event.data)}`]
    case 'evidence':
      return describeEvidence(event.data)
    case 'outcome_rejected':
      return [`  the run does not accept the outcome: ${toOneLine(event.data.problem, LINE_COLUMNS)}`]
    case 'outcome_submitted':
      return [`  outcome: ${event.data.status}${event.data.by === 'drover' ? ' (written by drover)' : ''}`]
    case 'paused':
      return [`Paused (${event.data.reason}): ${toPrintable(event.data.message)}`]
    case 'round_started':
      return [`Another run works on what is open: ${shortRunId(event.data.next_run_id)}`]
    case 'delivered':
      return [describeDelivery(event.data)]
    default:
      return []
  }
}

function describeStart({ run_id, goal, place, options, round }: EventOf<'drive_started'>['data']): string[] {
  const where =
    place.kind === 'worktree' ? `Worktree ${place.root} on branch ${place.branch}` : `In place: ${place.root}, as it is`
  const agents = `Work by ${nameOf(options)}, review by ${options.review_backend}${options.is_demo ? ' (demo)' : ''}`
  const title = round > 1 ? `Run ${run_id}, round ${round}` : `Run ${run_id}: ${toOneLine(goal, LINE_COLUMNS)}`
  return [title, where, agents, ...describeLimits(options)]
}

function nameOf({ backend, model }: Pick<Options, 'backend' | 'model'>): string {
  return model === undefined ? backend : `${backend}/${model}`
}

/** No agent reports its usage before a turn has ended, so that is when a limit is noticed. */
function describeLimits({ max_tokens, max_cost_microusd, max_time_ms }: Options): string[] {
  const limits = [
    ...(max_tokens === undefined ? [] : [`${max_tokens} tokens (noticed after a turn)`]),
    ...(max_cost_microusd === undefined ? [] : [`${formatMicro(max_cost_microusd)} (noticed after a turn)`]),
    ...(max_time_ms === undefined ? [] : [formatDuration(max_time_ms)]),
  ]
  return limits.length === 0 ? [] : [`Limits: ${limits.join(', ')}`]
}

const PURPOSES: Readonly<Record<Purpose, string>> = {
  action: '',
  outcome_problem: 'again, because its outcome was not valid',
  failed_check: 'again, because a check failed',
  contradiction: 'again, because its outcome was contradicted',
  stalled: 'again, because it made no progress',
  after_failure: 'again, after a failure',
  after_unknown_end: 'again, because the end of the attempt before is unknown',
}

function describeAttempt({
  attempt,
  action_kind,
  purpose,
  backend,
}: Omit<EventOf<'attempt_started'>['data'], 'tree'>): string {
  const again = PURPOSES[purpose]
  return `${attempt}. ${action_kind} by ${backend}${again === '' ? '' : ` ${again}`}`
}

function describeEnd(ended: EventOf<'attempt_ended'>['data'], state: DriveState): string[] {
  const attempt = state.attempts.find((each) => each.attempt === ended.attempt)
  const said = summaryIn(ended.outcome)
  const denied = ended.warnings.filter((warning) => /denied/.test(warning))
  return [
    `  ${[ended.how, ...costParts(ended, attempt)].join(' · ')}`,
    ...(said === undefined ? [] : [`  ${toOneLine(said, LINE_COLUMNS)}`]),
    ...(ended.problem === undefined ? [] : [`  no valid outcome: ${toOneLine(ended.problem, LINE_COLUMNS)}`]),
    ...(ended.error === undefined ? [] : [`  ${toOneLine(ended.error, LINE_COLUMNS)}`]),
    ...denied.map((warning) => `  ${toOneLine(warning, LINE_COLUMNS)}`),
  ]
}

function costParts(
  { duration_ms, usage, cost_microusd }: EventOf<'attempt_ended'>['data'],
  attempt?: Attempt,
): string[] {
  const cost = formatMicro(cost_microusd)
  return [
    formatDuration(duration_ms),
    usage === undefined || attempt === undefined ? 'usage unknown' : `${tokensOf(usage, attempt.backend)} tokens`,
    ...(cost === undefined ? [] : [cost]),
  ]
}

function summaryIn(outcome: string | undefined): string | undefined {
  return outcome === undefined ? undefined : (JSON.parse(outcome) as { summary: string }).summary
}

function describeEvidence({ claims, flags }: EventOf<'evidence'>['data']): string[] {
  const countOf = (wanted: string) => claims.filter(({ verdict }) => verdict === wanted).length
  const counts = ['observed', 'claimed', 'contradicted'].map((verdict) => `${countOf(verdict)} ${verdict}`)
  return [
    `  evidence: ${counts.join(', ')}`,
    ...claims
      .filter(({ verdict }) => verdict !== 'observed')
      .map((claim) => `    ${claim.verdict} ${toOneLine(describeClaim(claim).slice(2), LINE_COLUMNS)}`),
    ...flags.map(({ flag, detail }) => `    look at: ${flag.replaceAll('_', ' ')}: ${toOneLine(detail, LINE_COLUMNS)}`),
  ]
}

function describeDelivery(delivery: EventOf<'delivered'>['data']): string {
  const { as, branch, commit, pull_request, note } = delivery
  if (as === 'none') return `Not delivered: ${note ?? ''}`
  const where = `branch ${branch} (commit ${commit?.slice(0, 12)})`
  return as === 'pr' ? `Delivered: ${where}, draft pull request ${pull_request}` : `Delivered: ${where}`
}

/** Attempts, evidence, checks, cost and where the work is, for the status of a run. */
export function describeDrive(state: DriveState): string[] {
  const { place, delivered, paused, next_run_id, attempts } = state
  const where = place.kind === 'worktree' ? `branch ${place.branch}, worktree ${place.root}` : `in place, ${place.root}`
  return [
    `Driven: ${describeSpent(state)}`,
    `  ${where}`,
    ...attempts.flatMap((attempt) => [
      `  ${describeAttempt(attempt)}: ${attempt.ended?.how ?? 'running'} (${attempt.execution_id})`,
      ...attempt.checks.map((check) => `    check ${toOneLine(check.command, LINE_COLUMNS)} ${howItEnded(check)}`),
      ...(attempt.evidence === undefined ? [] : describeEvidence(attempt.evidence).map((line) => `  ${line}`)),
    ]),
    ...(paused === undefined ? [] : [`  paused (${paused.reason}): ${toPrintable(paused.message)}`]),
    ...(next_run_id === undefined ? [] : [`  goes on as run ${next_run_id}`]),
    ...(delivered === undefined ? [] : [`  ${describeDelivery(delivered)}`]),
  ]
}

/** What the whole run has used. */
export function describeSpent(state: DriveState): string {
  const { tokens, cost_microusd, time_ms } = spentBy(state)
  const unknown = state.attempts.filter(({ ended }) => ended !== undefined && ended.usage === undefined).length
  const parts = [
    `${state.attempts.length} attempts`,
    `${tokens} tokens`,
    ...(cost_microusd > 0 ? [formatMicro(cost_microusd) ?? ''] : []),
    formatDuration(time_ms),
    ...(unknown > 0 ? [`${unknown} with unknown usage`] : []),
  ]
  return parts.join(' · ')
}

/** Costs are recorded in millionths of a dollar. */
export function formatMicro(cost: number | undefined): string | undefined {
  return cost === undefined ? undefined : formatCost(cost / 1_000_000)
}
