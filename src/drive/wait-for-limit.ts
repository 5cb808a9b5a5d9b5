/** What a driver does at limits of agents: decide, wait, hand over. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../kit/clock.ts'
import { enterAgent, OPEN, type OpenEntry, saveAgentLimit } from './agent-limits.ts'
import { choiceOf, isLimit, type LimitStep, limitOf } from './decide/after-limit.ts'
import { type DriveContext, readDriveState, record } from './drive-context.ts'
import type { AgentLimit } from './record/agent-limit.shape.ts'
import { RunWatch } from './run-watch.ts'

/** Timers stand still while a machine sleeps, and clocks are set: so the time is looked at again. */
const LONGEST_SLEEP_MS = 30_000

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

type Wait = Pick<AgentLimit, 'backend' | 'code' | 'until'>

/** Waits without a request. It is over early if the run is stopped, or its action skipped. */
export async function waitForLimit(
  context: DriveContext,
  { backend, code, until }: Wait,
  actionId: string,
): Promise<void> {
  const { waiting } = readDriveState(context)
  if (waiting?.until !== until || waiting.backend !== backend)
    record(context, 'waiting_for_limit', { backend, code, until })
  using watch = new RunWatch(context, actionId)
  await sleepUntil(until, { clock: context.runs.clock, signal: watch.signal })
  if (!watch.signal.aborted) record(context, 'limit_passed', { backend })
}

async function sleepUntil(until: string, { clock, signal }: { clock: Clock; signal: AbortSignal }): Promise<void> {
  for (;;) {
    const left = Date.parse(until) - clock.now().getTime()
    if (left <= 0 || signal.aborted) return
    await sleep(Math.min(left, LONGEST_SLEEP_MS), undefined, { signal }).catch(() => undefined)
  }
}

/** Other runs learn of a limit that the last attempt has reached. */
export function shareLimit(context: DriveContext): void {
  const last = readDriveState(context).attempts.at(-1)
  if (last?.ended?.how !== 'failed' || !isLimit(last.ended.error_code, { wasTriedAgain: false })) return
  const { backend, code, until } = limitOf(last, 1)
  if (until !== undefined) saveAgentLimit(context.agentLimits, { backend, code, until })
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
  if (!isWaitedFor(context, entry.limit)) return OPEN
  await waitForLimit(context, entry.limit, actionId)
  return undefined
}

/** Whether a limit that another run has reached is waited for. Otherwise the agent is tried. */
function isWaitedFor(context: DriveContext, { until }: AgentLimit): boolean {
  const state = readDriveState(context)
  const { on_limit: wanted, max_wait_ms: longest = Infinity } = state.options
  const choice = wanted === 'ask' && context.askAboutLimit === undefined ? 'wait' : choiceOf(state)
  return choice === 'wait' && Date.parse(until) - context.runs.clock.now().getTime() <= longest
}
