/**
 * Drives a run: decides the next step from the records, does it, records it, and decides again. Only the driver of a run
 * writes its records, so a driver that comes later continues where the last one was ended.
 */
import type { ProtocolState } from '../contract/protocol-state.shape.ts'
import { Fault } from '../kit/fault.ts'
import { encodeUtf8 } from '../kit/utf8.ts'
import { reportChange } from '../runs/change-run.ts'
import { openRun } from '../runs/open-run.ts'
import { submitOutcome } from '../runs/operations.ts'
import { readOutcome } from '../runs/read-outcome.ts'
import { askGit, gitErrorLine, SLOW_GIT_MS } from '../workspace/git.ts'
import { lastBeat } from './attempt-beat.ts'
import { compareWork } from './compare-work.ts'
import { agentInCharge } from './decide/after-limit.ts'
import { type DriveStep, nextStep } from './decide/next-step.ts'
import { knownDuration } from './decide/unknown-end.ts'
import { type DriveContext, readDriveState, record, uninterrupted } from './drive-context.ts'
import { driveNotAfter } from './faults.ts'
import { noteRepositoryChanges } from './guard-repository.ts'
import { observeTree } from './observe-tree.ts'
import { decideBaseline, prepare } from './prepare-work.ts'
import { findStartCommit } from './read-queue-wait.ts'
import { lastRound } from './read-verdict.ts'
import type { Attempt } from './record/drive-state.ts'
import { type AttemptStep, runAttempt } from './run-attempt.ts'
import { check, checkBaseline } from './run-checks.ts'
import { decideLimit, enterOrWait, handOver, shareLimit, waitForLimit } from './wait-for-limit.ts'

/** Why a driver stops. */
export type DriveEnd =
  | { readonly is: 'ended' }
  /** The run waits for a person, or was stopped. */
  | { readonly is: 'waits'; readonly run: ProtocolState }
  | { readonly is: 'paused'; readonly reason: string; readonly message: string }
  | { readonly is: 'interrupted' }

/** Drives a run until it has ended, waits for a person, or may not continue. */
export async function driveRun(context: DriveContext): Promise<DriveEnd> {
  await noteSubmitted(context)
  for (;;) {
    const { run, actionNumber } = await readRun(context)
    const step = nextStep(readDriveState(context), run, context.totals?.())
    if (step.do === 'finish') return { is: 'ended' }
    if (step.do === 'wait') return { is: 'waits', run }
    // The end of an attempt that was interrupted is recorded, and whatever follows is for the next driver.
    if (context.runs.signal.aborted && step.do !== 'note_unknown_end') return { is: 'interrupted' }
    if (step.do === 'pause') {
      const { reason, message } = step
      record(context, 'paused', { reason, message })
      return { is: 'paused', reason, message }
    }
    if (step.do === 'wait_for_limit') await waitForLimit(context, step, run.action?.action_id ?? '')
    else await perform(context, step, actionNumber)
  }
}

/** The run, and the number of its latest action. */
async function readRun({ runs, runId }: DriveContext): Promise<{ run: ProtocolState; actionNumber: number }> {
  return await openRun(uninterrupted(runs), runId, (run) => ({
    run: reportChange(run),
    actionNumber: run.actions.length,
  }))
}

type WorkStep = Exclude<DriveStep, { do: 'finish' | 'wait' | 'pause' | 'wait_for_limit' }>

async function perform(context: DriveContext, step: WorkStep, actionNumber: number): Promise<void> {
  switch (step.do) {
    case 'start_on':
      return await startOn(context, step.after)
    case 'prepare':
      return await prepare(context)
    case 'baseline':
      return await checkBaseline(context, step.command)
    case 'decide_baseline':
      return await decideBaseline(context, step.failed)
    case 'attempt':
      return await attempt(context, step, actionNumber)
    case 'decide_limit':
      return await decideLimit(context, step)
    case 'hand_over':
      return handOver(context, step)
    case 'note_unknown_end':
      return await noteUnknownEnd(context, step.attempt)
    case 'check':
      return await check(context, step)
    case 'compare':
      return await compareWork(context, step)
    case 'submit':
      return await submit(context, step)
  }
}

/** Another run may know that the agent has reached a limit. Then the next step is decided again after the wait. */
async function attempt(context: DriveContext, step: AttemptStep, actionNumber: number): Promise<void> {
  const { backend } = agentInCharge(step.action.kind, readDriveState(context))
  using entry = await enterOrWait(context, backend, step.action.action_id)
  if (entry === undefined) return
  await context.keepCopy?.(context)
  await runAttempt(context, step, { actionNumber, onAnswer: () => entry.hasAnswered() })
  if (readDriveState(context).attempts.at(-1)?.ended?.how === 'answered') entry.hasAnswered()
  shareLimit(context)
  await context.keepCopy?.(context)
}

/** The agent of the attempt may still run if its driver was killed: it is ended first. */
async function noteUnknownEnd(context: DriveContext, unknown: Attempt): Promise<void> {
  const { attempt, session_id } = unknown
  const store = await context.prompts.openStore()
  await store.endAbandonedTurns()
  const { journal, runs } = context
  const known = { events: journal.events, beat: lastBeat(context, attempt), now: runs.clock.now() }
  record(context, 'attempt_ended', {
    attempt,
    how: 'unknown',
    ...(session_id !== undefined && { session_id }),
    duration_ms: knownDuration(unknown, known),
    tree: await observeTree(context),
    trace: [],
    warnings: [],
  })
  await noteRepositoryChanges(context, attempt)
}

/** Another process changed the run meanwhile. */
const CHANGED_MEANWHILE = ['stale_action', 'run_not_active', 'outcome_conflict']

async function submit(context: DriveContext, step: Extract<DriveStep, { do: 'submit' }>): Promise<void> {
  const { runs, runId } = context
  const { outcome, by, attempt } = step
  const submission = { actionId: outcome.action_id, ...readOutcome(encodeUtf8(JSON.stringify(outcome))) }
  try {
    await submitOutcome(runs, runId, submission)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    if (error.code === 'invalid_outcome' && by === 'agent') {
      return record(context, 'outcome_rejected', { attempt: attempt.attempt, problem: error.message })
    }
    if (CHANGED_MEANWHILE.includes(error.code)) return
    throw error
  }
  const { action_id, status } = outcome
  const payload = { payload_sha256: submission.payloadSha256, status, by }
  record(context, 'outcome_submitted', { action_id, attempt: attempt.attempt, ...payload })
}

/** Records an outcome that the run accepted just before its driver was killed. */
async function noteSubmitted(context: DriveContext): Promise<void> {
  const { attempts, submitted } = readDriveState(context)
  const last = attempts.at(-1)
  if (last === undefined || submitted.some(({ action_id }) => action_id === last.action_id)) return
  await openRun(context.runs, context.runId, ({ actions }) => {
    const found = actions.find(({ action }) => action.action_id === last.action_id)
    if (found?.outcome === undefined || found.outcome_payload_sha256 === undefined) return
    record(context, 'outcome_submitted', {
      action_id: last.action_id,
      attempt: last.attempt,
      payload_sha256: found.outcome_payload_sha256,
      status: found.outcome.status,
      by: 'agent',
    })
  })
}

/** Puts the worktree of a run on the branch of the run before it. If it is interrupted, the next driver does it again. Throws `drive_not_after` if there is no such branch. */
async function startOn(context: DriveContext, after: string): Promise<void> {
  const { runs } = context
  const commit = await findStartCommit(runs, lastRound(runs.store, after))
  if (commit === undefined) throw driveNotAfter({ run_id: after, problem: 'it has not delivered a branch that passes' })
  const { code, stderr } = await askGit(
    { ...runs.git, timeoutMs: SLOW_GIT_MS },
    {
      directory: runs.workspace.worktree_root,
      args: ['reset', '--hard', '--quiet', '--no-recurse-submodules', commit],
      signal: runs.signal,
    },
  )
  if (code !== 0) throw driveNotAfter({ run_id: after, problem: gitErrorLine(stderr) })
  record(context, 'started_on', { run_id: after, commit })
}
