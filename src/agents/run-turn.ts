/**
 * Runs one turn of an agent, in a process for this turn alone or in one that stays up: `init` is the first event and `done`
 * the last, however the agent ends, and the generator returns the result. Drivers know the process and what it speaks.
 */

import { systemClock } from '../kit/clock.ts'
import { orUndefined } from '../kit/fault.ts'
import type { ProcessExit } from '../kit/process/process.ts'
import type { BoundaryEvent } from '../sandbox/boundary-report.ts'
import type {
  AgentCommand,
  AgentError,
  AgentEvent,
  AgentRequest,
  OnApproval,
  OutputReader,
  OutputResult,
  Usage,
} from './adapter/agent.ts'
import { exitCodeOfFailure } from './adapter/failure.ts'
import { isRetry } from './adapter/output-reader.ts'
import { warnOfDenials } from './adapter/tool-log.ts'
import { type AgentResult, type AgentRun, type StopReason, toAgentResult } from './agent-result.ts'
import { findMismatch } from './schema/match-schema.ts'

export type AgentRunOptions = {
  signal: AbortSignal
  /** Marks the agent's processes, so that they are found if this process dies without ending them. */
  owner?: string | undefined
  /** The usage of earlier turns of a resumed session, for agents that count whole sessions. */
  priorUsage?: Usage | undefined
  /** Gets every line that the agent prints, unchanged. */
  onLine?: ((line: string) => Promise<void>) | undefined
  /** Decides about what the agent asks for, if it speaks ACP; others cannot ask in a separate process. */
  onApproval?: OnApproval | undefined
  /** Learns what the turn has used so far, from agents that say so before its end. It is no part of the events. */
  onUsage?: ((usage: Usage) => void) | undefined
  /** Learns of each host that an agent inside of a boundary reaches or is refused. */
  onBoundaryEvent?: ((event: BoundaryEvent) => void) | undefined
  /** How long the agent may take to exit after its terminal event. */
  exitGraceMs?: number
  /** Gets the command that deletes a session which the agent stored although the prompt is ephemeral. */
  onLeftover?: ((command: AgentCommand) => void) | undefined
  /** Stops the agent. Its reason is the Fault that the turn fails with. */
  stop?: AbortSignal | undefined
  /** Called when the agent has the prompt. */
  onSteerable?: ((steering: Steering) => void) | undefined
}

/** How an agent is told something while it works. */
export type Steering = {
  /** False: the agent takes no messages in the middle of a turn. Undefined: the turn is over. */
  send(text: string): Promise<boolean | undefined>
  /** Adds an event to those of the agent. */
  tell(event: AgentEvent): void
}

export type TurnDriver = {
  readonly reader: OutputReader
  /** The model, if the agent does not name it. */
  readonly model: string | undefined
  /** Gives the agent its prompt. Throws a Fault if the agent does not take it. `onOutput` learns of all that it prints. */
  begin(onOutput: OnOutput): Promise<void>
  /** What the agent says, until the turn has ended. */
  read(): AsyncIterable<readonly AgentEvent[]>
  /** Stops the agent; what it prints until then is still read. */
  stop(reason: StopReason): void
  /** Waits until nothing of the turn runs, and tells how it ended. May throw a Fault if there was no event. */
  settle(isSilent: boolean): Promise<TurnEnding>
  /** As `AgentBoundary` has it; undefined outside of a boundary. */
  cutOff(): readonly string[] | undefined
  /** What the caller should know about the turn. `sessionId` is the agent's own. */
  warnings(sessionId: string | undefined): Promise<readonly string[]>
  /** Called in the end, without a result if something failed or the caller has stopped reading. */
  close(sessionId: string | undefined, result: AgentResult | undefined): Promise<void>
}

/** Gets the events in what the agent has printed; there may be none. */
export type OnOutput = (events: readonly AgentEvent[]) => void

export type TurnEnding = {
  exit: ProcessExit
  /** The process has not ended with the turn, so that its exit code says nothing. */
  staysUp: boolean
  stopReason: StopReason | undefined
}

/** Some agents try again for minutes. One that has reached no host by then will reach none. */
const MOST_RETRIES = 3

/** Throws a Fault if the agent cannot be started or does not take the prompt; after the first event it never throws. */
export async function* runTurn(request: AgentRequest, driver: TurnDriver, stop?: AbortSignal): AgentRun {
  const { reader, model } = driver
  const opening = createOpening({ model, workdir: request.workdir })
  let result: AgentResult | undefined
  using silence = new SilenceWatch({ limitMs: request.silenceMs ?? null, onSilent: () => driver.stop('silent') })
  const stopNow = () => driver.stop(stop?.reason)
  stop?.addEventListener('abort', stopNow, { once: true })
  try {
    let retries = 0
    await driver.begin((events) => {
      if (reader.isRefused()) driver.stop('refused')
      retries += events.filter(isRetry).length
      if (retries >= MOST_RETRIES && driver.cutOff() !== undefined) driver.stop('cut_off')
      if (reader.hasEnded()) silence[Symbol.dispose]()
      else silence.heard(events)
    })
    for await (const events of driver.read()) {
      silence.pause()
      yield* opening.add(events)
      if (!reader.hasEnded()) silence.resume()
    }
    silence[Symbol.dispose]()
    const { exit, staysUp, stopReason } = await driver.settle(opening.isEmpty())
    const { events, result: finished } = reader.finish(exit, systemClock.now())
    const hasEnded = reader.hasEnded()
    const output = checkAnswer(finished, request)
    const cutOff = driver.cutOff()
    yield* opening.add(events)
    const warnings = [...(await driver.warnings(opening.sessionId())), ...warningsIn(output, request)]
    const code = staysUp && output.error !== undefined ? exitCodeOfFailure(request.backend, output.error) : exit.code
    const ending = { exit: { ...exit, code }, stopReason, hasEnded, cutOff }
    const outcome = toAgentResult({ request, output, warnings, ...ending })
    result = { ...(model !== undefined && { model }), ...outcome }
    yield* opening.add(closingEvents(result))
    return result
  } finally {
    stop?.removeEventListener('abort', stopNow)
    await driver.close(opening.sessionId(), result)
  }
}

/** Tells what the turn has used so far, if the agent says so before its end. */
export function reportUsage(reader: OutputReader, onUsage: ((usage: Usage) => void) | undefined): void {
  const usage = onUsage && reader.usageSoFar()
  if (usage !== undefined) onUsage?.(usage)
}

/** The events that every turn begins and ends with, the check of its answer, and what its output warns of. */
function warningsIn({ warnings = [], denials = [] }: OutputResult, request: AgentRequest): string[] {
  return [...warnings, ...warnOfDenials(denials, request)]
}

/** The result, failed if the agent reports success but its answer does not match the schema: no agent can be relied on for that. */
function checkAnswer(output: OutputResult, { outputSchema }: Pick<AgentRequest, 'outputSchema'>): OutputResult {
  if (outputSchema === undefined || output.error !== undefined) return output
  const answer = orUndefined((): { value: unknown } => ({ value: JSON.parse(output.text) }))
  const problem = answer === undefined ? 'it is not JSON' : findMismatch(answer.value, outputSchema)
  if (problem === undefined) return output
  const message = `the answer does not match the schema of the request: ${problem}`
  return { ...output, error: { code: 'agent_output_invalid', message } }
}

/** Makes `init` the first event: adds one if the agent prints none, and the model if the agent's own lacks it. */
function createOpening({ model, workdir }: { model: string | undefined; workdir: string }) {
  const known = { ...(model !== undefined && { model }), working_dir: workdir }
  let init: Extract<AgentEvent, { type: 'init' }> | undefined
  /** What the agent is told before it says something. */
  const early: AgentEvent[] = []
  return {
    add(events: readonly AgentEvent[]): AgentEvent[] {
      if (init !== undefined) return [...events]
      early.push(...events.filter(({ type }) => type === 'user_message'))
      const [first, ...rest] = events.filter(({ type }) => type !== 'user_message')
      if (first === undefined) return []
      init = { type: 'init', content: { ...known, ...(first.type === 'init' && first.content) } }
      return [init, ...early, ...(first.type === 'init' ? rest : [first, ...rest])]
    },
    /** No event has been added. */
    isEmpty: () => init === undefined,
    /** The agent's own id of its session, if it has printed one. */
    sessionId: () => init?.content.backend_session_id,
  }
}

function closingEvents(result: AgentResult): AgentEvent[] {
  const { error, exitCode, durationMs, usage, context, turnCount, warnings } = result
  const done: AgentEvent = {
    type: 'done',
    content: {
      exit_code: exitCode,
      duration_ms: durationMs,
      token_usage: usage,
      ...(context && { context }),
      ...(turnCount !== undefined && { turn_count: turnCount }),
      ...(warnings.length > 0 && { warnings }),
    },
  }
  return error === undefined ? [done] : [errorEvent(error), done]
}

function errorEvent({ code, message, upstreamStatus, retryAfterSecs }: AgentError): AgentEvent {
  const details = {
    ...(upstreamStatus !== undefined && { upstream_status: upstreamStatus }),
    ...(retryAfterSecs !== undefined && { retry_after_secs: retryAfterSecs }),
  }
  return { type: 'error', content: { code, message, ...(Object.keys(details).length > 0 && { details }) } }
}

/** Node fires a longer timer at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

type SilenceOptions = {
  /** Null: no limit. */
  limitMs: number | null
  onSilent: () => void
}

/**
 * Notices that an agent has been silent for too long. A tool call that has begun and not ended is no silence, because most
 * agents print nothing while a tool runs; nor is a question that waits for an answer, or a reader that does not read.
 */
export class SilenceWatch implements Disposable {
  readonly #options: SilenceOptions
  /** Tool calls and questions that have begun and not ended. */
  readonly #pending = new Set<string>()
  #isPaused = false
  #timer: NodeJS.Timeout | undefined

  constructor(options: SilenceOptions) {
    this.#options = options
    this.#restart()
  }

  /** The agent has printed something; `events` is what it means. */
  heard(events: readonly AgentEvent[]): void {
    for (const event of events) this.#note(event)
    this.#restart()
  }

  /** Until `resume`, the agent may have to wait for its reader. */
  pause(): void {
    this.#isPaused = true
    this.#restart()
  }

  resume(): void {
    this.#isPaused = false
    this.#restart()
  }

  [Symbol.dispose](): void {
    this.pause()
  }

  #note({ type, content }: AgentEvent): void {
    if (type === 'tool_use') this.#pending.add(content.tool_id ?? content.tool_name)
    if (type === 'tool_result') this.#pending.delete(content.tool_id ?? content.tool_name)
    if (type === 'approval_request') this.#pending.add(content.approval_id)
    if (type === 'approval_decision') this.#pending.delete(content.approval_id)
  }

  #restart(): void {
    clearTimeout(this.#timer)
    const { limitMs, onSilent } = this.#options
    if (limitMs === null || this.#isPaused || this.#pending.size > 0) return
    this.#timer = setTimeout(onSilent, Math.min(limitMs, LONGEST_TIMER_MS))
  }
}
