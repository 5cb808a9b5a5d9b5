/**
 * What reading is the same for every agent. An agent's lines are JSON objects; anything else it prints between them is
 * skipped. A program that prints no such object at all is taken at its word: what it printed is the answer.
 */
import type { AgentEvent, Backend, OutputReader, ProcessEnd, Usage, Verdict } from './agent.ts'
import { classifyFailure, type Trouble } from './failure.ts'
import { type JsonObject, parseObject } from './json-fields.ts'
import { stderrMessage } from './stderr-message.ts'
import { NO_USAGE } from './usage.ts'

/** What is known of a run so far. */
export type Findings = {
  sessionId?: string | undefined
  model?: string | undefined
  turnCount?: number | undefined
  text: string
  usage: Usage
  threadUsage?: Usage | undefined
  /** What the terminal event says; the only word on success that counts once the agent has spoken. */
  ending?: 'success' | Trouble | undefined
  /** The answer is complete, although releases that say it like this have no terminal event. */
  hasStopped?: boolean
  /** The last failure the agent spoke of, in case that no terminal event comes. */
  trouble?: Trouble | undefined
}

/** How one agent speaks, and what it has said in one run. */
export type Dialect = {
  readonly backend: Backend
  /** Speaks a protocol: text between its frames is never an answer. */
  readonly isFramed?: boolean
  /** The events in one object; undefined if no object of this agent looks like that. Never throws. */
  read(value: JsonObject): AgentEvent[] | undefined
  findings(): Findings
  /** Failures that the agent tells by its exit code or on stderr alone. */
  troubleOf?(end: ProcessEnd): Partial<Trouble> & { sessionId?: string | undefined }
}

const MESSAGE_LIMIT = 4000

/** A thousand times what a model says in one answer. */
export const ANSWER_LIMIT_CHARACTERS = 16 * 1024 * 1024

export function createOutputReader(dialect: Dialect): OutputReader {
  /** Undefined as soon as the agent has spoken in its own way. */
  let plain: string[] | undefined = dialect.isFramed ? undefined : []
  let held = 0
  const read = (value: JsonObject | undefined) => {
    const events = value && dialect.read(value)
    if (events !== undefined) plain = undefined
    return events
  }
  return {
    readLine(line) {
      const events = read(parseObject(line))
      held += events === undefined ? line.length + 1 : textLength(events)
      if (events === undefined && held <= ANSWER_LIMIT_CHARACTERS) plain?.push(line)
      return events ?? []
    },
    isOverfull: () => held > ANSWER_LIMIT_CHARACTERS,
    hasEnded: () => dialect.findings().ending !== undefined,
    finish(end) {
      const events = plain && read(documentIn(plain))
      const text = plain === undefined ? '' : joinLines(plain)
      return {
        events: events ?? (text === '' ? [] : [{ type: 'message', content: { text, role: 'assistant' } }]),
        verdict: toVerdict(dialect, end, { hasSpoken: plain === undefined, text }),
      }
    },
  }
}

function textLength(events: readonly AgentEvent[]): number {
  return events.reduce((sum, { type, content }) => sum + (type === 'message' ? content.text.length : 0), 0)
}

function joinLines(lines: readonly string[]): string {
  const last = lines.findLastIndex((line) => line.trim() !== '')
  return lines.slice(0, last + 1).join('\n')
}

/** One object printed over several lines, with or without other lines before it. */
function documentIn(lines: readonly string[]): JsonObject | undefined {
  const start = lines.findIndex((line) => line.trimStart().startsWith('{'))
  return start === -1 ? undefined : parseObject(lines.slice(start).join('\n'))
}

type Plain = { hasSpoken: boolean; text: string }

function toVerdict(dialect: Dialect, end: ProcessEnd, plain: Plain): Verdict {
  const findings = dialect.findings()
  const { model, turnCount, threadUsage, usage } = findings
  const sessionId = findings.sessionId ?? dialect.troubleOf?.(end).sessionId
  const trouble = troubleOf(dialect, end, plain)
  return {
    text: plain.hasSpoken ? findings.text : plain.text,
    usage,
    ...(trouble && { error: toError(trouble) }),
    ...(threadUsage && { threadUsage }),
    ...(sessionId !== undefined && { sessionId }),
    ...(model !== undefined && { model }),
    ...(turnCount !== undefined && { turnCount }),
  }
}

function troubleOf(dialect: Dialect, end: ProcessEnd, plain: Plain): Trouble | undefined {
  const { ending, trouble, hasStopped } = dialect.findings()
  if (ending === 'success') return undefined
  const early: Trouble = { code: 'agent_ended_early', message: sayEarly(dialect.backend, end) }
  if (ending === undefined && end.code === 0) return hasStopped || plain.text !== '' ? undefined : early
  const outside = dialect.troubleOf?.(end) ?? {}
  const said = ending ?? trouble ?? outside
  // Whoever was ended by a signal did not say why.
  const unsaid = end.signal === null ? [stderrMessage(end.stderrTail), plain.text] : []
  const message = [said.message, outside.message, ...unsaid].find((text) => text?.trim())
  if (message === undefined) return { ...early, code: outside.code ?? early.code }
  return { message, code: said.code ?? outside.code, status: said.status ?? outside.status }
}

function sayEarly(backend: Backend, { code, signal }: ProcessEnd): string {
  const how = signal === null ? `exit code ${code}` : `ended by ${signal}`
  return `${backend} ended before it had finished its answer (${how})`
}

function toError(trouble: Trouble): NonNullable<Verdict['error']> {
  return { code: classifyFailure(trouble), message: trouble.message.trim().slice(0, MESSAGE_LIMIT).toWellFormed() }
}

export function noFindings(): Findings {
  return { text: '', usage: NO_USAGE }
}
