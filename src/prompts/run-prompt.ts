/**
 * The one way to run a prompt. Events come as the agent gives them, `init` first and `done` last; by the time `done` is
 * given the session is settled. The generator returns the result.
 */
import type { AgentEvent } from '../agents/agent.ts'
import { formatDryRun } from '../agents/dry-run.ts'
import { type AgentOrder, runAgent } from '../agents/run-agent.ts'
import type { AgentResult } from '../agents/settle-result.ts'
import { NO_USAGE } from '../agents/usage.ts'
import { Fault } from '../kit/fault.ts'
import { OWNER_VARIABLE } from '../kit/process/environment-variables.ts'
import { brokenOff, type KeptSession, keepSession, turnEndOf } from './keep-session.ts'
import { type PreparedPrompt, type PromptTask, preparePrompt } from './prepare-prompt.ts'
import type { PromptContext, RunOutcome } from './prompt-context.ts'
import { createEnvelope, type PromptEvent } from './prompt-event.ts'
import { canceledResult, dryRunResult, type PromptResult, toPromptResult } from './prompt-result.ts'
import { sayExpired } from './session-expiry.ts'
import { judgeAgain } from './workdir-policy.ts'

export type Running = {
  signal: AbortSignal
  /** Sees every line that the agent prints, as it is. */
  onLine?: NonNullable<AgentOrder['onLine']>
}

type Course = AsyncGenerator<PromptEvent, PromptResult, undefined>
type Prompt = { task: PromptTask; prepared: PreparedPrompt; context: PromptContext; running: Running }

/** Throws a Fault for a prompt that cannot be run, at once or at the first event; after that it never throws. */
export function runPrompt(task: PromptTask, context: PromptContext, running: Running): Course {
  const prompt = { task, prepared: preparePrompt(task, context), context, running }
  return prompt.prepared.isDryRun ? tellPretended(prompt) : inSlot(prompt)
}

/** The same for whom the result is enough. */
export async function finishPrompt(task: PromptTask, context: PromptContext, running: Running): Promise<PromptResult> {
  const prompt = { task, prepared: preparePrompt(task, context), context, running }
  if (prompt.prepared.isDryRun) return await pretend(prompt)
  const course = inSlot(prompt)
  for (;;) {
    const next = await course.next()
    if (next.done === true) return next.value
  }
}

async function* inSlot(prompt: Prompt): Course {
  const { prepared, context, running } = prompt
  const slot = await context.slots.take(running.signal)
  if (slot === undefined) return canceledResult(prepared.backend)
  try {
    context.observer?.waited?.(slot.waitedMs / 1000)
    // While it waited, somebody may have put a link in the place of its directory.
    judgeAgain(prepared.order.request.workdir, context.workdirs)
    return yield* inSession(prompt)
  } finally {
    slot.giveBack()
  }
}

async function* inSession(prompt: Prompt): Course {
  const { task, prepared, context } = prompt
  const kept = await keepSession(task, prepared, context)
  let unsettled = brokenOff('interrupted', 'the turn was left before its end')
  const course = runKept(prompt, kept)
  try {
    return yield* course
  } catch (error) {
    unsettled = brokenOff('error', error instanceof Error ? error.message : String(error))
    throw error
  } finally {
    if (!kept.isSettled()) await kept.settle(unsettled)
  }
}

async function* runKept({ task, prepared, context, running }: Prompt, kept: KeptSession): Course {
  const { backend, order } = prepared
  const seal = createEnvelope({ backend, sessionId: kept.id, clock: context.clock })
  const events = runAgent({
    ...order,
    ...running,
    env: { ...order.env, ...(await ownerMark(prepared, context)) },
    ...(kept.priorUsage !== undefined && { priorUsage: kept.priorUsage }),
  })
  try {
    let next = await events.next()
    let last: AgentEvent | undefined
    for (; next.done !== true; next = await events.next()) {
      await kept.learn(next.value)
      if (next.value.type === 'done') last = next.value
      else yield seal(explained(next.value, task))
    }
    const { model } = order.request
    const result = { ...(model !== undefined && { model }), ...explainedResult(next.value, task) }
    context.observer?.agentEnded?.({ backend, ...summaryOf(result) })
    const warnings = [...prepared.warnings, ...result.warnings, ...(await kept.settle(turnEndOf(result)))]
    if (last?.type === 'done') yield seal(withWarnings(last, warnings))
    return toPromptResult(result, { backend, sessionId: kept.id, warnings })
  } finally {
    // Whoever stops reading early ends the agent.
    await events.return(undefined as never)
  }
}

/** Says what would be started. A client's session is kept for it like for any other prompt. */
async function pretend({ task, prepared, context }: Prompt): Promise<PromptResult> {
  const { backend, order, command } = prepared
  const program = order.shownAs === undefined ? order.program : ([order.shownAs] as const)
  const line = formatDryRun({ argv: [...program, ...command.argv.slice(1)], stdin: command.stdin })
  const isKept = context.caller === 'client' && task.resumes === undefined
  const kept = isKept ? await keepSession(task, prepared, context) : undefined
  await kept?.settle({ outcome: 'completed', usage: NO_USAGE })
  const warnings = [...prepared.warnings, ...command.warnings]
  return dryRunResult(line, { backend, model: order.request.model, sessionId: kept?.id ?? '', warnings })
}

async function* tellPretended(prompt: Prompt): Course {
  const { prepared, context } = prompt
  const result = await pretend(prompt)
  const seal = createEnvelope({ backend: prepared.backend, sessionId: result.session_id, clock: context.clock })
  const { model, workdir } = prepared.order.request
  yield seal({ type: 'init', content: { ...(model !== undefined && { model }), working_dir: workdir } })
  yield seal({ type: 'message', content: { text: result.output, role: 'assistant' } })
  const done = { exit_code: 0, duration_ms: 0, token_usage: NO_USAGE }
  yield seal(withWarnings({ type: 'done', content: done }, result.warnings ?? []))
  return result
}

/** By which the agent is found should this process die without ending it. What keeps no session can do without. */
async function ownerMark({ order }: PreparedPrompt, { openStore }: PromptContext): Promise<Record<string, string>> {
  try {
    const store = await openStore()
    return { [OWNER_VARIABLE]: await store.owner() }
  } catch (error) {
    if (error instanceof Fault && order.request.isEphemeral) return {}
    throw error
  }
}

function explained(event: AgentEvent, { resumes }: PromptTask): AgentEvent {
  return event.type === 'error' ? { type: 'error', content: sayExpired(event.content, resumes) } : event
}

function explainedResult(result: AgentResult, { resumes }: PromptTask): AgentResult {
  return result.error === undefined ? result : { ...result, error: sayExpired(result.error, resumes) }
}

function withWarnings(done: Extract<AgentEvent, { type: 'done' }>, warnings: readonly string[]): AgentEvent {
  const { warnings: _, ...content } = done.content
  return { type: 'done', content: { ...content, ...(warnings.length > 0 && { warnings }) } }
}

function summaryOf(result: AgentResult) {
  return { outcome: outcomeOf(result), seconds: result.durationMs / 1000, usage: result.usage }
}

function outcomeOf({ error, ended }: AgentResult): RunOutcome {
  if (ended === 'timeout') return 'timeout'
  if (ended === 'cancelled') return 'canceled'
  return error === undefined ? 'ok' : 'failed'
}
