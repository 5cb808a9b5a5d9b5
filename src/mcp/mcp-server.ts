/** An MCP server with the tools of drover. A call is checked, done, and answered; a Fault becomes a tool error. */
import { ProtocolError, ProtocolErrorCode, Server, type ServerContext } from '@modelcontextprotocol/server'
import type { WorkAct } from '../drive/act/act-on-run.ts'
import type { DrivenRun } from '../drive/service/driven-run.shape.ts'
import { type CurrentActivity, nextActivity } from '../executions/activity.ts'
import type { ExecutionEvent } from '../executions/store/execution.shape.ts'
import { executionEnded, executionEventsGone } from '../executions/store/faults.ts'
import { Fault, isFault } from '../kit/fault.ts'
import { requestChecker, type Validate } from '../kit/schema.ts'
import type { Caller } from '../prompts/caller.ts'
import { approvalNotFound } from '../prompts/faults.ts'
import type { BatchStart, MessageToAgent } from '../service/drover-service.ts'
import { toFollowUp } from '../service/run-requests.ts'
import type { ToolDrover } from '../service/tool-drover.ts'
import * as VALIDATORS from './checks.generated.js'
import {
  type AskedQuestions,
  answerResult,
  budgetResult,
  executionResult,
  faultResult,
  keepResult,
  messageResult,
  runResult,
  type ToolResult,
  type Watched,
} from './tool-result.ts'
import { TOOLS } from './tools.generated.js'
import type { ToolInput, ToolName } from './tools.shape.ts'

/** For whom the tools work, and with what. */
export type ToolHost = {
  readonly drover: ToolDrover
  readonly by: Caller
  /** The caller, as records name it. */
  readonly sender: MessageToAgent['by']
  readonly version: string
  readonly defaultBackend: string
  /** The setting `server.mcp_wait_secs`. */
  readonly waitSecs: number
  /** Aborted when drover ends: tools then answer with what they have. */
  readonly closing: AbortSignal
  /** Learns of what a call starts. */
  note?(started: { backends: readonly string[]; prompts: readonly string[] }): void
}

type ToolCall = {
  host: ToolHost
  /** Aborted when the client cancels the call, or is gone. */
  signal: AbortSignal
  report: Report
}

const INSTRUCTIONS = `drover runs command-line coding agents on this machine. "prompt" sends one a prompt, "compare" asks several the same.
A call that takes long answers with an execution_id; "execution_get" waits for the answer, and "execution_message" tells the agent something meanwhile; "execution_answer" answers what it asks. "session_resume" resumes a session.
"run_start" lets agents carry out a whole change in a git repository; "run_status", "run_answer" and "run_follow_up" follow it,
and "run_merge", "run_pull_request", "run_take" and "run_discard" decide what becomes of its work. "budget_list" shows how much of each
budget is left.`

/** `onCall` learns of every call, which may outlast its connection. */
export function createMcpServer(host: ToolHost, onCall: (call: Promise<unknown>) => void = () => {}): Server {
  const server = new Server(
    { name: 'drover', title: 'drover', version: host.version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  )
  server.setRequestHandler('tools/list', () => ({ tools: [...TOOLS] }))
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const { name, arguments: given = {} } = params
    const { signal } = context.mcpReq
    const called = callTool(name, given, { host, signal, report: reportTo(context) })
    onCall(called)
    const result = await called
    if (result === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `no tool ${name}; list the tools`)
    return result
  })
  return server
}

/** Progress counts the seconds, because nothing else is known to increase. Only for clients that ask for it. */
function reportTo({ mcpReq }: ServerContext): Report {
  const token = mcpReq._meta?.progressToken
  if (token === undefined) return () => {}
  const startedAt = performance.now()
  let last = 0
  return (message) => {
    last = Math.max(last + 0.001, (performance.now() - startedAt) / 1000)
    const params = { progressToken: token, progress: last, message }
    // The client may be gone.
    void mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined)
  }
}

const CALLS: { readonly [Name in ToolName]: (call: ToolCall, given: ToolInput[Name]) => Promise<ToolResult> } = {
  prompt: async (call, { wait_secs: wait, ...request }) => {
    const { drover, by, defaultBackend } = call.host
    const prompt = { backend: defaultBackend, ...request, wantsDeltas: true }
    return await runToHandle(call, { wait, ...request }, (options) => drover.prompts.start(by, prompt, options))
  },
  compare: async (call, { wait_secs: wait, ...request }) => {
    const { drover, by } = call.host
    return await runToHandle(call, { wait, ...request }, (options) => drover.batches.compare(by, request, options))
  },
  compare_keep: async ({ host, signal }, given) => keepResult(await host.drover.batches.keep(host.by, given, signal)),
  session_resume: async (call, { wait_secs: wait, session_id: id, ...request }) => {
    const { drover, by } = call.host
    return await runToHandle(call, { wait, ...request }, (options) =>
      drover.prompts.resume(by, { id, ...request }, options),
    )
  },
  execution_get: async ({ host, signal, report }, given) => {
    const { drover, by } = host
    const { wait_secs: wait = host.waitSecs, events_after: eventsAfter } = given
    const { id } = await drover.executions.find(by, given.execution_id)
    const watched = await watchExecution(host, id, { waitMs: wait * 1000, signal, report, eventsAfter })
    return executionResult(await drover.executions.find(by, id), watched)
  },
  execution_cancel: async ({ host, signal, report }, given) => {
    const { drover, by } = host
    const { id } = await drover.executions.find(by, given.execution_id)
    await cancel(host, id)
    const watched = await watchExecution(host, id, { waitMs: CANCEL_WAIT_MS, signal, report })
    return executionResult(await drover.executions.find(by, id), watched)
  },
  execution_message: async ({ host }, { execution_id: id, text }) =>
    messageResult(await host.drover.executions.say(host.by, id, { text, by: host.sender })),
  execution_answer: async ({ host, signal, report }, { execution_id: named, approval_id: approval, answers = [] }) => {
    const { drover, by, sender } = host
    const { id } = await drover.executions.find(by, named)
    const { asked } = await watchExecution(host, id, { waitMs: ANSWER_WAIT_MS, signal, report })
    // A model must not allow what an agent wants to do.
    if (!asked.some(({ approval_id: waiting }) => waiting === approval)) throw approvalNotFound({ id: approval })
    const reply = answers.length === 0 ? ({ decision: 'deny' } as const) : ({ decision: 'allow', answers } as const)
    const decision = await drover.executions.decide(by, { id, approval }, { ...reply, by: sender })
    return answerResult({ execution_id: id, approval_id: approval, decision })
  },
  run_start: async ({ host }, given) => {
    const run = await host.drover.startRun(host.by, given)
    host.note?.({ backends: [run.backend], prompts: [run.goal] })
    return runResult(run)
  },
  run_status: async (call, { run_id: id, wait_secs: wait = 0 }) => runResult(await waitForRun(call, id, wait * 1000)),
  run_answer: async ({ host }, { run_id: id, text, action_id: actionId }) =>
    runResult(await host.drover.runs.answer(host.by, id, { text, actionId })),
  run_follow_up: async ({ host }, { run_id: id, ...wanted }) =>
    runResult(await host.drover.runs.followUp(host.by, id, toFollowUp(wanted))),
  run_move: async ({ host }, { run_id: id, before }) =>
    runResult(await host.drover.runs.move(host.by, id, before === undefined ? 'last' : { before })),
  run_merge: (call, { run_id: id, ...wanted }) => act(call, id, { do: 'merge', ...wanted }),
  run_pull_request: (call, { run_id: id }) => act(call, id, { do: 'pull_request' }),
  run_take: (call, { run_id: id }) => act(call, id, { do: 'take' }),
  run_discard: (call, { run_id: id }) => act(call, id, { do: 'discard' }),
  budget_list: async ({ host }) => budgetResult(await host.drover.budgets.list(host.by)),
}

async function act({ host }: ToolCall, id: string, wanted: WorkAct): Promise<ToolResult> {
  return runResult(await host.drover.runs.act(host.by, id, wanted))
}

const CHECKS: Readonly<Record<ToolName, Validate>> = VALIDATORS

/** Undefined if there is no such tool. An error that is not a Fault is a bug, and is thrown. */
async function callTool(name: string, given: unknown, call: ToolCall): Promise<ToolResult | undefined> {
  if (!Object.hasOwn(CALLS, name)) return undefined
  try {
    return await checkAndCall(name as ToolName, given, call)
  } catch (error) {
    if (error instanceof Fault) return faultResult(error)
    throw error
  }
}

async function checkAndCall<Name extends ToolName>(name: Name, given: unknown, call: ToolCall): Promise<ToolResult> {
  const check = requestChecker<ToolInput[Name]>('the call', CHECKS[name])
  return await CALLS[name](call, check(given))
}

type Started = { wait: number | undefined; prompt: string; backends?: readonly string[] }

/**
 * Starts work and waits for its end. If that takes too long, the answer is a handle, and the work continues. A client that
 * gives up before has no handle, so the work is ended.
 */
async function runToHandle(
  { host, signal, report }: ToolCall,
  { wait = host.waitSecs, prompt, backends }: Started,
  start: (options: BatchStart) => Promise<{ id: string }>,
): Promise<ToolResult> {
  signal.throwIfAborted()
  const { id } = await start({ signal, isInBackground: true })
  const watched = await watchExecution(host, id, { waitMs: wait * 1000, signal, report })
  if (signal.aborted) await cancel(host, id)
  const execution = await host.drover.executions.find(host.by, id)
  host.note?.({ backends: backends ?? [execution.backend ?? ''], prompts: [prompt] })
  return executionResult(execution, watched)
}

/** It may have ended meanwhile. */
async function cancel({ drover, by }: ToolHost, id: string): Promise<void> {
  try {
    await drover.executions.cancel(by, id)
  } catch (error) {
    if (!isFault(error, executionEnded)) throw error
  }
}

/** Until it does not work any more, or the time is over. */
async function waitForRun({ host, signal, report }: ToolCall, id: string, waitMs: number): Promise<DrivenRun> {
  const { drover, by, closing } = host
  let run = await drover.runs.show(by, id)
  if (run.state !== 'running' || waitMs === 0) return run
  const stop = AbortSignal.any([signal, closing, AbortSignal.timeout(waitMs)])
  const { events } = await drover.runs.follow(by, id, { after: run.last_seq, signal: stop })
  for await (const _ of events) {
    run = await drover.runs.show(by, id)
    report(`run ${id}: ${run.action?.kind ?? run.state}`)
    if (run.state !== 'running') break
  }
  return run
}

/** Tells the client that the work continues. Clients that know progress extend their time limit by it. */
type Report = (message: string) => void

type WatchOptions = {
  waitMs: number
  /** Aborted when the client gives up. */
  signal: AbortSignal
  report: Report
  /** Collect the events after this number. */
  eventsAfter?: number | undefined
}

type Watching = { readonly drover: Pick<ToolDrover, 'executions'>; readonly by: Caller; readonly closing: AbortSignal }

const REPORT_EVERY_MS = 5000
/** An agent that is told to end has less time than this before it is killed. */
const CANCEL_WAIT_MS = 15_000
/** The question is among the stored events. */
const ANSWER_WAIT_MS = 5000
const MAX_EVENTS = 200

/** Returns at the end of the execution, of the time, of drover, when the agent asks, or when the client gives up, whatever is first. */
async function watchExecution({ drover, by, closing }: Watching, id: string, options: WatchOptions): Promise<Watched> {
  const { waitMs, signal, report, eventsAfter } = options
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), waitMs)
  const seen = new SeenEvents(eventsAfter)
  report(`execution ${id}`)
  const reporting = setInterval(() => report(seen.activity), REPORT_EVERY_MS)
  try {
    const stop = AbortSignal.any([signal, timeout.signal, closing])
    for await (const events of drover.executions.follow(by, id, { after: 0, signal: stop })) {
      for (const event of events) seen.add(event)
      if (seen.asked.length > 0) break
    }
  } catch (error) {
    // Its beginning is not stored; the result will be.
    if (!isFault(error, executionEventsGone)) throw error
  } finally {
    clearTimeout(timer)
    clearInterval(reporting)
  }
  return seen
}

class SeenEvents implements Watched {
  readonly events: ExecutionEvent[] | undefined
  readonly #after: number
  /** The questions that no one has answered. */
  asked: readonly AskedQuestions[] = []
  text = ''
  #activity: CurrentActivity | undefined

  constructor(after: number | undefined) {
    this.#after = after ?? 0
    this.events = after === undefined ? undefined : []
  }

  /** What it does right now. */
  get activity(): string {
    return this.#activity?.text ?? 'waits for its agent'
  }

  add(event: ExecutionEvent): void {
    const { seq, type, content } = event
    this.#activity = nextActivity(this.#activity, event) ?? this.#activity
    if (type === 'approval_request' && content['questions'] !== undefined) {
      this.asked = [...this.asked, content as AskedQuestions]
    }
    if (type === 'approval_decision') {
      this.asked = this.asked.filter(({ approval_id: id }) => id !== content['approval_id'])
    }
    if (type === 'message') {
      const { text = '', is_partial: isPartial = false } = content as { text?: string; is_partial?: boolean }
      this.text += isPartial ? text : `${text}\n`
    }
    if (seq > this.#after && this.events !== undefined && this.events.length < MAX_EVENTS) this.events.push(event)
  }
}
