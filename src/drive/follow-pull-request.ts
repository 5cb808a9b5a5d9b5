/** Follows the pull request of a delivered run until it is merged or closed, or until a further round has to begin. */
import { setTimeout as delay } from 'node:timers/promises'
import { issueNotFound } from '../forge/faults.ts'
import type { Forge } from '../forge/forge.ts'
import { Fault } from '../kit/fault.ts'
import { raceSignal } from '../kit/race.ts'
import { outlineRun } from '../runs/read-status.ts'
import { type FollowStep, nextFollow } from './decide/next-follow.ts'
import { reachedCap, spentBy } from './decide/spending.ts'
import { type DriveContext, readDriveState, record } from './drive-context.ts'
import type { DriveEnd } from './drive-run.ts'
import { lookAtPullRequest } from './look-at-pull-request.ts'
import { takeOver } from './merge-base.ts'
import { openForge } from './open-forge.ts'
import { answerText, markOf, TAKEN_ID, takenText } from './prompt/follow-texts.ts'
import { pushBranch } from './push-branch.ts'
import { readFollowRecord, verdictOnDelivery } from './read-verdict.ts'
import type { WorktreePlace } from './record/drive-event.shape.ts'
import { stopRequests } from './record/drive-journal.ts'
import type { Requirement } from './record/follow-event.shape.ts'
import { describeRun } from './report-run.ts'

/** A limit of the forge is waited for this long. */
const PATIENCE_MS = 60 * 60_000
const DEFAULT_POLL_MS = 60_000
/** One after the other, before the driver gives up. */
const MOST_FAILURES = 30

export type Followed =
  | { readonly is: 'round'; readonly requirements: readonly Requirement[] }
  | { readonly is: 'end'; readonly end: DriveEnd }

type Following = {
  readonly context: DriveContext
  readonly forge: Forge
  readonly number: number
  readonly place: WorktreePlace
}

/** Undefined if the run has no pull request to follow. `takesOver`: a person lets drover continue after another person pushed. */
export async function followPullRequest(
  context: DriveContext,
  { takesOver }: { takesOver: boolean },
): Promise<Followed | undefined> {
  const state = readDriveState(context)
  const { place, options, followed } = state
  const number = readFollowRecord(context).pullRequest?.number
  if (options.follow !== true || number === undefined || place.kind !== 'worktree') return undefined
  if (followed !== undefined) return { is: 'end', end: { is: 'ended' } }
  using stop = watchForStop(context)
  const here = { ...context, runs: { ...context.runs, signal: stop.signal } }
  const following = { context: here, forge: await openForge(here, place, PATIENCE_MS), number, place }
  if (takesOver) await continueOnTop(here)
  const result = await follow(following)
  const isOver = result.is === 'end' && result.end.is !== 'interrupted'
  return stop.isRequested() && !isOver ? { is: 'end', end: end(context, STOPPED) } : result
}

const STOPPED = {
  do: 'pause',
  reason: 'follow_stopped',
  message: 'a person has stopped the run, and its pull request is not followed any more',
} as const

/** Looking at a file is cheap, and works on file systems without change notifications. */
const STOP_POLL_MS = 200

/** Everything that is done for the pull request ends when a person stops the run, even a wait for a limit of the forge. */
function watchForStop({ runs, runId }: DriveContext): Disposable & { signal: AbortSignal; isRequested(): boolean } {
  const controller = new AbortController()
  const isRequested = stopRequests(runs.store, runId)
  const timer = setInterval(() => isRequested() && controller.abort(), STOP_POLL_MS)
  return {
    signal: AbortSignal.any([runs.signal, controller.signal]),
    isRequested: () => controller.signal.aborted,
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

/** What drover could not push before is merged with what another person pushed. */
export async function continueOnTop(context: DriveContext): Promise<void> {
  const { place } = readDriveState(context)
  if (place.kind !== 'worktree') return
  const { head, pushed } = await takeOver(context, place)
  if (head === pushed) return
  await pushBranch(context, place)
  record(context, 'taken_over', { commit: head })
}

async function follow(following: Following): Promise<Followed> {
  const { context } = following
  const { signal } = context.runs
  for (let failures = 0; ; ) {
    try {
      const followed = await takeStep(following)
      failures = 0
      if (followed !== undefined) return followed
    } catch (error) {
      failures += 1
      if (!signal.aborted && (failures >= MOST_FAILURES || !isPassing(error))) throw error
      await pause(following)
    }
    if (signal.aborted) return { is: 'end', end: { is: 'interrupted' } }
  }
}

/** The forge may answer again later. */
function isPassing(error: unknown): boolean {
  return error instanceof Fault && ['unavailable', 'rate_limited'].includes(error.kind) && error.code !== 'gh_missing'
}

async function pause({ context }: Following): Promise<undefined> {
  const { poll_ms: pollMs = DEFAULT_POLL_MS } = readDriveState(context).options
  const timer = new AbortController()
  await raceSignal(
    delay(pollMs, undefined, { signal: timer.signal }).catch(() => undefined),
    context.runs.signal,
  )
  timer.abort()
}

/** Looks once, and does everything that follows from that. */
async function takeStep(following: Following): Promise<Followed | undefined> {
  const { context, forge, number } = following
  const seen = await lookAtPullRequest(context, { forge, number, known: readFollowRecord(context) })
  for (;;) {
    const state = readDriveState(context)
    const { options } = state
    const now = context.runs.clock.now().getTime()
    const reached = reachedCap(spentBy(state), options)
    const step = nextFollow(seen, readFollowRecord(context), { ...options, now, reached })
    if (step.do === 'wait') return await pause(following)
    if (step.do === 'round') return { is: 'round', requirements: step.requirements }
    if (step.do === 'pause' || step.do === 'close') return { is: 'end', end: end(context, step) }
    await act(following, step, seen.pull.body)
    if (LOOKS_AGAIN.includes(step.do) || context.runs.signal.aborted) return undefined
  }
}

/** After these, the pull request is not what it was. */
const LOOKS_AGAIN: readonly FollowStep['do'][] = ['make_ready', 'say_taken']

function end(context: DriveContext, step: Extract<FollowStep, { do: 'pause' | 'close' }>): DriveEnd {
  if (step.do === 'pause') {
    const { reason, message } = step
    record(context, 'paused', { reason, message })
    return { is: 'paused', reason, message }
  }
  const merged = step.mergeCommit === undefined ? {} : { merge_commit: step.mergeCommit }
  record(context, 'followed', { end: step.end, ...merged })
  return { is: 'ended' }
}

type Act = Exclude<FollowStep, { do: 'round' | 'pause' | 'close' | 'wait' }>

/** Each is done before it is recorded, and can be found in the forge: a driver that was killed between does not do it again. */
async function act({ context, forge, number }: Following, step: Act, body: string): Promise<void> {
  switch (step.do) {
    case 'answer': {
      const { requirement, judged, isThere } = step
      const text = answerText(requirement, judged)
      if (!isThere && requirement.thread !== undefined) await reply(forge, { number, thread: requirement.thread }, text)
      else if (!isThere) await forge.comment(number, text)
      return record(context, 'answered', { id: requirement.id })
    }
    case 'say_taken': {
      const mark = markOf(`${TAKEN_ID}-${step.commit}`)
      const isSaid = (await forge.comments(number)).some(({ body }) => body.includes(mark))
      if (!isSaid) await forge.comment(number, takenText(step.commit, context.runId))
      return record(context, 'branch_taken', { commit: step.commit })
    }
    case 'describe': {
      const wanted = await composeBody(context)
      if (!isSameText(body, wanted)) await forge.editPullRequest(number, { body: wanted })
      return record(context, 'described', { commit: step.commit })
    }
    case 'note_base':
      return record(context, 'base_seen', { commit: step.commit, is_clean: true })
    case 'make_ready':
      await forge.markReady(number)
      return record(context, 'made_ready', { commit: readDriveState(context).delivered?.commit ?? '' })
  }
}

type Thread = { readonly number: number; readonly thread: number }

/** A comment that was deleted needs no answer. */
async function reply(forge: Forge, { number, thread }: Thread, text: string): Promise<void> {
  try {
    await forge.reply(number, thread, text)
  } catch (error) {
    const isGone = error instanceof Fault && error.code === issueNotFound.code
    if (!isGone || (await forge.reviewComments(number)).some(({ id }) => id === thread)) throw error
  }
}

/** A forge may change line endings. */
function isSameText(one: string, other: string): boolean {
  return one.replaceAll('\r', '').trim() === other.trim()
}

/** The report about the head commit. */
async function composeBody({ runs, runId, journal }: DriveContext): Promise<string> {
  const [run, state] = [await outlineRun(runs, runId), readDriveState({ journal })]
  return await describeRun(runs, run, { state, verdict: verdictOnDelivery(runs, { run, drive: state }) })
}
