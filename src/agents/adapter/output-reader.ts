/**
 * Reads the output of an agent line by line; what is the same for all agents. An agent prints JSON objects; other text
 * between them is skipped. A program that prints no such object at all has answered in plain text.
 */
import type {
  AgentError,
  AgentEvent,
  Backend,
  ContextUsage,
  Denial,
  OutputReader,
  OutputResult,
  ProcessEnd,
  Usage,
} from './agent.ts'
import {
  type AgentFailure,
  classifyFailure,
  failureCode,
  failureOfExitCode,
  noAnswer,
  stderrMessage,
} from './failure.ts'
import { type JsonRecord, parseObject } from './json-fields.ts'
import { NO_USAGE } from './token-usage.ts'
import { REPLACED_WARNING, TextRepair } from './well-formed.ts'

/** What the output has said so far. */
export type OutputSummary = {
  sessionId?: string | undefined
  model?: string | undefined
  turnCount?: number | undefined
  costUsd?: number | undefined
  context?: ContextUsage | undefined
  text: string
  usage: Usage
  threadUsage?: Usage | undefined
  /** From the terminal event; where there is one, it alone decides about success. */
  outcome?: 'success' | AgentFailure | undefined
  /** The answer is complete; for releases that have no terminal event. */
  hasStopped?: boolean
  /** The last error that the agent reported, in case no terminal event comes. */
  lastError?: AgentFailure | undefined
  denials?: readonly Denial[]
  /** Sentences for the caller. */
  warnings?: readonly string[]
  /** Why the agent last tried a request again. */
  lastRetry?: AgentFailure | undefined
}

/** Reads the objects of one agent during one run. */
export type AgentOutput = {
  readonly backend: Backend
  /** The agent prints frames of a protocol: text between them is never an answer. */
  readonly isFramed?: boolean
  /** The events in one object; undefined if this agent prints no such object. Never throws. */
  read(value: JsonRecord): AgentEvent[] | undefined
  summary(): OutputSummary
  /** What the turn has used so far, for agents that say so after each model request. */
  usageSoFar?(): Usage | undefined
  /** For agents that report some failures on stderr alone. */
  readStderr?(stderrTail: string): Partial<AgentFailure> & { sessionId?: string | undefined }
  /** For agents that report retries on stderr alone. */
  readNotice?(line: string): AgentEvent[]
  /** For agents that report some denied tool calls on stderr alone. */
  deniedOnStderr?(stderrTail: string): Denial[]
}

const MESSAGE_LIMIT = 4000

/** A thousand times what a model writes in one answer. */
export const ANSWER_LIMIT_CHARACTERS = 16 * 1024 * 1024

export function createOutputReader(output: AgentOutput): OutputReader {
  /** Undefined once the agent has printed its own object. */
  let plain: string[] | undefined = output.isFramed ? undefined : []
  let held = 0
  const repair = new TextRepair()
  let hasBegun = false
  let refusals = 0
  let isRetrying = false
  const noteRetries = (events: readonly AgentEvent[]) => {
    refusals = countRefusals(refusals, output, events)
    isRetrying = !events.some(isAnswer) && (isRetrying || events.some(isRetry))
  }
  const read = (value: JsonRecord | undefined) => {
    const events = value && output.read(value)
    if (events !== undefined) plain = undefined
    return events
  }
  const readParsed = (value: JsonRecord | undefined, line: string) => {
    const events = read(value)
    hasBegun ||= events === undefined ? plain !== undefined && line.trim() !== '' : events.some(isAnswer)
    noteRetries(events ?? [])
    held += events === undefined ? line.length + 1 : textLength(events)
    if (events === undefined && held <= ANSWER_LIMIT_CHARACTERS) plain?.push(line)
    return events === undefined ? [] : repair.events(events, line)
  }
  return {
    readLine: (line) => readParsed(parseObject(line), line),
    readFrame: readParsed,
    isTooLong: () => held > ANSWER_LIMIT_CHARACTERS,
    hasBegun: () => hasBegun,
    isRefused: () => refusals >= MOST_REFUSALS,
    readNotice:
      output.readNotice &&
      ((line) => {
        const events = output.readNotice?.(line) ?? []
        noteRetries(events)
        return repair.value(events)
      }),
    usageSoFar: () => output.usageSoFar?.(),
    hasEnded: () => output.summary().outcome !== undefined,
    finish(end, now) {
      const events = plain && read(documentIn(plain))
      const plainText = plain === undefined ? undefined : joinLines(plain)
      const last = repair.events(events ?? messageEvents(plainText, { isPartial: false }), plainText ?? '')
      hasBegun ||= events?.some(isAnswer) === true
      const result = repair.value(toOutputResult(output, { end, now, plainText, hasBegun, isRetrying }))
      const warnings = [...(output.summary().warnings ?? []), ...(repair.hasReplaced ? [REPLACED_WARNING] : [])]
      return {
        events: [...last, ...repair.end()],
        result: { ...result, ...(warnings.length > 0 && { warnings }) },
      }
    },
  }
}

/** An agent may renew its login after the first one. */
const MOST_REFUSALS = 2

/** How often, one after the other, the agent has tried again because the model service refused its login. */
function countRefusals(before: number, output: AgentOutput, events: readonly AgentEvent[]): number {
  if (events.some(isAnswer)) return 0
  if (!events.some(isRetry)) return before
  const { lastRetry } = output.summary()
  return lastRetry !== undefined && failureCode(lastRetry) === 'agent_auth_failed' ? before + 1 : 0
}

export function isAnswer({ type }: AgentEvent): boolean {
  return type === 'message' || type === 'thinking' || type === 'tool_use' || type === 'tool_result'
}

export function isRetry({ type, content }: AgentEvent): boolean {
  return type === 'progress' && content.stage === 'retry'
}

function textLength(events: readonly AgentEvent[]): number {
  return events.reduce((sum, { type, content }) => sum + (type === 'message' ? content.text.length : 0), 0)
}

function joinLines(lines: readonly string[]): string {
  const last = lines.findLastIndex((line) => line.trim() !== '')
  return lines.slice(0, last + 1).join('\n')
}

/** One object printed over several lines, with or without other lines before it. */
function documentIn(lines: readonly string[]): JsonRecord | undefined {
  const start = lines.findIndex((line) => line.trimStart().startsWith('{'))
  return start === -1 ? undefined : parseObject(lines.slice(start).join('\n'))
}

/** `plainText` is undefined if the agent printed objects. */
type Finish = { end: ProcessEnd; now: Date; plainText: string | undefined; hasBegun: boolean; isRetrying: boolean }

function toOutputResult(output: AgentOutput, finish: Finish): OutputResult {
  const { end, now, plainText, isRetrying } = finish
  const { model, turnCount, costUsd, context, threadUsage, usage, text, ...summary } = output.summary()
  const sessionId = summary.sessionId ?? output.readStderr?.(end.stderrTail).sessionId
  const failure = findFailure(output, finish)
  const denials = [...(summary.denials ?? []), ...(output.deniedOnStderr?.(end.stderrTail) ?? [])]
  return {
    text: plainText ?? text,
    usage,
    ...(failure && { error: toError(failure, now) }),
    ...(threadUsage && { threadUsage }),
    ...(sessionId !== undefined && { sessionId }),
    ...(model !== undefined && { model }),
    ...(turnCount !== undefined && { turnCount }),
    ...(costUsd !== undefined && { costUsd }),
    ...(context && { context }),
    ...(denials.length > 0 && { denials }),
    ...(isRetrying && summary.lastRetry && { lastRetry: toError(summary.lastRetry, now) }),
  }
}

function findFailure(output: AgentOutput, { end, plainText = '', hasBegun }: Finish): AgentFailure | undefined {
  const { backend } = output
  const { outcome, lastError, hasStopped } = output.summary()
  if (outcome === 'success') return hasBegun ? undefined : noAnswer(backend)
  const early: AgentFailure = { code: 'agent_ended_early', message: formatEarlyEnd(backend, end) }
  if (outcome === undefined && end.code === 0) return hasStopped || plainText !== '' ? undefined : early
  const exit = { ...failureOfExitCode(backend, end.code), ...output.readStderr?.(end.stderrTail) }
  const reported = outcome ?? lastError ?? exit
  // An agent that a signal ended has not said why it failed.
  const unstructured = end.signal === null ? [stderrMessage(end.stderrTail), plainText] : []
  const message = [reported.message, exit.message, ...unstructured].find((text) => text?.trim())
  if (message === undefined) return { ...early, code: exit.code ?? early.code }
  const retryAfterMs = reported.retryAfterMs ?? exit.retryAfterMs
  const { login, resetsAt } = reported
  const [code, status] = [reported.code ?? exit.code, reported.status ?? exit.status]
  return { message, code, status, retryAfterMs, resetsAt, login }
}

function formatEarlyEnd(backend: Backend, { code, signal }: ProcessEnd): string {
  const how = signal === null ? `exit code ${code}` : `ended by ${signal}`
  return `${backend} ended before it had finished its answer (${how})`
}

function toError(failure: AgentFailure, now: Date): AgentError {
  const { code, message, status, retryAfterMs, login } = classifyFailure(failure, { now })
  return {
    code,
    message: message.trim().slice(0, MESSAGE_LIMIT),
    ...(status !== undefined && { upstreamStatus: status }),
    ...(retryAfterMs !== undefined && { retryAfterSecs: Math.ceil(retryAfterMs / 1000) }),
    ...(login !== undefined && { login }),
  }
}

export function emptySummary(): OutputSummary {
  return { text: '', usage: NO_USAGE }
}

type InitContent = { model?: string | undefined; sessionId?: string | undefined; workdir?: string | undefined }

/** Events that several agents have in common. */
export function initEvent({ model, sessionId, workdir }: InitContent): AgentEvent {
  return {
    type: 'init',
    content: {
      ...(model !== undefined && { model }),
      ...(sessionId !== undefined && { backend_session_id: sessionId }),
      ...(workdir !== undefined && { working_dir: workdir }),
    },
  }
}

type TextOptions = { isPartial: boolean }

export function messageEvents(text: string | undefined, { isPartial }: TextOptions): AgentEvent[] {
  return text ? [{ type: 'message', content: { text, role: 'assistant', ...(isPartial && { is_partial: true }) } }] : []
}

export function thinkingEvents(text: string | undefined, { isPartial }: TextOptions): AgentEvent[] {
  return text ? [{ type: 'thinking', content: { text, ...(isPartial && { is_partial: true }) } }] : []
}

/** A text that the agent prints twice, first in pieces and then whole. The pieces are not reported again. */
export class StreamedText {
  #reported = ''

  add(piece: string): void {
    this.#reported += piece
  }

  /** Starts another text. */
  restart(): void {
    this.#reported = ''
  }

  /** The part of the whole text that has not been reported: all of it, if the pieces belong to another text. */
  takeRest(whole: string): string {
    const reported = this.#reported
    this.#reported = ''
    return whole.startsWith(reported) ? whole.slice(reported.length) : whole
  }

  get unfinished(): string {
    return this.#reported
  }
}
