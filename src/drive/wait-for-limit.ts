/** What a driver does at limits of agents: decide, wait, hand over. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../kit/clock.ts'
import { tryTo } from '../kit/fault.ts'
import { type Lock, takeIfFree } from '../kit/files/lock.ts'
import { readRecordFile, saveRecordFile } from '../kit/files/record-file.ts'
import { checker } from '../kit/schema.ts'
import { isBudget } from '../prompts/budget-faults.ts'
import { isLimit, type LimitStep, limitOf, waitsForOthers } from './decide/after-limit.ts'
import { type DriveContext, readDriveState, record } from './drive-context.ts'
import { validateAgentLimit } from './record/checks.generated.js'
import type { AgentLimit } from './record/user-records.shape.ts'
import { RunWatch } from './run-watch.ts'

/** Timers stand still while a machine sleeps, clocks are set, and limits end early: so a run that waits looks again. */
const LOOK_MS = 2000

type StepOf<D extends LimitStep['do']> = Extract<LimitStep, { do: D }>

/** Without a person to ask, the run waits: it was started to end some time. */
export async function decideLimit(context: DriveContext, { limit, next }: StepOf<'decide_limit'>): Promise<void> {
  const answer = await context.askAboutLimit?.(limit, next)
  if (context.runs.signal.aborted) return
  const by = answer === undefined ? 'drover' : 'person'
  record(context, 'limit_decided', { by, choice: answer ?? (limit.until === undefined ? 'pause' : 'wait') })
}

export function handOver(context: DriveContext, { attempt, to, code }: StepOf<'hand_over'>): void {
  record(context, 'handed_over', { attempt: attempt.attempt, to, code })
}

type Wait = Omit<StepOf<'wait_for_limit'>, 'do'>

/**
 * Waits without a request. It is over early if the run is stopped, its action skipped, the agent answers another run, or the
 * setting `budgets` has changed.
 */
export async function waitForLimit(
  context: DriveContext,
  { backend, code, until, is_guess, budget }: Wait,
  actionId: string,
): Promise<void> {
  const { waiting } = readDriveState(context)
  if (waiting?.until !== until || waiting.backend !== backend) {
    const told = { ...(is_guess && { is_guess }), ...(budget !== undefined && { budget }) }
    record(context, 'waiting_for_limit', { backend, code, until, ...told })
  }
  using watch = new RunWatch(context, actionId)
  const isOver = isBudget(code) ? noticeBudgets(context) : noticeAnswer(context, { backend, until })
  await sleepUntil(until, { clock: context.runs.clock, signal: watch.signal, isOver })
  if (!watch.signal.aborted) record(context, 'limit_passed', { backend })
}

/** Nothing is paid for asking a budget again. */
function noticeBudgets({ prompts }: DriveContext): () => boolean {
  const read = () => JSON.stringify(prompts.budgets?.entries)
  const before = read()
  return () => read() !== before
}

function noticeAnswer({ agentLimits }: DriveContext, { backend, until }: Pick<Wait, 'backend' | 'until'>) {
  const isShared = () => isSameTime(findAgentLimit(agentLimits, backend)?.until, until)
  return isShared() ? () => !isShared() : () => false
}

/** Runs that reach one limit, one after the other, compute almost the same time. */
const SAME_MS = 60_000

function isSameTime(known: string | undefined, until: string): boolean {
  return known !== undefined && Math.abs(Date.parse(known) - Date.parse(until)) < SAME_MS
}

type Sleep = { clock: Clock; signal: AbortSignal; isOver: () => boolean }

async function sleepUntil(until: string, { clock, signal, isOver }: Sleep): Promise<void> {
  for (;;) {
    const left = Date.parse(until) - clock.now().getTime()
    if (left <= 0 || signal.aborted || isOver()) return
    await sleep(Math.min(left, LOOK_MS), undefined, { signal }).catch(() => undefined)
  }
}

/** Other runs learn of a limit that the last attempt has reached. */
export function shareLimit(context: DriveContext): void {
  const last = readDriveState(context).attempts.at(-1)
  if (last?.ended?.how !== 'failed' || !isLimit(last.ended.error_code, { wasTriedAgain: false })) return
  // A budget may be that of one key or one repository.
  if (isBudget(last.ended.error_code)) return
  const { backend, code, until, is_guess } = limitOf(last, 1)
  if (until === undefined) return
  const known = findAgentLimit(context.agentLimits, backend)?.until ?? ''
  // Others wait for it already.
  if (Date.parse(known) > context.runs.clock.now().getTime() && isSameTime(known, until)) return
  saveAgentLimit(context.agentLimits, { backend, code, until, ...(is_guess && { is_guess }) })
}

/** Undefined if the run has waited for a limit that another run has reached, or if it was interrupted. */
export async function enterOrWait(
  context: DriveContext,
  backend: string,
  actionId: string,
): Promise<OpenEntry | undefined> {
  const { runs, agentLimits: directory } = context
  using watch = new RunWatch(context, actionId)
  const { signal } = watch
  const entry = await enterAgent({ directory, clock: runs.clock, signal }, backend).catch((error: unknown) => {
    if (signal.aborted) return undefined
    throw error
  })
  if (entry?.is !== 'limited') return entry
  if (!isWaitedFor(context, entry.limit)) return toEarlyEntry(pathOf(directory, backend))
  await waitForLimit(context, entry.limit, actionId)
  return undefined
}

/** Whether a limit that another run has reached is waited for. Otherwise the agent is tried. */
function isWaitedFor(context: DriveContext, { until }: AgentLimit): boolean {
  const canAsk = context.askAboutLimit !== undefined
  return waitsForOthers(readDriveState(context), until, { canAsk, now: context.runs.clock.now() })
}

const FILE_LIMIT_BYTES = 16 * 1024

const checkLimit = checker<AgentLimit>('agentLimit', validateAgentLimit)

/**
 * What the runs of a user know about limits of agents: one file for each agent, `agent-limits/<agent>.json`. After the reset one
 * run tries first, and the others follow when it gets an answer.
 */
function saveAgentLimit(directory: string, limit: Omit<AgentLimit, 'version'>): void {
  saveRecordFile(pathOf(directory, limit.backend), { version: 1, ...limit })
}

/** Undefined if there is none, or if the file is not valid: then the agent itself will tell. */
export function findAgentLimit(directory: string, backend: string): AgentLimit | undefined {
  const found = tryTo(() => readRecordFile(pathOf(directory, backend), checkLimit, FILE_LIMIT_BYTES))
  return found?.backend === backend ? found : undefined
}

function pathOf(directory: string, backend: string): string {
  return join(directory, `${backend}.json`)
}

/** Call `hasAnswered` when the agent does: its limit is over for all runs. */
type OpenEntry = Disposable & { readonly is: 'open'; hasAnswered(): void }
type AgentEntry = OpenEntry | { readonly is: 'limited'; readonly limit: AgentLimit }

const OPEN: OpenEntry = { is: 'open', hasAnswered: () => {}, [Symbol.dispose]: () => {} }

/** Of a run that tries in spite of a limit. */
function toEarlyEntry(path: string): OpenEntry {
  return { ...OPEN, hasAnswered: () => rmSync(path, { force: true }) }
}

type Waiting = { readonly directory: string; readonly clock: Clock; readonly signal: AbortSignal }

/** Whether an agent may get a request now. After a reset, it returns to one run after the other. Throws if `signal` is aborted. */
async function enterAgent({ directory, clock, signal }: Waiting, backend: string): Promise<AgentEntry> {
  for (;;) {
    const limit = findAgentLimit(directory, backend)
    if (limit === undefined) return OPEN
    if (Date.parse(limit.until) > clock.now().getTime()) return { is: 'limited', limit }
    const lock = await takeIfFree({ path: join(directory, `${backend}.lock`), mode: 'exclusive', waitMs: 0, signal })
    // Another run may have tried in between.
    if (lock !== undefined && findAgentLimit(directory, backend)?.until === limit.until)
      return toFirstEntry(lock, pathOf(directory, backend))
    lock?.release()
    if (lock === undefined) await sleep(LOOK_MS, undefined, { signal })
  }
}

function toFirstEntry(lock: Lock, path: string): OpenEntry {
  let isHeld = true
  const release = () => {
    isHeld = false
    lock.release()
  }
  return {
    is: 'open',
    hasAnswered() {
      if (isHeld) rmSync(path, { force: true })
      release()
    },
    [Symbol.dispose]: release,
  }
}
