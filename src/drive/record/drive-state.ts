/** The state of a driven run, as its events tell it. Pure. */
import { isBudget } from '../../prompts/budget-faults.ts'
import { type ActState, applyActEvent, isActEvent } from './act-state.ts'
import type { BoundarySeen } from './boundary-summary.shape.ts'
import type { DriveEvent, EventOf, Place } from './drive-event.shape.ts'
import type { JudgedRequirement, Requirement } from './follow-event.shape.ts'
import type { Options } from './recorded-options.shape.ts'

type Started = EventOf<'attempt_started'>['data']
type Ended = EventOf<'attempt_ended'>['data']

export type Attempt = Started & {
  readonly started_at: string
  /** The session of the attempt, as soon as it is known. */
  readonly session_id?: string
  /** The agent waits for its provider, which has not answered its last requests. */
  readonly retrying?: EventOf<'agent_retries'>['data'] | undefined
  /** Undefined while it runs, or if its driver was killed. */
  readonly ended?: Ended & { readonly at: string }
  /** Who decided about what the agent asked for, oldest first. */
  readonly approvals: readonly Approval[]
  /** Those that drover ran after it: of each command the last run. */
  readonly checks: readonly CheckRun[]
  readonly evidence?: Evidence
  /** What has changed in the repository while it ran, and was not restored since. */
  readonly repository_changed?: EventOf<'repository_changed'>['data']
  /** Why the run did not accept its outcome. */
  readonly rejected?: string
  /** The agent that took over after it. */
  readonly handed_to?: string
}

type Approval = EventOf<'approval_decided'>['data'] & { readonly at: string }

export type CheckRun = EventOf<'check_ran'>['data'] & {
  readonly at: string
  /** It ran before, and then files were changed. */
  readonly is_repeated?: boolean
}
export type BaselineRun = EventOf<'baseline_ran'>['data']
type Evidence = EventOf<'evidence'>['data']
type Submitted = EventOf<'outcome_submitted'>['data']
export type DeliveryCheck = EventOf<'delivery_checked'>['data']
type Delivery = EventOf<'delivered'>['data']

export type DriveState = Driven & ActState

type Driven = EventOf<'drive_started'>['data'] & {
  readonly started_at: string
  /** Those of the latest driver. */
  readonly options: Options
  /** The run before it has delivered, and the worktree has its work. */
  readonly started_on?: EventOf<'started_on'>['data']
  /** The last time that another machine took it, and the number of attempts before. */
  readonly moved?: EventOf<'moved'>['data'] & { readonly at: string; readonly attempts: number }
  /** Undefined in older records, which know no boundary. */
  readonly boundary?: EventOf<'boundary_set'>['data']
  /** What was reached and refused, in the order in which it was recorded. */
  readonly boundary_seen: readonly BoundarySeen[]
  /** Undefined until the worktree is prepared. */
  readonly prepared?: EventOf<'prepared'>['data']
  /** The command that failed in the preparation by the latest driver. */
  readonly setup_failed?: EventOf<'setup_failed'>['data']
  /** What the checks said before the first attempt. */
  readonly baseline: readonly BaselineRun[]
  /** Whether the work may begin although checks fail. */
  readonly baseline_decided?: EventOf<'baseline_decided'>['data']
  readonly attempts: readonly Attempt[]
  /** What agents were told while they worked, oldest first. It counts as decisions of the user. */
  readonly told: readonly EventOf<'user_message'>['data'][]
  readonly submitted: readonly Submitted[]
  /** The number of attempts when the latest driver began: what stopped an earlier one does not stop it. */
  readonly attempts_before: number
  /** The number of attempts when a driver last paused. */
  readonly attempts_at_pause: number
  /** The number of attempts when a person last changed the limit of costs. Unknown costs before that are accepted. */
  readonly attempts_accepted: number
  /** What happens at limits of agents. */
  readonly limit_choice?: EventOf<'limit_decided'>['data']['choice']
  /** The limit that the driver waits for. */
  readonly waiting?: EventOf<'waiting_for_limit'>['data']
  /** The number of attempts when such a wait was last over. */
  readonly attempts_at_wait?: number
  /** The agents that took over from those in the options. */
  readonly handed_to?: { readonly work?: string; readonly review?: string }
  /** Why the driver stopped; undefined as soon as another one continues. */
  readonly paused?: EventOf<'paused'>['data']
  /** When the latest driver was told to end; undefined as soon as another one continues. */
  readonly interrupted_at?: string
  /** What stopped the latest driver. */
  readonly failed?: EventOf<'drive_failed'>['data']
  /** A person was told of serious flags before the delivery. */
  readonly flags_shown?: true
  readonly next_run_id?: string
  /** What the next run has to do, if it came after the delivery. */
  readonly next_requirements?: readonly Requirement[]
  /** What the checks said in a clean checkout of the commit. */
  readonly delivery_check?: DeliveryCheck
  readonly delivered?: Delivery
  readonly delivered_at?: string
  /** What the user wants in addition, whether a round was started for it or not. */
  readonly asked: readonly Requirement[]
  /** What became of its requirements. */
  readonly judged?: readonly JudgedRequirement[]
  /** The requirements whose answers the forge has. */
  readonly answered: readonly string[]
  readonly base_seen?: EventOf<'base_seen'>['data']
  /** The commit that the text of the pull request is about. */
  readonly described?: string
  /** The commit that another person pushed; undefined if a person let drover take over since. */
  readonly branch_taken?: string
  /** The commits of the branch on the remote that drover pushed or took over, latest first. */
  readonly pushed: readonly string[]
  /** The commit that drover continues on since the delivery. */
  readonly taken_over?: string
  readonly followed?: EventOf<'followed'>['data']
}

/** Undefined if the run was never driven. */
export function toDriveState(events: readonly DriveEvent[]): DriveState | undefined {
  return events.reduce<DriveState | undefined>(applyDriveEvent, undefined)
}

const EMPTY = {
  ...{ baseline: [], boundary_seen: [], attempts: [], told: [], submitted: [] },
  ...{ asked: [], answered: [], pushed: [], acts: [] },
  ...{ attempts_before: 0, attempts_at_pause: 0, attempts_accepted: 0 },
} as const

function applyDriveEvent(state: DriveState | undefined, event: DriveEvent): DriveState {
  const { type, at, data } = event
  if (type === 'drive_started') return { ...data, started_at: at, ...EMPTY }
  if (state === undefined) throw new TypeError(`a driven run cannot begin with ${type}`)
  switch (type) {
    case 'drive_resumed': {
      const { paused: _, setup_failed: __, failed: ___, is_queued: ____, interrupted_at: _____, ...rest } = state
      // Its limit may be another one now.
      const kept = isBudget(rest.waiting?.code) ? withoutWait(rest) : rest
      const resumed = {
        ...withOptions(beforeWorkAgain(kept, data.options), data.options),
        attempts_before: state.attempts.length,
      }
      return data.chooses_limit === true ? chooseLimit(resumed) : resumed
    }
    case 'started_on':
      return { ...state, started_on: data, place: onCommit(state.place, data.commit) }
    case 'boundary_set':
      return { ...state, boundary: data }
    case 'boundary_seen':
      return { ...state, boundary_seen: [...state.boundary_seen, data] }
    case 'preparing':
      return state
    case 'moved': {
      const { prepared: _, ...rest } = state
      return { ...rest, moved: { ...data, at, attempts: state.attempts.length } }
    }
    case 'setup_failed':
      return { ...state, setup_failed: data }
    case 'prepared':
      return { ...state, prepared: data }
    case 'baseline_ran':
      return { ...state, baseline: [...state.baseline, data] }
    case 'baseline_decided':
      return { ...state, baseline_decided: data }
    case 'attempt_started':
      return { ...state, attempts: [...state.attempts, { ...data, started_at: at, approvals: [], checks: [] }] }
    case 'limit_decided':
      return { ...state, limit_choice: data.choice }
    case 'waiting_for_limit':
      return { ...state, waiting: data }
    case 'limit_passed':
      return { ...withoutWait(state), attempts_at_wait: state.attempts.length }
    case 'handed_over':
      return handOver(state, data)
    case 'session_opened':
      return updateAttempt(state, data.attempt, () => ({ session_id: data.session_id }))
    case 'approval_decided':
      return updateAttempt(state, data.attempt, ({ approvals }) => ({ approvals: [...approvals, { ...data, at }] }))
    case 'agent_retries':
      return updateAttempt(state, data.attempt, () => ({ retrying: data }))
    case 'agent_answered':
      return updateAttempt(state, data.attempt, () => ({ retrying: undefined }))
    case 'user_message':
      return { ...state, told: [...state.told.filter(({ message_id }) => message_id !== data.message_id), data] }
    case 'attempt_ended':
      return updateAttempt(state, data.attempt, () => ({ ended: { ...data, at }, retrying: undefined }))
    case 'repository_changed':
      return updateAttempt(state, data.attempt, () => ({ repository_changed: data }))
    case 'repository_restored':
      return data.restored.reduce(withoutChange, state)
    case 'check_ran':
      return updateAttempt(state, data.attempt, ({ checks }) => ({ checks: withCheck(checks, { ...data, at }) }))
    case 'evidence':
      return updateAttempt(state, data.attempt, () => ({ evidence: data }))
    case 'outcome_rejected':
      return updateAttempt(state, data.attempt, () => ({ rejected: data.problem }))
    case 'outcome_submitted':
      return { ...state, submitted: [...state.submitted, data] }
    case 'paused':
      return { ...withoutWait(state), ...noteFlags(data), paused: data, attempts_at_pause: state.attempts.length }
    case 'interrupted':
      return { ...state, interrupted_at: at }
    case 'drive_failed':
      return { ...state, failed: data }
    case 'round_started':
      return announce(state, data)
    case 'delivery_checked':
      return { ...state, delivery_check: data }
    case 'delivered': {
      const { taken_over: _, ...rest } = state
      return { ...rest, delivered: data, delivered_at: at, pushed: withPushed(state, data) }
    }
    default:
      return isActEvent(event) ? applyActEvent(state, event) : applyFollowEvent(state, event)
  }
}

function withPushed({ pushed }: DriveState, { as, commit }: Delivery): readonly string[] {
  return as === 'pr' && commit !== undefined ? [commit, ...pushed] : pushed
}

function announce(state: DriveState, { next_run_id, requirements }: EventOf<'round_started'>['data']): DriveState {
  return { ...state, next_run_id, ...(requirements !== undefined && { next_requirements: requirements }) }
}

type FollowEvent = Extract<DriveEvent, { type: (typeof FOLLOW_TYPES)[number] }>
const FOLLOW_TYPES = [
  ...(['asked', 'requirements_judged', 'answered', 'base_seen', 'described', 'branch_taken'] as const),
  ...(['taken_over', 'made_ready', 'followed'] as const),
]

function applyFollowEvent(state: DriveState, { type, data }: FollowEvent): DriveState {
  switch (type) {
    case 'asked':
      return { ...state, asked: [...state.asked, ...data.requirements] }
    case 'requirements_judged':
      return { ...state, judged: data.verdicts }
    case 'answered':
      return { ...state, answered: [...state.answered, data.id] }
    case 'base_seen':
      return { ...state, base_seen: data }
    case 'described':
      return { ...state, described: data.commit }
    case 'branch_taken':
      return { ...state, branch_taken: data.commit }
    case 'taken_over': {
      const { branch_taken: _, ...rest } = state
      return { ...rest, taken_over: data.commit, pushed: [data.commit, ...state.pushed] }
    }
    case 'made_ready':
      return state
    case 'followed':
      return { ...state, followed: data }
  }
}

function onCommit(place: Place, base: string): Place {
  return place.kind === 'worktree' ? { ...place, base } : place
}

/** Other options may decide otherwise about a limit, and name other agents. */
function withOptions(state: DriveState, options: Options): DriveState {
  const { options: before, handed_to: to = {} } = state
  const isSame = (key: keyof Options) => JSON.stringify(before[key]) === JSON.stringify(options[key])
  const { work, review } = to
  const kept = {
    ...(work !== undefined && isSame('backend') && { work }),
    ...(review !== undefined && isSame('review_backend') && { review }),
  }
  const isWaitKept = isSame('on_limit') && isSame('fallback') && isSame('max_wait_ms') && isSame('backend')
  const { limit_choice: choice, ...rest } = isWaitKept ? state : withoutWait(state)
  return {
    ...rest,
    ...(choice !== undefined && isSame('on_limit') && { limit_choice: choice }),
    ...(!isSame('max_cost_microusd') && { attempts_accepted: state.attempts.length }),
    options,
    handed_to: kept,
  }
}

/** The next step is decided again. An agent that is named as its own replacement is tried before its reset. */
function chooseLimit(state: DriveState): DriveState {
  const { attempts, options } = state
  const last = attempts.at(-1)?.backend ?? ''
  const isTried = options.on_limit === 'next' && options.fallback?.includes(last) === true
  return { ...withoutWait(state), ...(isTried && { attempts_at_pause: attempts.length }) }
}

function withoutWait({ waiting: _, ...state }: DriveState): DriveState {
  return state
}

function handOver(state: DriveState, { attempt, to }: EventOf<'handed_over'>['data']): DriveState {
  const from = state.attempts.find((each) => each.attempt === attempt)
  const role = from?.action_kind === 'review' ? 'review' : 'work'
  return { ...updateAttempt(state, attempt, () => ({ handed_to: to })), handed_to: { ...state.handed_to, [role]: to } }
}

function noteFlags({ reason }: EventOf<'paused'>['data']): Pick<DriveState, 'flags_shown'> {
  return reason === 'serious_flags' ? { flags_shown: true } : {}
}

function withoutChange(state: DriveState, { attempt, name }: { attempt: number; name: string }): DriveState {
  return updateAttempt(state, attempt, ({ repository_changed: found }) =>
    found === undefined
      ? {}
      : { repository_changed: { ...found, changes: found.changes.filter((each) => each.name !== name) } },
  )
}

/** What failed before the work may be repaired by now, or prepared in another way. A later round keeps what the first one saw. */
function beforeWorkAgain(state: DriveState, options: Options): DriveState {
  if (state.attempts.length > 0 || state.round > 1) return state
  const { baseline_decided: _, prepared, ...rest } = state
  const isSame = PREPARATION.every((key) => JSON.stringify(state.options[key]) === JSON.stringify(options[key]))
  return { ...rest, ...(isSame && prepared !== undefined && { prepared }), baseline: [] }
}

const PREPARATION = ['setup', 'copy', 'share'] as const satisfies (keyof Options)[]

function withCheck(checks: readonly CheckRun[], run: CheckRun): CheckRun[] {
  const others = checks.filter(({ command }) => command !== run.command)
  return [...others, others.length < checks.length ? { ...run, is_repeated: true } : run]
}

function updateAttempt(state: DriveState, number: number, update: (attempt: Attempt) => Partial<Attempt>): DriveState {
  const attempts = state.attempts.map((each) => (each.attempt === number ? { ...each, ...update(each) } : each))
  return { ...state, attempts }
}

/** The attempts at one action, oldest first. */
export function attemptsAt({ attempts }: Pick<DriveState, 'attempts'>, actionId: string): readonly Attempt[] {
  return attempts.filter(({ action_id }) => action_id === actionId)
}

/** Evidence about an earlier attempt was sent back, and does not count any more. */
export function judgedAttempts({ attempts }: Pick<DriveState, 'attempts'>): readonly Attempt[] {
  return attempts.filter(
    ({ action_id, attempt }) => !attempts.some((later) => later.action_id === action_id && later.attempt > attempt),
  )
}
