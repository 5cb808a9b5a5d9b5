/**
 * A dialect knows how one command-line agent is called and how it answers. It only finds the words: it writes nothing
 * and waits for nothing, so a turn can be cut short, slowed down or spoilt between any two of them.
 */
import type { Failure, ToolCall, ToolResult } from './answer.ts'
import type { Ending, Said } from './said.ts'
import type { Usage } from './usage.ts'

export type Format = 'text' | 'json' | 'stream-json'

export function isFormat(word: string): word is Format {
  return word === 'text' || word === 'json' || word === 'stream-json'
}

/** What the arguments ask for. */
export type Invocation = {
  format: Format
  /** Text in pieces, where that has to be asked for. */
  hasPartialMessages: boolean
  /** How much the agent may do, in its own word; it is only shown. */
  permission: string
  model?: string
  /** For a new session. */
  sessionId?: string
  resumeId?: string
  /** A session to delete, instead of an answer. */
  deleteId?: string
  isEphemeral: boolean
  /** A prompt given as an argument. */
  argument?: string
  /** Stdin holds messages in JSON, not the text of a prompt. */
  hasMessageInput?: boolean
}

/** What is true of one turn. */
export type Facts = {
  invocation: Invocation
  sessionId: string
  model: string
  cwd: string
  /** Of the earlier turns of the session. */
  priorUsage: Usage
  elapsedMs: () => number
  timestamp: () => string
  newId: () => string
}

/** Finds the words for what happens in a turn. An agent says nothing at the points that its voice leaves out. */
export type Voice = {
  begin?(prompt: string): Said
  /** A request goes to the model. */
  request?(): Said
  thought?(text: string): Said
  textStart?(): Said
  word?(text: string): Said
  textEnd?(text: string): Said
  toolCall?(call: ToolCall): Said
  /** The model's reply is complete. */
  replyEnd?(why: 'end_turn' | 'tool_use'): Said
  toolResult?(call: ToolCall, result: ToolResult): Said
  retry?(attempt: number): Said
  /** One complete line that holds this text. */
  textLine(text: string): string
  finish(usage: Usage): Said
  fail(failure: Failure): Ending
  interrupt(signal: Interruption, turn: { isToolRunning: boolean }): Ending & { tool: 'ended' | 'left' }
}

export type Interruption = 'SIGINT' | 'SIGTERM'

export type Dialect = {
  readInvocation(argv: readonly string[]): Invocation | Ending
  /** The prompt, from what came on stdin and from the arguments. */
  toPrompt(stdin: string, invocation: Invocation): string
  /** There is no prompt. */
  noPrompt: Ending
  noSession(id: string, facts: { format: Format; newId: () => string }): Ending
  createVoice(facts: Facts): Voice
}
