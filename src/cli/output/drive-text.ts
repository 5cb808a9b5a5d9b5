/** A driven run as text for people. Pure. */
import { describeDecision } from '../../agents/describe-for-people.ts'
import { limitedBy } from '../../drive/decide/after-limit.ts'
import { describeAct } from '../../drive/decide/describe-act.ts'
import { describeFollowed } from '../../drive/decide/judge-work.ts'
import { nameRequirement } from '../../drive/decide/next-round.ts'
import { countUnknownCosts, spentBy } from '../../drive/decide/spending.ts'
import { describeRetries } from '../../drive/decide/verdict.ts'
import { flagsOf } from '../../drive/evidence/repository-flags.ts'
import type { DriveEvent, EventOf, Purpose } from '../../drive/record/drive-event.shape.ts'
import type { Attempt, DriveState } from '../../drive/record/drive-state.ts'
import type { DrivenRun } from '../../drive/service/driven-run.shape.ts'
import { formatMicro } from '../../kit/wording.ts'
import { countTokens } from '../../prompts/tokens.ts'
import { describeUnknownCosts } from '../../runs/report-markdown.ts'
import {
  describeBeforeWork,
  describeBoundary,
  describeCheck,
  describeDeliveryCheck,
  describeEvidence,
  describeFailedBeforeWork,
  describeFlags,
  describeRefused,
  failureOf,
} from './evidence-text.ts'
import { asWritten, formatDuration, type Times } from './format-amounts.ts'
import { toOneLine, toPrintable } from './printable.ts'
import { oneLine, type StyledLine } from './text-table.ts'
import { describeLimits, describeStart, folderLines, whole } from './work-text.ts'

const SHORT_ID = 8

function shortRunId(id: string): string {
  return id.slice(0, SHORT_ID)
}

/** The lines that a record adds to the output; none for records that only matter later. */
export function describeRecord(event: DriveEvent, state: DriveState, times: Times = asWritten): StyledLine[] {
  switch (event.type) {
    case 'drive_started':
      return describeStart(event.data)
    case 'drive_resumed':
      return [
        ...[`Run ${shortRunId(state.run_id)} continues`, ...describeLimits(event.data.options)],
        ...(state.waiting === undefined ? [] : [describeWait(state.waiting, times)]),
      ]
    case 'boundary_set':
      return describeBoundary(event.data, state)
    case 'boundary_seen':
      return describeRefused(event.data)
    case 'preparing':
    case 'setup_failed':
    case 'prepared':
    case 'baseline_ran':
      return describeBeforeWork(event, state)
    case 'attempt_started':
      return [{ text: describeAttempt(event.data, state), tone: 'title' }]
    case 'approval_decided':
      return [{ text: `  ${oneLine(describeDecision(event.data))}`, tone: 'dim' }]
    case 'agent_retries':
    case 'agent_answered':
      return [describeRetry(event, state, times)]
    case 'attempt_ended':
      return describeEnd(event.data, state)
    case 'check_ran':
      return [...describeCheck(event.data, '  ', state), ...failureOf(event.data)]
    case 'repository_changed':
      return describeFlags(flagsOf(event.data), '  ')
    case 'evidence':
      return describeEvidence(event.data, '  ')
    case 'outcome_rejected':
      return [{ text: `  the run does not accept the outcome: ${oneLine(event.data.problem)}`, tone: 'open' }]
    case 'outcome_submitted':
      return [describeOutcome(event.data)]
    case 'paused':
      // The verdict, which follows, says why.
      return [{ text: `Paused (${event.data.reason})`, tone: 'open' }]
    case 'interrupted':
      return []
    case 'waiting_for_limit':
      return [describeWait(event.data, times)]
    case 'handed_over':
      return [{ text: `${event.data.to} continues the work`, tone: 'title' }]
    case 'round_started':
      return [describeRound(event.data, state)]
    case 'delivery_checked':
      return describeDeliveryCheck(event.data, state)
    case 'delivered':
      return [describeDelivery(event.data)]
    case 'merge_checked':
      return describeDeliveryCheck(event.data, state)
    case 'merged':
    case 'pull_request_opened':
    case 'discarded':
    case 'discard_undone':
    case 'taken':
      return [whole(upperFirst(times(describeAct(event))))]
    default:
      return describeFollow(event, state)
  }
}

function describeWait(wait: NonNullable<DriveState['waiting']>, times: Times): StyledLine {
  const guess = wait.is_guess === true ? '; reset time unknown, tries again then' : ''
  return { text: times(`Waiting until ${wait.until}: ${limitedBy(wait)}${guess}`), tone: 'open' }
}

function upperFirst(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

/** Other words are the same for people. */
const OUTCOMES: Readonly<Record<string, string>> = {
  partial: 'completed in part',
  needs_input: 'a question to a person',
  error: 'an error',
}

const PURPOSES: Readonly<Record<Purpose, string>> = {
  action: '',
  outcome_problem: 'again, because its outcome was not valid',
  failed_check: 'again, because a check failed',
  contradiction: 'again, because its outcome was contradicted',
  stalled: 'again, because it made no progress',
  after_failure: 'again, after a failure',
  after_unknown_end: 'again, because the attempt before was cut off',
  after_limit: 'again, after its limit',
  hand_over: 'instead of the agent before',
}

function describeOutcome({ status, by }: EventOf<'outcome_submitted'>['data']): string {
  return `  outcome: ${OUTCOMES[status] ?? status}${by === 'drover' ? ' (written by drover)' : ''}`
}

type StartedAttempt = Omit<EventOf<'attempt_started'>['data'], 'tree'>

function describeAttempt(started: StartedAttempt, state: DriveState): string {
  const { attempt, action_kind, purpose, backend } = started
  const again = PURPOSES[purpose]
  return `${attempt}. ${action_kind} by ${backend}${again === '' ? whyReviewed(started, state) : ` ${again}`}`
}

/** Why there is a review although no agent has just worked, such as after an answer. What was suggested instead is left out. */
function whyReviewed({ attempt, action_kind }: StartedAttempt, { attempts }: DriveState): string {
  const before = attempts.findLast((each) => each.attempt < attempt)
  if (action_kind !== 'review' || before === undefined || before.action_kind === 'implement') return ''
  const suggested = suggestedIn(before.ended?.outcome)
  return `, because the changes so far are not reviewed${suggested === undefined ? '' : ` (${suggested} was suggested)`}`
}

function describeRetry(
  { type, data }: Extract<DriveEvent, { type: 'agent_retries' | 'agent_answered' }>,
  { attempts }: DriveState,
  times: Times,
): StyledLine {
  const { backend } = attempts.find(({ attempt }) => attempt === data.attempt) ?? { backend: 'the agent' }
  if (type === 'agent_answered') return { text: `  the provider of ${backend} has answered`, tone: 'dim' }
  return { text: `  ${backend} ${oneLine(times(describeRetries(data)))}`, tone: 'open' }
}

function describeEnd(ended: EventOf<'attempt_ended'>['data'], state: DriveState): StyledLine[] {
  const attempt = state.attempts.find((each) => each.attempt === ended.attempt)
  const said = summaryIn(ended.outcome)
  const problems = [
    ...(ended.problem === undefined ? [] : [`no valid outcome: ${oneLine(ended.problem)}`]),
    ...(ended.error === undefined ? [] : [oneLine(ended.error)]),
    ...ended.warnings.filter((warning) => DENIED.test(warning)).map(oneLine),
  ]
  return [
    { text: `  ${[ended.how, ...costParts(ended, attempt)].join(' · ')}`, tone: 'dim' },
    ...(said === undefined ? [] : [`  ${oneLine(said)}`]),
    ...problems.map((text): StyledLine => ({ text: `  ${text}`, tone: 'open' })),
  ]
}

const DENIED = /tool calls? (?:was|were) denied/

function costParts(
  { duration_ms, usage, cost_microusd, cost_kind }: EventOf<'attempt_ended'>['data'],
  attempt?: Attempt,
): string[] {
  return [
    formatDuration(duration_ms),
    usage === undefined || attempt === undefined ? 'usage unknown' : `${countTokens(usage, attempt.backend)} tokens`,
    ...(cost_microusd === undefined ? [] : [formatMicro(cost_microusd, cost_kind === 'priced')]),
  ]
}

function summaryIn(outcome: string | undefined): string | undefined {
  return outcome === undefined ? undefined : (JSON.parse(outcome) as { summary: string }).summary
}

function suggestedIn(outcome: string | undefined): string | undefined {
  if (outcome === undefined) return undefined
  const { suggested_actions: suggested } = JSON.parse(outcome) as { suggested_actions: readonly { kind: string }[] }
  return suggested[0]?.kind
}

/** What happens to the pull request. */
function describeFollow(event: DriveEvent, { requirements = [] }: DriveState): StyledLine[] {
  switch (event.type) {
    case 'requirements_judged':
      return event.data.verdicts.map(({ id, verdict, text }, at) => {
        const wanted = requirements.find((each) => each.id === id)
        const name = wanted === undefined ? '' : ` (${toOneLine(nameRequirement(wanted), OPEN_COLUMNS)})`
        return whole(`  requirement ${at + 1}${name}: ${verdict.replaceAll('_', ' ')}: ${toPrintable(text)}`)
      })
    case 'base_seen':
      return [`The base has moved to ${event.data.commit.slice(0, 12)}, without conflicts`]
    case 'branch_taken':
      return ['Another person pushed to the branch: drover does not push any more']
    case 'made_ready':
      return ['The pull request is ready for review']
    case 'followed':
      return [`The pull request was ${describeFollowed(event.data)}`]
    default:
      return []
  }
}

function describeDelivery(delivery: EventOf<'delivered'>['data'], { indent = '', isGone = false } = {}): StyledLine {
  const { as, branch, commit, pull_request, note } = delivery
  if (commit === undefined) return { text: `${indent}No commit: ${toPrintable(note ?? '')}`, keepsPaths: true }
  const where = `Commit ${commit?.slice(0, 12)}${isGone ? '' : ` on branch ${branch}`}`
  const more = as === 'pr' ? `, draft pull request ${pull_request}` : as === 'none' ? ', not delivered' : ''
  return { text: `${indent}${where}${more}`, keepsPaths: true }
}

const SHOWN_OPEN = 3
const OPEN_COLUMNS = 100

/** In one line, what the next round works on. */
function describeRound(
  { next_run_id: id, open = [] }: EventOf<'round_started'>['data'],
  { round }: DriveState,
): string {
  const shown = open.slice(0, SHOWN_OPEN).map((each) => toOneLine(each, OPEN_COLUMNS))
  const more = open.length - shown.length
  const list = [...shown, ...(more > 0 ? [`${more} more`] : [])].join('; ')
  return `Round ${round + 1}, run ${shortRunId(id)}, works on: ${list === '' ? 'what is open' : list}`
}

/** A run with the rounds before it, latest first. */
type Rounds = readonly [DriveState, ...DriveState[]]

type DriveView = {
  readonly times: Times
  /** A process drives it now. */
  readonly isDriven: boolean
}

/** Attempts, evidence, checks, cost and where the work is, for the status of a run. */
export function describeDrive([state, ...earlier]: Rounds, view: DriveView): StyledLine[] {
  const { times } = view
  const { place, delivered, paused, next_run_id, previous_run_id: previous, attempts, delivery_check: check } = state
  const lastChecked = attempts.findLast(({ checks }) => checks.length > 0)
  const inWorktree = isGone(state)
    ? []
    : [`branch ${place.kind === 'worktree' ? place.branch : ''}`, `worktree ${place.root}`]
  const where = place.kind === 'worktree' ? inWorktree : [`in ${place.root}`]
  return [
    { text: `Driven: ${describeSpent([state, ...earlier], view)}`, tone: 'title' },
    ...(delivered === undefined
      ? where.map((each) => whole(`  ${each}`))
      : [describeDelivery(delivered, { indent: '  ', isGone: isGone(state) })]),
    ...folderLines(place, '  folder'),
    ...(paused === undefined
      ? []
      : [{ text: `  paused (${paused.reason}): ${toPrintable(times(paused.message))}`, tone: 'open' } as const]),
    ...(previous === undefined ? [] : [`  continues run ${previous}`]),
    ...(next_run_id === undefined ? [] : [`  continued as ${next_run_id}`]),
    ...describeFailedBeforeWork(state),
    ...attempts.flatMap((attempt) =>
      describeAttemptFacts(attempt, { state, isLastChecked: attempt === lastChecked, ...view }),
    ),
    ...(check === undefined ? [] : describeDeliveryCheck(check, state)),
    ...state.acts.map((act) => whole(`  ${times(act.at)}: ${toPrintable(times(describeAct(act)))}`)),
  ]
}

type AttemptView = DriveView & { state: DriveState; isLastChecked: boolean }

/** The output of a failed check matters as long as no later attempt was checked. */
function describeAttemptFacts(attempt: Attempt, { state, isLastChecked, times, isDriven }: AttemptView): StyledLine[] {
  const { ended, retrying, checks, evidence, execution_id, repository_changed: changed } = attempt
  const running = retrying === undefined ? 'running' : oneLine(times(describeRetries(retrying)))
  const end = ended === undefined ? [isDriven ? running : 'unknown'] : [ended.how, ...costParts(ended, attempt)]
  return [
    `  ${describeAttempt(attempt, state)}: ${end.join(' · ')}`,
    { text: `    drover logs ${execution_id}`, tone: 'dim' },
    ...(ended?.problem === undefined
      ? []
      : [{ text: `    no valid outcome: ${oneLine(ended.problem)}`, tone: 'open' } as const]),
    ...(ended?.error === undefined ? [] : [{ text: `    ${oneLine(ended.error)}`, tone: 'open' } as const]),
    ...checks.flatMap((check) => [...describeCheck(check, '    ', state), ...(isLastChecked ? failureOf(check) : [])]),
    ...(changed === undefined ? [] : describeFlags(flagsOf(changed), '    ')),
    ...(evidence === undefined ? [] : describeEvidence(evidence, '    ')),
  ]
}

/** Merged and discarded work has neither a branch nor a worktree. */
function isGone({ merged, discarded }: DriveState): boolean {
  return merged !== undefined || discarded !== undefined
}

/** Where the work of a driven run is, in a few words. Empty if its branch is removed. */
export function describePlace(state: DriveState): string {
  const { place, delivered } = state
  if (isGone(state)) return ''
  if (delivered?.commit !== undefined) return `branch ${delivered.branch}`
  return place.kind === 'worktree' ? `branch ${place.branch}, in ${place.root}` : `driven in ${place.root}`
}

/** What the whole run has used, with the rounds before it, latest first. */
export function describeSpent(rounds: Rounds, { isDriven }: Pick<DriveView, 'isDriven'>): string {
  const { tokens, cost_microusd, priced_microusd: priced, time_ms } = spentBy(rounds[0])
  const attempts = rounds.flatMap((each) => each.attempts)
  const unpriced = countUnknownCosts(rounds, { isDriven })
  const unknown = attempts.filter(({ ended }) => ended !== undefined && ended.usage === undefined).length
  const count = attempts.length === 1 ? '1 attempt' : `${attempts.length} attempts`
  const parts = [
    rounds.length === 1 ? count : `${count} in ${rounds.length} rounds`,
    `${tokens} tokens`,
    ...(cost_microusd > 0 ? [formatMicro(cost_microusd, priced !== undefined)] : []),
    ...(unpriced > 0 ? [describeUnknownCosts(unpriced)] : []),
    formatDuration(time_ms),
    ...(unknown > 0 ? [`${unknown} with unknown usage`] : []),
  ]
  return parts.join(' · ')
}

/** The others with which a run changes the same files. */
export function overlapLines({ overlaps = [] }: Pick<DrivenRun, 'overlaps'>, nameOf: (id: string) => string): string[] {
  return overlaps.map(({ run_id: id, files: [first = '', ...more] }) => {
    const others = more.length === 0 ? '' : ` and ${more.length} more`
    return `changes ${toPrintable(first)}${others}, as ${nameOf(id)} does`
  })
}
