/** Functions of a client that an agent may call, and what they answer. The agent gets them from an MCP server of drover. */
import type { JsonRecord } from './json-fields.ts'

/** A function that the client runs itself. */
export type ClientTool = {
  name: string
  description?: string | undefined
  /** A JSON Schema of an object. */
  parameters: JsonRecord
}

/** What a function answered. An agent that takes no images gets only the texts. */
export type ToolReply = {
  content: readonly ({ type: 'text'; text: string } | { type: 'image'; data: string; mimeType: string })[]
  isError?: boolean
}
