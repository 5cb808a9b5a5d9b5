/** Drives a run to its end, and the further runs that work on what it leaves open. At last the work is delivered. */

import { setTimeout as delay } from 'node:timers/promises'
import { hasRun } from '../journal/run-store.ts'
import { Fault, tryTo } from '../kit/fault.ts'
import { inRuns, TREE_VARIABLE } from '../kit/process/environment-variables.ts'
import { endMarkedProcesses, inTree } from '../kit/process/process-tree.ts'
import type { Caller } from '../prompts/caller.ts'
import { readPinnedSource } from '../runs/read-material.ts'
import { outlineRun, type RunOutline } from '../runs/read-status.ts'
import type { RunContext } from '../runs/run-context.ts'
import { toWorktreeEnvironment } from '../workspace/prepare/worktree-environment.ts'
import { toFollowRecord } from './decide/follow-record.ts'
import { decisionsIn, goalOfRound, mayStartRound, nameRequirement, openWork } from './decide/next-round.ts'
import { spentBy } from './decide/spending.ts'
import { deliver } from './deliver.ts'
import { openBoundaryFor } from './drive-boundary.ts'
import {
  type DriveContext,
  type DriveTools,
  type Recording,
  readDriveState,
  record,
  treeIdOf,
} from './drive-context.ts'
import { type DriveEnd, driveRun } from './drive-run.ts'
import { describeFlag, seriousFlags } from './evidence/repository-flags.ts'
import { driveNothingToFollow, runDiscarded } from './faults.ts'
import { mergeConflict } from './merge-base.ts'
import { cleanText } from './prompt/fence.ts'
import { describeRequirement } from './prompt/follow-texts.ts'
import { roundsOf } from './read-verdict.ts'
import type { EventOf } from './record/drive-event.shape.ts'
import { forgetStop, openDriveJournal } from './record/drive-journal.ts'
import { type BaselineRun, type DriveState, toDriveState } from './record/drive-state.ts'
import type { Requirement } from './record/follow-event.shape.ts'
import type { Options } from './record/recorded-options.shape.ts'
import { startDrivenRun } from './start-driven-run.ts'

const DELIVERY_TRIES = 5

/** Of the first goal, so that there is room for what came after the delivery. */
const GOAL_CHARACTERS = 8000

/** How a drive begins: what is recorded of a new one, and the options of one that continues. */
export type DriveBegin = Omit<EventOf<'drive_started'>['data'], 'run_id' | 'options'> & {
  /** The options, from those that the run was last driven with. */
  readonly optionsFrom: (before: Options | undefined) => Options
  /** The run was just started, with its first record. */
  readonly isNew?: boolean
  /** What the checks said before the first round. */
  readonly baseline?: readonly BaselineRun[]
  /** What the user wants in addition, after the delivery. */
  readonly also?: readonly string[] | undefined
  /** The user says what happens at limits. */
  readonly choosesLimit?: boolean | undefined
  /** The user lets drover continue after another person pushed to the branch. */
  readonly takesOver?: boolean | undefined
}

export type RoundsTools = DriveTools & {
  readonly runs: RunContext
  /** Asks a person. True if the run continues; false if the question stays open. Absent if no one can be asked. */
  readonly ask?: (run: RunOutline, context: RunContext) => Promise<boolean>
}

export type RoundsResult = { readonly runId: string; readonly end: DriveEnd; readonly state: DriveState }

export async function driveRounds(tools: RoundsTools, runId: string, begin: DriveBegin): Promise<RoundsResult> {
  const { telemetry } = tools.prompts
  if (telemetry === undefined) return await driveFrom(tools, runId, begin)
  const { traceDrive } = await import('./trace-drive.ts')
  const inSpan = (by: Caller) => driveFrom({ ...tools, prompts: { ...tools.prompts, by } }, runId, begin)
  return await traceDrive({ telemetry: await telemetry.open(), by: tools.prompts.by, runId }, inSpan)
}

async function driveFrom(tools: RoundsTools, runId: string, begin: DriveBegin): Promise<RoundsResult> {
  using journal = await openDriveJournal(tools.runs.store, runId)
  refuseOver(toDriveState(journal.events), runId, begin)
  forgetStop(tools.runs.store, runId)
  const recording = { runs: tools.runs, runId, journal, onUpdate: tools.onUpdate }
  const { context, isLast, driven } = await noteInterruption(recording, () => driveOne(tools, recording, begin))
  if ('end' in driven) return driven
  const { options: known, ...ended } = readDriveState(context)
  const { baseline } = ended
  const started = nextStarted(ended)
  const optionsFrom: DriveBegin['optionsFrom'] = (given) => begin.optionsFrom(given ?? known)
  const isNew = await startRound(context, driven, { ...started, options: optionsFrom(undefined) })
  // What the user wants is for the last round, which records it, and is done once.
  const also = isLast ? undefined : begin.also
  const takesOver = driven.isAfterDelivery === true ? undefined : begin.takesOver
  const { choosesLimit } = begin
  return await driveFrom(tools, driven.runId, {
    ...{ ...started, optionsFrom, isNew, baseline, also, takesOver, choosesLimit },
  })
}

/** Someone may have merged or discarded the work after the request for more was checked, and before this process had the lock. */
function refuseOver(state: DriveState | undefined, runId: string, { also = [], takesOver = false }: DriveBegin): void {
  if (also.length === 0 && !takesOver) return
  if (state?.discarded !== undefined) throw runDiscarded({ run_id: runId })
  if (state?.merged !== undefined) throw driveNothingToFollow({ problem: 'the work was merged' })
}

type Driven = {
  readonly context: DriveContext
  readonly isLast: boolean
  readonly driven: RoundsResult | NextRound
}

async function driveOne(tools: RoundsTools, { runId, journal }: Recording, begin: DriveBegin): Promise<Driven> {
  const before = toDriveState(journal.events)
  const options = begin.optionsFrom(before?.options)
  const boundary = await openBoundaryFor(tools.sandbox, {
    options,
    agents: [
      options.backend,
      ...(before?.is_reviewed === false ? [] : [options.review_backend]),
      ...(options.fallback ?? []),
    ],
    prompts: tools.prompts,
    wasInside: before !== undefined && wasEverInside(tools.runs, before),
    workspace: tools.runs.workspace,
  })
  const context: DriveContext = await inWorktree(inRun({ ...tools, boundary, runId, journal }, begin), begin)
  const { isLast } = beginDrive(context, begin)
  const driven = await noteFailure(context, () => driveRound(context, tools, begin))
  return { context, isLast, driven }
}

/** Records that this driver was told to end: without it, it looks as if it was killed. */
async function noteInterruption(recording: Recording, drive: () => Promise<Driven>): Promise<Driven> {
  const note = () => {
    if (toDriveState(recording.journal.events) !== undefined) tryTo(() => record(recording, 'interrupted', {}))
  }
  try {
    const ended = await drive()
    if (!('end' in ended.driven) || ended.driven.end.is !== 'interrupted') return ended
    note()
    return { ...ended, driven: { ...ended.driven, state: readDriveState(recording) } }
  } catch (error) {
    if (recording.runs.signal.aborted) note()
    throw error
  }
}

/** The rounds before worked in the same worktree. */
function wasEverInside({ store }: RunContext, before: DriveState): boolean {
  return roundsOf(store, before).some(({ boundary }) => boundary?.is === 'inside')
}

/** What came after a delivery stays a requirement in the rounds that work on what is left of it. */
function nextStarted(ended: Omit<DriveState, 'options'>) {
  const { goal, place, issue, next_requirements: wanted, requirements = wanted, first_round } = ended
  const round = ended.round + 1
  const base = wanted?.find(({ from }) => from === 'base')?.commit
  const moved = base === undefined || place.kind !== 'worktree' ? place : { ...place, base }
  const first = wanted === undefined ? first_round : round
  return {
    ...{ goal, place: moved, round, previous_run_id: ended.run_id, spent: spentBy(ended) },
    ...(issue !== undefined && { issue }),
    ...(requirements !== undefined && { requirements: [...(wanted ?? requirements)] }),
    ...(first !== undefined && { first_round: first }),
  }
}

/** Checks and agents learn for which run they work. */
function inRun(context: DriveContext, begin: DriveBegin): DriveContext {
  const { previous_run_id: previous } = toDriveState(context.journal.events) ?? begin
  const { prompts, env, runId } = context
  const runIds = previous === undefined ? [runId] : [previous, runId]
  return { ...context, env: inRuns(env, runIds), prompts: { ...prompts, env: inRuns(prompts.env, runIds) } }
}

/** Drives one run. Returns the next one if it leaves work open, or if something is wanted after its delivery. */
async function driveRound(
  context: DriveContext,
  tools: RoundsTools,
  { takesOver = false }: DriveBegin,
): Promise<RoundsResult | NextRound> {
  const { runId } = context
  const end = await driveAndAsk(context, tools)
  if (end.is !== 'ended') return { runId, end, state: readDriveState(context) }
  const next = await planRound(context)
  if (next !== undefined) return next
  const flags = flagsToShow(context)
  if (flags !== undefined) record(context, 'paused', flags)
  else if (readDriveState(context).delivered === undefined) await deliverPatiently(context, takesOver)
  if (flags !== undefined) return { runId, end: { is: 'paused', ...flags }, state: readDriveState(context) }
  if (readDriveState(context).delivered === undefined) {
    return { runId, end: { is: 'interrupted' }, state: readDriveState(context) }
  }
  const state = readDriveState(context)
  const { requirements, options } = state
  // Most runs need neither.
  if (requirements !== undefined) await (await import('./judge-round.ts')).judgeRound(context)
  const rounds = roundsOf(context.runs.store, state)
  const asked = rounds.some((each) => each.asked.length > 0) ? toFollowRecord(rounds).asked : []
  if (asked.length > 0) {
    if (takesOver) await (await import('./follow-pull-request.ts')).continueOnTop(context)
    return await announceRound(context, asked)
  }
  const following = options.follow === true ? await import('./follow-pull-request.ts') : undefined
  const followed = await following?.followPullRequest(context, { takesOver })
  if (followed?.is === 'round') return await announceRound(context, followed.requirements)
  return { runId, end: followed?.end ?? end, state: readDriveState(context) }
}

/** What worked before works again later, so a round for a pull request does not fail because the network does. */
async function deliverPatiently(context: DriveContext, takesOver: boolean): Promise<void> {
  const { signal } = context.runs
  for (let tries = 1; ; tries++) {
    try {
      return await deliver(context, { takesOver })
    } catch (error) {
      const { first_round: first, options } = readDriveState(context)
      const isPassing = error instanceof Fault && error.kind === 'unavailable' && first !== undefined
      if (!isPassing || tries === DELIVERY_TRIES || signal.aborted) throw error
      await delay(options.poll_ms ?? 0, undefined, { signal }).catch(() => undefined)
    }
  }
}

/** Each is another one, even if the text is the same as before. */
function toRequirements({ runs }: DriveContext, texts: readonly string[]): Requirement[] {
  return texts.map((text) => ({ id: `person-${runs.ids.uuid()}`, from: 'person', text: cleanText(text.trim()) }))
}

async function announceRound(context: DriveContext, requirements: readonly Requirement[]): Promise<NextRound> {
  const { runs, runId } = context
  const next = runs.ids.uuid()
  record(context, 'round_started', {
    next_run_id: next,
    requirements: [...requirements],
    open: requirements.map(nameRequirement),
  })
  const open = requirements.map(describeRequirement)
  return { runId: next, open, before: await outlineRun(runs, runId), isAfterDelivery: true }
}

/** Why the work waits for a person before it is committed. Who continues the run after that has seen it. */
function flagsToShow({ journal, runs }: DriveContext): EventOf<'paused'>['data'] | undefined {
  const state = readDriveState({ journal })
  if (state.options.on_flags !== 'ask' || state.flags_shown === true || state.delivered !== undefined) return undefined
  const flags = roundsOf(runs.store, state).flatMap(seriousFlags).map(describeFlag)
  if (flags.length === 0) return undefined
  return { reason: 'serious_flags', message: `look first, then continue to deliver it: ${flags.join('; ')}` }
}

/** Records why the run has no driver, for `drover status`. */
async function noteFailure<T>(context: DriveContext, drive: () => Promise<T>): Promise<T> {
  try {
    return await drive()
  } catch (error) {
    if (error instanceof Fault && !context.runs.signal.aborted) tryRecordFailure(context, error)
    throw error
  }
}

/** The disk may be the reason. */
function tryRecordFailure(context: DriveContext, { code, message }: Fault): void {
  tryTo(() => record(context, 'drive_failed', { code, message }))
}

/** Checks and agents learn where they are, and nothing about other copies of the project. */
async function inWorktree(context: DriveContext, { place: given, isNew }: DriveBegin): Promise<DriveContext> {
  const place = toDriveState(context.journal.events)?.place ?? given
  if (place.kind === 'in_place') return context
  const { prompts } = context
  const treeId = treeIdOf(place)
  if (isNew !== true && !(context.env[TREE_VARIABLE] ?? '').includes(treeId)) await endMarkedProcesses(treeId)
  const env = inTree(toWorktreeEnvironment(context.env, place), treeId)
  return { ...context, env, prompts: { ...prompts, env: toWorktreeEnvironment(prompts.env, place) } }
}

/** What the user wants in addition is recorded with the last round, before anything is done. */
function beginDrive(context: DriveContext, given: DriveBegin): { isLast: boolean } {
  const { optionsFrom, isNew = false, baseline = [], also = [], takesOver: _takesOver, choosesLimit, ...begin } = given
  const { journal, runId, onUpdate } = context
  const [first] = journal.events
  if (first === undefined) {
    record(context, 'drive_started', { run_id: runId, ...begin, options: optionsFrom(undefined) })
  } else if (isNew) onUpdate({ is: 'recorded', runId, event: first, state: readDriveState(context) })
  else {
    const options = optionsFrom(readDriveState(context).options)
    record(context, 'drive_resumed', { options, ...(choosesLimit === true && { chooses_limit: true }) })
  }
  const isLast = readDriveState(context).next_run_id === undefined
  if (isLast && also.length > 0) record(context, 'asked', { requirements: toRequirements(context, also) })
  const { sandbox: _, ...boundary } = { sandbox: undefined, ...context.boundary }
  record(context, 'boundary_set', boundary)
  if (readDriveState(context).baseline.length === 0) for (const run of baseline) record(context, 'baseline_ran', run)
  return { isLast }
}

async function driveAndAsk(context: DriveContext, { ask }: RoundsTools): Promise<DriveEnd> {
  for (;;) {
    const end = await driveRun(context)
    if (end.is !== 'waits' || ask === undefined) return end
    const { runs, runId } = context
    const goesOn = await ask(await outlineRun(runs, runId), runs)
    if (!goesOn) return runs.signal.aborted ? { is: 'interrupted' } : end
  }
}

type NextRound = {
  readonly runId: string
  readonly open: readonly string[]
  readonly before: RunOutline
  /** It was just announced, for what came after the delivery. */
  readonly isAfterDelivery?: true
}

/** The next run is announced before it is started, so that a driver that comes later finds it. */
async function planRound(context: DriveContext): Promise<NextRound | undefined> {
  const { runs, runId } = context
  const state = readDriveState(context)
  const run = await outlineRun(runs, runId)
  const found = openWork(run, state)
  const open = state.next_requirements?.map(describeRequirement) ?? found.map(({ text }) => text)
  if (state.next_run_id !== undefined) return { runId: state.next_run_id, open, before: run }
  if (state.delivered !== undefined || open.length === 0 || !mayStartRound(state)) return undefined
  const next = runs.ids.uuid()
  record(context, 'round_started', { next_run_id: next, open: found.map(({ name }) => name) })
  return { runId: next, open, before: run }
}

/** False if the run was started before. */
async function startRound(
  context: DriveContext,
  { runId, open, before }: NextRound,
  started: Omit<EventOf<'drive_started'>['data'], 'run_id'>,
): Promise<boolean> {
  const { runs } = context
  if (hasRun(runs.store, runId)) return false
  const state = readDriveState(context)
  const conflict = state.next_requirements?.find(({ from }) => from === 'base')
  if (conflict !== undefined) await mergeConflict(context, conflict)
  const ids = [runId]
  const chosen = { ...runs.ids, uuid: () => ids.shift() ?? runs.ids.uuid() }
  const reading = await readPinnedSource(runs, before.id)
  const request = { budget: before.initial_budget, reviewEnabled: before.review_enabled, reading }
  const whole = started.requirements === undefined ? started.goal : started.goal.slice(0, GOAL_CHARACTERS)
  const decisions = [...decisionsIn(before), ...state.told.map(({ text }) => text)]
  const goal = goalOfRound({ goal: whole, round: started.round, decisions, open })
  await startDrivenRun({ ...runs, ids: chosen }, { ...request, goal }, started)
  return true
}
