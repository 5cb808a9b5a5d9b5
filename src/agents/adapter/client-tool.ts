/** Functions of a client that an agent may call, and what they answer. The agent gets them from an MCP server of drover. */
import type { JsonRecord } from './json-fields.ts'

/** A function that the client runs itself. */
export type ClientTool = {
  name: string
  description?: string | undefined
  /** A JSON Schema of an object. */
  parameters: JsonRecord
  /** The client takes a text, which the agent gives as `input`. */
  isText?: true
}

/** What the client lets the agent call in one part of a turn. */
export type ToolChoice = {
  /** The part has to end with calls. */
  must: boolean
  /** The names of the functions that may be called. Undefined: all of them. */
  only?: readonly string[]
  /** The client runs one call at a time. */
  isSingle?: true
}

/** What a function answered. An agent that takes no images gets only the texts. */
export type ToolReply = {
  content: readonly ({ type: 'text'; text: string } | { type: 'image'; data: string; mimeType: string })[]
  isError?: boolean
}

/** The results of calls, in their order, and what the agent may call next. */
export type ToolResults = { replies: readonly ToolReply[]; choice: ToolChoice }
