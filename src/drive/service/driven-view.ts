/** A driven run as clients see it. Pure. */
import { titleOfGoal } from '../../contract/goal-title.ts'
import type { PinnedReading } from '../../runs/change-run.ts'
import type { RunOutline } from '../../runs/read-status.ts'
import type { Patch } from '../../workspace/worktrees/diff-worktree.ts'
import { agentInCharge } from '../decide/after-limit.ts'
import { placeOf } from '../decide/agent-permissions.ts'
import { testChanges } from '../decide/check-results.ts'
import { describeAct } from '../decide/describe-act.ts'
import { whyNotReached } from '../decide/judge-work.ts'
import { countUnknownCosts, spentBy } from '../decide/spending.ts'
import { endOf } from '../decide/unknown-end.ts'
import { toVerdict, type VerdictFacts } from '../decide/verdict.ts'
import { flagsOf } from '../evidence/repository-flags.ts'
import { summarizeBoundary } from '../evidence/summarize-boundary.ts'
import type { Attempt, CheckRun, DeliveryCheck, DriveState } from '../record/drive-state.ts'
import type { DrivenRecord } from '../record/driven-record.shape.ts'
import { isSerious } from '../record/review-flags.ts'
import type { TestChange, TestResults } from '../record/test-results.shape.ts'
import type { DrivenDiff, DrivenRun, DrivenState, RunChoice } from './driven-run.shape.ts'

export type DrivenFacts = {
  readonly record: DrivenRecord
  readonly run: RunOutline
  readonly drive: DriveState
  readonly lastSeq: number
  readonly drivenBy: DrivenRun['driven_by']
} & Pick<VerdictFacts, 'earlier' | 'hasWorktree' | 'waitsFor' | 'now'>

/** What a server may have to continue when it was killed: also a run that is delivered may still have its worktree. */
export const LEFT_BY_SERVER: readonly DrivenState[] = ['interrupted', 'continued', 'ended']
/** Nothing is missing but a driver. */
export const CAN_GO_ON: readonly DrivenState[] = ['interrupted', 'paused', 'failed']

export function stateOfDriven({
  record,
  run,
  drive,
  drivenBy,
}: Pick<DrivenFacts, 'run' | 'drive' | 'drivenBy'> & Problematic): DrivenState {
  if (drive.next_run_id !== undefined) return 'continued'
  if (drivenBy !== undefined) return drive.waiting === undefined ? 'running' : 'waiting_for_limit'
  if (drive.discarded !== undefined) return 'discarded'
  if (mergedOf(drive) !== undefined) return 'merged'
  if (run.state === 'stopped') return 'stopped'
  if (run.state === 'paused') return 'waiting'
  if (record.queued !== undefined && drive.is_queued === true) return 'queued'
  if (problemOf({ record, drive }) !== undefined) return 'failed'
  // Also after the delivery: it does not follow its pull request any more.
  if (drive.paused !== undefined) return 'paused'
  return drive.delivered === undefined ? 'interrupted' : 'ended'
}

/** Here, or on the forge. */
function mergedOf({ merged, followed }: DriveState): DrivenRun['merged'] {
  if (merged !== undefined) return { into: merged.into, commit: merged.commit }
  if (followed?.end !== 'merged') return undefined
  return followed.merge_commit === undefined ? {} : { commit: followed.merge_commit }
}

type Problematic = { readonly record: Pick<DrivenRecord, 'problem' | 'queued'>; readonly drive: DriveState }

function problemOf({ record, drive }: Problematic): DrivenRecord['problem'] | undefined {
  return record.problem ?? drive.failed
}

/** What can be done with the run now. */
export function choicesFor(facts: DrivenFacts): RunChoice[] {
  return [...choicesOfDrive(facts), ...choicesOfWork(facts)]
}

/** What people can do with the work while no process drives the run. */
function choicesOfWork(facts: DrivenFacts): RunChoice[] {
  const state = stateOfDriven(facts)
  const { place, delivered } = facts.drive
  if (state === 'discarded') return ['undo-discard']
  if (place.kind !== 'worktree' || !HAS_WORK.includes(state)) return []
  if (delivered?.commit === undefined) return ['discard']
  if (delivered.as === 'none') return ['follow-up', 'discard']
  if (whyNotReached({ ...facts, delivered }) !== undefined) return ['follow-up', 'take', 'discard']
  const publish = delivered.pull_request === undefined ? (['pull-request'] as const) : []
  return ['follow-up', 'merge', ...publish, 'take', 'discard']
}

const HAS_WORK: readonly DrivenState[] = ['ended', 'stopped', 'paused', 'interrupted', 'failed']

function choicesOfDrive(facts: DrivenFacts): RunChoice[] {
  const { run } = facts
  switch (stateOfDriven(facts)) {
    case 'queued':
      return ['first', 'move', 'skip', 'stop']
    case 'running':
    case 'waiting_for_limit':
      return run.state === 'active' ? ['skip', 'stop'] : facts.drive.options.follow === true ? ['stop'] : []
    case 'waiting':
      return choicesOfWait(run)
    case 'stopped':
      return ['resume']
    case 'paused':
    case 'interrupted':
    case 'failed':
      return run.state === 'active' ? ['resume', 'skip', 'stop'] : ['resume']
    default:
      return []
  }
}

function choicesOfWait({ pause_reason, source_candidate, current_action }: RunOutline): RunChoice[] {
  if (source_candidate !== undefined) return ['stop']
  const skip = current_action === undefined ? [] : (['skip'] as const)
  switch (pause_reason) {
    case 'destructive_confirmation_required':
      return ['confirm', 'answer', ...skip, 'stop']
    case 'environment_unavailable':
    case 'budget_exhausted':
      return ['resume', ...skip, 'stop']
    default:
      return ['answer', ...skip, 'stop']
  }
}

/** Without the attempts, the findings and the report. */
export function toDrivenRun(facts: DrivenFacts): DrivenRun {
  const { record, run, drive, lastSeq, drivenBy } = facts
  const { options, place, delivered, paused, issue, previous_run_id, next_run_id } = drive
  const state = stateOfDriven(facts)
  const problem = problemOf(facts)
  const verdict = toVerdict({ ...facts, isDriven: drivenBy !== undefined, problem })
  const link = run.pinned_source?.canonical_url ?? issue?.url
  return {
    id: run.id,
    goal: run.goal,
    title: titleOfGoal(run.goal),
    state,
    verdict,
    created_at: run.created_at,
    updated_at: latest(run.updated_at, drive),
    ...(record.api_key !== undefined && { api_key: record.api_key }),
    ...(record.label !== undefined && { label: record.label }),
    ...(options.is_demo && { is_demo: true as const }),
    ...(drivenBy !== undefined && { driven_by: drivenBy }),
    repository: record.repository,
    worktree: place.root,
    ...toBranch(place),
    ...(link !== undefined && { issue: link }),
    round: drive.round,
    ...(previous_run_id !== undefined && { previous_run_id }),
    ...(next_run_id !== undefined && { next_run_id }),
    ...(run.current_action !== undefined && {
      action: {
        action_id: run.current_action.action_id,
        kind: run.current_action.kind,
        number: Math.max(1, run.actions.length),
      },
    }),
    actions: { taken: run.actions.length, remaining: run.remaining_budget },
    ...toOptions(facts),
    ...(state === 'waiting_for_limit' && { limit: drive.waiting }),
    ...(state === 'waiting' && { waits_for: waitsFor(facts) }),
    ...(state === 'paused' && paused !== undefined && { pause: paused }),
    ...(state === 'failed' && problem !== undefined && { problem }),
    ...(delivered !== undefined && { delivered: withNote(delivered, verdict) }),
    ...toActs(drive),
    choices: choicesFor(facts),
    last_seq: lastSeq,
  }
}

/** Older records have no note of a check that fails. */
export function withNote(delivered: NonNullable<DriveState['delivered']>, { word, reason }: DrivenRun['verdict']) {
  return word === 'not delivered' ? { ...delivered, note: delivered.note ?? reason } : delivered
}

function toBranch(place: DriveState['place']): Pick<DrivenRun, 'branch' | 'base' | 'base_branch'> {
  if (place.kind !== 'worktree') return {}
  const { branch, base, base_branch } = place
  return { branch, base, ...(base_branch !== undefined && { base_branch }) }
}

function toActs(drive: DriveState): Pick<DrivenRun, 'merged' | 'discarded' | 'acts'> {
  const merged = mergedOf(drive)
  const { discarded, acts } = drive
  return {
    ...(merged !== undefined && { merged }),
    ...(discarded !== undefined && { discarded: toDiscarded(discarded) }),
    ...(acts.length > 0 && {
      acts: acts.map((act) => ({ did: act.type, at: act.at, by: act.data.by, text: describeAct(act) })),
    }),
  }
}

function toDiscarded({ commit, until }: NonNullable<DriveState['discarded']>): NonNullable<DrivenRun['discarded']> {
  return { ...(commit !== undefined && { commit }), ...(until !== undefined && { until }) }
}

function latest(updatedAt: string, { attempts, started_at, acts }: DriveState): string {
  const last = attempts.at(-1)
  return (
    [updatedAt, acts.at(-1)?.at ?? '', last?.ended?.at ?? last?.started_at ?? started_at].sort().at(-1) ?? updatedAt
  )
}

function toOptions({ drive, run, earlier, drivenBy }: DrivenFacts) {
  const { options } = drive
  const { tokens, cost_microusd, priced_microusd: priced, time_ms } = spentBy(drive)
  const { max_tokens, max_cost_microusd, max_time_ms } = options
  const [worker, reviewer] = [agentInCharge('implement', drive), agentInCharge('review', drive)]
  const unknown = countUnknownCosts([drive, ...earlier], { isDriven: drivenBy !== undefined })
  return {
    ...worker,
    ...(run.review_enabled && {
      review_backend: reviewer.backend,
      ...(reviewer.model !== undefined && { review_model: reviewer.model }),
    }),
    approval_mode: placeOf(worker.backend, drive).approval,
    ...(options.mcp_servers !== undefined && { mcp_servers: options.mcp_servers }),
    checks: options.checks,
    rounds: options.rounds,
    deliver: options.deliver,
    limits: {
      ...(max_tokens !== undefined && { max_tokens }),
      ...(max_cost_microusd !== undefined && { max_cost_usd: max_cost_microusd / 1_000_000 }),
      ...(max_time_ms !== undefined && { max_time_secs: max_time_ms / 1000 }),
    },
    spent: {
      tokens,
      cost_usd: cost_microusd / 1_000_000,
      ...(priced !== undefined && { priced_usd: priced / 1_000_000 }),
      ...(unknown > 0 && { unknown_cost_attempts: unknown }),
      time_secs: time_ms / 1000,
    },
  }
}

type WaitReason = NonNullable<DrivenRun['waits_for']>['reason']

function waitsFor(facts: DrivenFacts): NonNullable<DrivenRun['waits_for']> {
  const { run } = facts
  const request = run.pending_destructive_request
  return {
    reason: waitReason(run),
    question: findQuestion(run),
    ...(run.current_action !== undefined && { action_id: run.current_action.action_id }),
    ...(request !== undefined && { destructive_request: request }),
    choices: choicesFor(facts),
  }
}

export function waitReason({ source_candidate, pause_reason }: RunOutline): WaitReason {
  return source_candidate === undefined ? (pause_reason ?? 'decision_required') : 'source_changed'
}

export function findQuestion({ source_candidate, pause_reason, actions }: RunOutline): string {
  if (source_candidate !== undefined) {
    return 'The issue has changed, and the run waits for a choice between its pinned and its current text.'
  }
  if (pause_reason === 'budget_exhausted') return 'The run has used all of its actions.'
  return actions.at(-1)?.outcome?.pause?.question ?? ''
}

export type DetailedRun = DrivenRun & Required<Pick<DrivenRun, 'attempts' | 'findings' | 'report'>>

/** The same with everything that is known. */
export function toDrivenRunDetail(
  facts: DrivenFacts,
  { report, source }: { report: string; source: DrivenRun['source'] | undefined },
): DetailedRun {
  const { run, drive } = facts
  const boundary = summarizeBoundary([drive, ...facts.earlier])
  const review = run.actions.findLast(({ action, voided }) => action.kind === 'review' && voided !== true)
  return {
    ...toDrivenRun(facts),
    attempts: drive.attempts.map((attempt) => toAttempt(attempt, facts)),
    ...toAnswers(run),
    ...(drive.told.length > 0 && { messages: drive.told.map(({ attempt: _, ...message }) => message) }),
    ...(drive.delivery_check !== undefined && { delivery_check: toDeliveryCheck(drive.delivery_check, drive) }),
    findings: review?.outcome?.review?.findings ?? [],
    ...(drive.requirements !== undefined && { requirements: toRequirements(drive) }),
    ...(boundary !== undefined && { boundary }),
    ...(source !== undefined && { source }),
    report,
  }
}

function toAnswers({ answers }: RunOutline): Pick<DrivenRun, 'answers'> {
  if (answers === undefined) return {}
  return {
    answers: answers.map(({ action_id, text, confirm_destructive, at }) => ({
      ...{ action_id, text, at },
      is_permit: confirm_destructive,
    })),
  }
}

function toRequirements({ requirements = [], judged = [] }: DriveState): NonNullable<DrivenRun['requirements']> {
  return requirements.map(({ id, text, from, path, line, url }) => {
    const found = judged.find((each) => each.id === id)
    return {
      ...{ text, from },
      ...(path !== undefined && { path }),
      ...(line !== undefined && { line }),
      ...(url !== undefined && { url }),
      ...(found !== undefined && { verdict: found.verdict, note: found.text }),
    }
  })
}

export function toSource({ source, materials }: PinnedReading): NonNullable<DrivenRun['source']> {
  return {
    title: source.title,
    sections: source.sections.map(({ key, role, title, material_sha256: digest, provenance }) => ({
      key,
      role,
      title,
      markdown: materials.get(digest) ?? '',
      url: provenance.url,
    })),
  }
}

export function toDrivenDiff({ record, drive, run }: DrivenFacts, { files, patch, isCut }: Patch): DrivenDiff {
  const { place, delivered } = drive
  if (place.kind !== 'worktree') throw new TypeError(`the run ${record.run_id} has no branch`)
  const { base, branch } = place
  return {
    id: run.id,
    base,
    branch,
    ...(delivered?.commit !== undefined && { commit: delivered.commit }),
    files: [...files],
    patch,
    is_cut: isCut,
  }
}

function toAttempt(attempt: Attempt, { drivenBy, drive }: DrivenFacts): NonNullable<DrivenRun['attempts']>[number] {
  const { ended, session_id, approvals, checks, rejected, model } = attempt
  const session = ended?.session_id ?? session_id
  const error = rejected ?? ended?.error ?? ended?.problem
  return {
    attempt: attempt.attempt,
    action_id: attempt.action_id,
    action_kind: attempt.action_kind,
    purpose: attempt.purpose,
    backend: attempt.backend,
    ...(model !== undefined && { model }),
    execution_id: attempt.execution_id,
    ...(session !== undefined && { session_id: session }),
    how: ended?.how ?? (drivenBy === undefined ? 'unknown' : 'running'),
    started_at: attempt.started_at,
    ...(ended !== undefined && { ended_at: endOf(attempt) ?? ended.at, duration_ms: ended.duration_ms }),
    ...(ended?.usage !== undefined && { usage: ended.usage }),
    ...(ended?.cost_microusd !== undefined && { cost_usd: ended.cost_microusd / 1_000_000 }),
    ...(ended?.cost_kind !== undefined && { cost_kind: ended.cost_kind }),
    ...summaryIn(ended?.outcome),
    ...(error !== undefined && { error }),
    ...(rejected === undefined && ended?.error_code !== undefined && { error_code: ended.error_code }),
    ...(approvals.length > 0 && { approvals: approvals.map(({ attempt: _, ...approval }) => approval) }),
    warnings: ended?.warnings ?? [],
    checks: checks.map((run) => toCheck(run, drive)),
    ...toEvidence(attempt),
  }
}

function toEvidence({ evidence, repository_changed: changed }: Attempt) {
  const flags = [...(changed === undefined ? [] : flagsOf(changed)), ...(evidence?.flags ?? [])]
  if (evidence === undefined && flags.length === 0) return {}
  const shown = flags.map((each) => ({ ...each, is_serious: isSerious(each) }))
  return { evidence: { claims: evidence?.claims ?? [], flags: shown } }
}

/** The text of an outcome was checked when it was recorded. */
function summaryIn(outcome: string | undefined): { summary?: string } {
  return outcome === undefined ? {} : { summary: (JSON.parse(outcome) as { summary: string }).summary }
}

/** Without what only the driver needs. */
function toCheck(run: CheckRun, drive: DriveState) {
  const { attempt: _, tree_id_before: _before, tree_id: _after, is_repeated: _again, put_back: _left, ...check } = run
  return withCounts(check, drive)
}

function toDeliveryCheck(check: DeliveryCheck, drive: DriveState): NonNullable<DrivenRun['delivery_check']> {
  return { ...check, checks: check.checks.map((run) => withCounts(run, drive)) }
}

/** A record has all names of tests, which are too many for every reader. */
function withCounts<R extends DeliveryCheck['checks'][number]>({ tests, ...run }: R, { baseline }: DriveState) {
  if (tests === undefined) return run
  return { ...run, tests: toTests(tests, testChanges({ command: run.command, tests }, baseline)) }
}

function toTests({ passed, failed, skipped }: TestResults, changes: readonly TestChange[]) {
  return { passed: passed.length, failed: failed.length, skipped: skipped.length, changes: [...changes] }
}
