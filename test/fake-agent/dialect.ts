/**
 * A dialect knows how one command-line agent is called and what it prints. It only formats: it writes nothing and waits
 * for nothing, so a turn can be cut short, slowed down or spoilt between any two steps.
 */
import type { DemoToolResult, DemoUsage } from '../../src/demo/demo-answer.ts'
import type { Ending, Output } from './output.ts'
import type { FailureStatus } from './script.ts'

export type Format = 'text' | 'json' | 'stream-json'

export function isFormat(word: string): word is Format {
  return word === 'text' || word === 'json' || word === 'stream-json'
}

/** What the arguments ask for. */
export type Invocation = {
  format: Format
  hasPartialMessages: boolean
  /** The permission mode as the agent names it; it is only printed. */
  permission: string
  model?: string
  /** The id for a new session. */
  sessionId?: string
  resumeId?: string
  /** A session to delete, instead of an answer. */
  deleteId?: string
  isEphemeral: boolean
  /** The answer must match a schema. */
  hasSchema?: boolean
  /** A prompt in the arguments. */
  argument?: string
  /** Stdin holds messages in JSON, not the text of a prompt. */
  hasMessageInput?: boolean
}

/** What all the output of one turn is about. */
export type Facts = {
  invocation: Invocation
  sessionId: string
  model: string
  cwd: string
  hasPartialMessages: boolean
  /** The tokens of the earlier turns of the session. */
  priorUsage: DemoUsage
  elapsedMs: () => number
  timestamp: () => string
  newId: () => string
}

/** The error that the model's API is said to have returned. */
export type ApiFailure = { status: FailureStatus; message: string; retryAfterSecs?: number | undefined }

export type ToolOutcome = DemoToolResult & { isDenied: boolean }

/** Formats the steps of a turn. An agent prints nothing for a method it leaves out. */
export type AgentOutput = {
  begin?(prompt: string): Output
  /** A request goes to the model. */
  request?(): Output
  thinking?(text: string): Output
  textStart?(): Output
  word?(text: string): Output
  textEnd?(text: string): Output
  toolCall?(command: string): Output
  /** The model's reply is complete. */
  replyEnd?(reason: 'end_turn' | 'tool_use'): Output
  toolResult?(command: string, result: ToolOutcome): Output
  retry?(attempt: number, failure?: ApiFailure): Output
  /** One complete line with this text. */
  textLine(text: string): string
  finish(usage: DemoUsage): Output
  fail(failure: ApiFailure): Ending
  interrupt(signal: Interruption, turn: { isToolRunning: boolean }): Ending & { tool: 'ended' | 'left' }
}

export type Interruption = 'SIGINT' | 'SIGTERM'

export type Dialect = {
  readInvocation(argv: readonly string[]): Invocation | Ending
  /** Joins what came on stdin with the prompt in the arguments. */
  toPrompt(stdin: string, invocation: Invocation): string
  noPrompt: Ending
  noSession(id: string, facts: { format: Format; newId: () => string }): Ending
  createOutput(facts: Facts): AgentOutput
}
