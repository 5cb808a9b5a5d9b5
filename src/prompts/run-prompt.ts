/**
 * The one way to run a prompt, step by step: check, wait for a slot, open the session, start the agent, pass on its
 * events, finish the turn, return the result. `init` is the first event and `done` the last; when `done` is yielded,
 * the session has been stored.
 */

import { refuseNewSettings } from '../agents/acp/find-project-settings.ts'
import type { AgentCommand, AgentEvent, AgentRequest, Usage, UserMessage } from '../agents/adapter/agent.ts'
import { rootsOf } from '../agents/adapter/surroundings.ts'
import type { AgentResult } from '../agents/agent-result.ts'
import { refuseGitSettings } from '../agents/git-settings.ts'
import { runWarmOrCold, type WarmRunOptions } from '../agents/pool/run-warm.ts'
import { ignoreFault, toErrorMessage } from '../kit/fault.ts'
import { BoundaryWatch } from './agent-boundary.ts'
import { ownerKey } from './caller.ts'
import { isLimiting } from './ceilings.ts'
import type { Slot } from './concurrency-slots.ts'
import { explainEvent, explainResult } from './continue-session.ts'
import { finishDry, runDry } from './dry-run.ts'
import type { ExecutionRecording } from './execution-recorder.ts'
import type { NoAnswer } from './fallback.ts'
import { newCallId } from './function-calls.ts'
import { Inbox, quoteMessages } from './inbox.ts'
import {
  abortedTurn,
  deleteLeftovers,
  type OpenTurn,
  openTurn,
  type PreparedPrompt,
  recheckSession,
  toTurnEnd,
} from './open-turn.ts'
import { preparePrompt } from './prepare-prompt.ts'
import type { PromptBudgets } from './prompt-budgets.ts'
import type { PromptContext, PromptRunOptions, PromptStream, RunOutcome } from './prompt-context.ts'
import { createEnvelope, type PromptEvent, withWarnings } from './prompt-event.ts'
import type { PromptRequest } from './prompt-request.ts'
import { type ApprovalRecord, canceledResult, type PromptResult, toPromptResult } from './prompt-result.ts'
import { beginExecution, recordResult, recordRun } from './record-execution.ts'
import { RequiredCalls, runUntilCalled } from './required-calls.ts'
import { createCancel, explainStop, explainStopEvent, explainStopResult, isServerStop } from './server-stop.ts'
import { offerOf } from './tool-turns.ts'
import { recheckWorkdir } from './workdir-policy.ts'

type Prompt = PreparedPrompt & {
  options: PromptRunOptions
  /** Undefined if executions are not recorded. */
  recording: ExecutionRecording | undefined
  /** What is reserved for it. Undefined: no budget applies. */
  budgets?: PromptBudgets | undefined
  /** Takes what the agent is told while it works. */
  inbox: Inbox
  /** What it is told with the prompt, because agents before it took no messages. */
  told?: readonly UserMessage[]
  /** What the client requires of a turn with its functions. */
  calls?: RequiredCalls | undefined
  /** Its place among those that run. */
  slot?: Slot | undefined
  /** Gets the commands that have to run when the answer is out. */
  onLeftover?: (command: AgentCommand) => void
}

/** Throws a Fault for a prompt that cannot be run, at once or at the first event; after that it never throws. */
export function runPrompt(request: PromptRequest, context: PromptContext, options: PromptRunOptions): PromptStream {
  if (context.dispatch !== undefined) return context.dispatch(request, context, options)
  return startPrompt(toPrompt(request, context, options))
}

function startPrompt(prompt: Prompt): PromptStream {
  return prompt.recording === undefined ? startRun(prompt) : recordRun(startRun(prompt), prompt.recording)
}

function startRun(prompt: Prompt): PromptStream {
  if (prompt.agentRequest.isDryRun) return runDry(prompt)
  return prompt.calls === undefined ? runOnce(prompt) : runWithCalls(prompt, prompt.calls)
}

function runOnce(prompt: Prompt): PromptStream {
  return mayFallBack(prompt) ? runOnSome(prompt) : runInSlot(prompt)
}

async function* runWithCalls(prompt: Prompt, calls: RequiredCalls): PromptStream {
  const { context, recording } = prompt
  try {
    const again = async (reminder: string, { session_id: id }: PromptResult) => {
      const session = id === '' ? undefined : await (await context.openStore()).find(id)
      const { instruction = '', newSessionId: _, ...rest } = prompt.request
      const request = { ...rest, instruction: instruction + reminder, ...(session && { resumes: session }) }
      return runOnce({ ...prompt, ...prepareAgain(prompt, request) })
    }
    return yield* runUntilCalled(runOnce(prompt), calls, again)
  } finally {
    if (recording !== undefined) context.toolTurns?.forget(recording.id)
  }
}

/** A second agent for the same execution. */
function prepareAgain({ context, recording }: Prompt, request: PromptRequest) {
  const again = recording && { ...recording, started: async () => {} }
  return { request, ...preparePrompt(request, context), recording: again }
}

/** A session stays with its agent, and lines of two agents would be mixed. */
function mayFallBack({ request, context: { by, settings }, options }: Prompt): boolean {
  const { fallback = by.fallback, resumes, newSessionId } = request
  if (resumes !== undefined || newSessionId !== undefined || options.onLine !== undefined) return false
  return fallback === undefined ? by.is === 'client' && settings.server.fallback_rules.length > 0 : fallback.length > 0
}

async function* runOnSome(prompt: Prompt): PromptStream {
  const { fallbackOf, runUntilAnswered } = await import('./fallback.ts')
  return yield* runUntilAnswered(runInSlot(prompt), fallbackOf(prompt), (backend, refusal) =>
    runInSlot(toFallback(prompt, backend, refusal)),
  )
}

/** Models and arguments of one agent mean nothing to another one. */
function toFallback(prompt: Prompt, backend: string, { backend: from, error }: NoAnswer): Prompt {
  const { model: _, extra: _extra, ...rest } = prompt.request
  const request = { ...rest, backend }
  const { command, ...again } = prepareAgain(prompt, request)
  const warnings = [`${backend} answers in place of ${from}: ${error}`, ...command.warnings]
  prompt.recording?.handedTo(backend)
  return { ...prompt, ...again, command: { ...command, warnings } }
}

/** The same for callers who want the result. An error in `onEvent` ends the agent. */
export async function runPromptToEnd(
  request: PromptRequest,
  context: PromptContext,
  options: PromptRunOptions & { onEvent?: (event: PromptEvent) => unknown },
): Promise<PromptResult> {
  const { onEvent } = options
  const prompt = context.dispatch === undefined ? toPrompt(request, context, options) : undefined
  if (prompt?.agentRequest.isDryRun === true && onEvent === undefined)
    return await recordResult(prompt.recording, () => finishDry(prompt))
  const run = prompt === undefined ? runPrompt(request, context, options) : startPrompt(prompt)
  try {
    let next = await run.next()
    for (; next.done !== true; next = await run.next()) onEvent?.(next.value)
    return next.value
  } finally {
    await run.return(undefined as never)
  }
}

function toPrompt(asked: PromptRequest, context: PromptContext, options: PromptRunOptions): Prompt {
  const agent = context.locate(asked.backend)?.agent
  const calls = asked.clientTools && agent && new RequiredCalls(asked.clientTools, agent)
  const request = calls?.prepare(asked) ?? asked
  const { agentRequest, command } = preparePrompt(request, context)
  const cancel = agentRequest.isDryRun
    ? { signal: options.signal, abort: () => {} }
    : createCancel(options.signal, context.ending)
  // An earlier conversation is not a part of this turn, nor is what drover tells the agent.
  const recorded = { ...agentRequest, prompt: request.prompt }
  const inbox = new Inbox(async () => (await context.openStore()).messages)
  const listeners = { onCancel: cancel.abort, onMessage: inbox.take }
  const recording = beginExecution(recorded, context, { ...options.execution, ...listeners })
  const limited = { ...options, signal: cancel.signal }
  return { request, agentRequest, command, context, options: limited, recording, calls, inbox }
}

async function* runInSlot(prompt: Prompt): PromptStream {
  const { agentRequest, context, options } = prompt
  const slot = await context.slots.take(options.signal, ownerKey(context.by)?.id, prompt.request.priority)
  if (slot === undefined) return explainStopResult(canceledResult(agentRequest.backend), isServerStop(options.signal))
  const leftovers: AgentCommand[] = []
  try {
    context.observer?.waited?.(slot.waitedMs / 1000)
    await prompt.recording?.started()
    // A link may have replaced the directory while the prompt waited.
    for (const root of rootsOf(agentRequest)) recheckWorkdir(root, context.workdirs)
    refuseNewSettings(agentRequest)
    refuseGitSettings(agentRequest)
    await verifySandbox(agentRequest, context)
    await recheckSession(prompt)
    using budgets = await takeBudgets(prompt)
    const told = await withMessages(prompt)
    return yield* runTraced({ ...told, budgets, slot, onLeftover: (command) => leftovers.push(command) })
  } finally {
    // The clean-up is an agent too, so it keeps the slot; the caller does not wait for it.
    if (leftovers.length === 0) slot.release()
    else void deleteLeftovers(leftovers, { agentRequest, context, signal: options.signal }).finally(slot.release)
  }
}

/** With what the agent is told because it took no messages in its last turn. */
async function withMessages(prompt: Prompt): Promise<Prompt> {
  const { request, context } = prompt
  if (request.resumes === undefined) return prompt
  const { messages } = await context.openStore()
  const told = await messages.list(request.resumes.id)
  if (told.length === 0) return prompt
  const instruction = (request.instruction ?? '') + quoteMessages(told)
  return { ...prompt, ...preparePrompt({ ...request, instruction }, context), told }
}

/** The last step before the agent starts. Throws a Fault if a budget has nothing left. */
async function takeBudgets(prompt: Prompt): Promise<PromptBudgets | undefined> {
  const { context, recording } = prompt
  if (context.budgets === undefined || recording === undefined) return undefined
  const { reserveBudgets } = await import('./prompt-budgets.ts')
  const budgets = await reserveBudgets(prompt, context.budgets, recording.id)
  if (budgets !== undefined) recording.reserved()
  return budgets
}

/** Throws a Fault if the boundary does not hold. */
async function verifySandbox({ boundary }: AgentRequest, { env, sandbox }: PromptContext): Promise<void> {
  if (boundary === undefined) return
  const { verifyBoundary } = await import('../sandbox/check/verify-boundary.ts')
  const { droverHome, programs } = boundary
  await verifyBoundary({ env, programs, probe: sandbox.probe, droverHome })
}

async function* runTraced(prompt: Prompt): PromptStream {
  const { agentRequest, request, context, recording } = prompt
  if (context.telemetry === undefined) return yield* runInSession(prompt)
  const { tracePrompt } = await import('./trace-prompt.ts')
  const run = { agentRequest, request, telemetry: context.telemetry, executionId: recording?.id }
  return yield* tracePrompt(run, (trace) => runInSession({ ...prompt, agentRequest: { ...agentRequest, trace } }))
}

async function* runInSession(prompt: Prompt): PromptStream {
  // A new session is stored while its agent starts. One that exists comes first: another prompt may use it.
  const { resumes, newSessionId } = prompt.request
  const early = resumes === undefined && newSessionId === undefined ? await startAgent(prompt, undefined) : undefined
  const turn = await openTurn(prompt).catch(async (error) => {
    await early?.stop()
    throw error
  })
  if (turn.sessionId !== '') noteSession(prompt, turn.sessionId)
  let unfinished = abortedTurn('interrupted', 'the caller stopped reading before the turn ended')
  try {
    return yield* runTurn(prompt, turn, early ?? (await startAgent(prompt, turn.priorUsage)))
  } catch (error) {
    unfinished = abortedTurn('error', toErrorMessage(error))
    throw error
  } finally {
    if (!turn.isFinished()) await turn.finish(unfinished)
  }
}

function noteSession({ recording, options }: Prompt, sessionId: string): void {
  recording?.sessionOpened(sessionId)
  options.execution?.onSession?.(sessionId)
}

type StartedAgent = {
  /** Undefined: the agent runs as the user. */
  watch: BoundaryWatch | undefined
  events: ReturnType<typeof runWarmOrCold>
  first: ReturnType<StartedAgent['events']['next']>
  /** What it had used when it last said so. */
  seenUsage(): Usage | undefined
  /** For a prompt that no one reads. */
  stop(): Promise<void>
}

async function startAgent(prompt: Prompt, priorUsage: Usage | undefined): Promise<StartedAgent> {
  const { request, agentRequest, command, context, options, onLeftover } = prompt
  const { signal, abort } = createCancel(options.signal)
  prompt.budgets?.onSpent(abort)
  const owner = await findOwner(context)
  const watch = agentRequest.boundary === undefined ? undefined : new BoundaryWatch()
  let seen: Usage | undefined
  const onUsage = (usage: Usage) => {
    seen = usage
    prompt.budgets?.noteUsage(usage)
    options.onUsage?.(usage)
  }
  const events = runWarmOrCold(agentRequest, command, {
    ...{ signal, onLine: options.onLine, onUsage, owner, priorUsage, onLeftover },
    ...{
      pool: poolFor(prompt),
      client: ownerKey(context.by)?.id ?? '',
      sessionTurns: request.resumes?.turn_count ?? 0,
    },
    clientTools: chooseToolRunner(prompt),
    ...{ onApproval: chooseApprover(prompt), isSentOnce: options.isSentOnce, onBoundaryEvent: watch?.add },
    onSteerable: (steering) => prompt.inbox.note({ steering }),
  })
  const first = events.next()
  // Who reads the events gets the error.
  first.catch(() => undefined)
  const stop = async () => {
    abort()
    await events.return(undefined as never)
  }
  return { watch, events, first, seenUsage: () => seen, stop }
}

async function* runTurn(prompt: Prompt, turn: OpenTurn, started: StartedAgent): PromptStream {
  const { watch, events, first } = started
  const { request, agentRequest, context, options } = prompt
  const { backend, model } = agentRequest
  const { sessionId } = turn
  const toEvent = createEnvelope({ backend, sessionId, clock: context.clock })
  prompt.inbox.note({ sessionId: agentRequest.agent.abilities.resume ? sessionId : '' })
  try {
    let next = await first
    let done: Extract<AgentEvent, { type: 'done' }> | undefined
    const approvals: ApprovalRecord[] = []
    for (; next.done !== true; next = await events.next()) {
      await turn.noteEvent(next.value)
      prompt.budgets?.noteEvent(next.value)
      if (next.value.type === 'done') {
        done = next.value
        continue
      }
      const event = toEvent(explainStopEvent(explainEvent(next.value, request), isServerStop(options.signal)))
      if (event.type === 'approval_decision') approvals.push({ at: event.timestamp, ...event.content })
      yield event
      yield* (await prompt.inbox.noteTold(event, prompt.told)).map(toEvent)
      watch?.note(next.value)
      yield* (watch?.takeNews() ?? []).map(toEvent)
    }
    yield* (watch?.takeNews() ?? []).map(toEvent)
    const own = explainStop(explainResult(next.value, request), isServerStop(options.signal))
    const ended = { ...(model !== undefined && { model }), ...own }
    const paid = await withCost(ended, prompt, started.seenUsage())
    const result = prompt.budgets?.explain(paid) ?? paid
    context.observer?.agentEnded?.({ backend, ...summarizeResult(result) })
    const warnings = [...result.warnings, ...(await turn.finish(toTurnEnd(result)))]
    if (done !== undefined) yield toEvent(withWarnings(done, warnings))
    return toPromptResult(result, { backend, sessionId, warnings, approvals, boundary: watch?.report() })
  } finally {
    // A caller that stops reading early ends the agent.
    await events.return(undefined as never)
    if (prompt.recording !== undefined) context.approvals?.forget(prompt.recording.id)
  }
}

/** The demo agent costs nothing: the prices are not loaded for it. */
async function withCost(ended: AgentResult, { agentRequest, context }: Prompt, seen: Usage | undefined) {
  if (context.locate(agentRequest.backend)?.isDemo === true)
    return { ...ended, cost: { kind: 'reported', usd: 0 } as const }
  const { costOfTurn } = await import('./turn-cost.ts')
  return costOfTurn(ended, { request: agentRequest, context, seen })
}

/** The demo agent takes one prompt and ends, unless it is to ask: only as claude it can. */
function poolFor({ agentRequest, context }: Prompt): PromptContext['warm'] {
  const { backend, approvalMode } = agentRequest
  const isDemo = context.locate(backend)?.isDemo === true
  return isDemo && !(backend === 'claude' && approvalMode === 'always') ? undefined : context.warm
}

/** Who decides about what the agent asks for. A caller whose modes are limited must not widen them this way. */
function chooseApprover(prompt: Prompt): PromptRunOptions['onApproval'] {
  const { request, agentRequest, context, recording, options } = prompt
  const { approvals, by } = context
  if (isLimiting(by.ceilings)) return undefined
  if (options.onApproval !== undefined || approvals === undefined || recording === undefined) return options.onApproval
  const origin = { directory: request.budgetDirectory ?? agentRequest.workdir, keyId: ownerKey(by)?.id }
  return (asked, takenBack) => approvals.ask(recording.id, asked, { origin, takenBack })
}

/** Who runs the functions of the client. Other prompts run meanwhile. */
function chooseToolRunner({ request, context, recording, calls, slot }: Prompt): WarmRunOptions['clientTools'] {
  const { clientTools } = request
  const { toolTurns } = context
  if (clientTools === undefined || toolTurns === undefined || recording === undefined || calls === undefined)
    return undefined
  const client = ownerKey(context.by)?.id ?? ''
  const { conversation } = clientTools
  const turn = { executionId: recording.id, client, conversation, offer: offerOf(request) }
  return {
    newCallId: () => newCallId(recording.id),
    onToolRequest: async (asked) => {
      slot?.lend()
      const results = await calls.ask(asked, (counted) => toolTurns.ask(turn, counted))
      await slot?.claim()
      return results
    },
  }
}

/** The store's id of this process; undefined when the store cannot be opened. */
async function findOwner({ openStore }: PromptContext): Promise<string | undefined> {
  return await openStore()
    .then((store) => store.owner())
    .catch(ignoreFault)
}

function summarizeResult(result: AgentResult) {
  return { outcome: toOutcome(result), seconds: result.durationMs / 1000, usage: result.usage }
}

function toOutcome({ error, ended }: AgentResult): RunOutcome {
  if (ended === 'timeout') return 'timeout'
  if (ended === 'cancelled') return 'canceled'
  return error === undefined ? 'ok' : 'failed'
}
