/** The tool calls of `gemini --acp`: a title for people to read, and neither a name nor arguments. */
import { type JsonObject, objectAt, objectsAt, textAt, toText } from '../../../../src/agents/adapter/json-fields.ts'

/** Gemini makes the id of a call from the name of its tool: `read_file__read_file_1794703458089_0`. */
const NAMED_ID = /^(.{1,200})__\1_\d+_\d+$/

export function toCall(update: JsonObject) {
  const [id, title] = [textAt(update, 'toolCallId'), textAt(update, 'title')]
  const name = NAMED_ID.exec(id ?? '')?.[1] ?? textAt(update, 'kind')
  return { id, name, input: title === undefined ? undefined : { title } }
}

/** Undefined while the call is running. Content that arrives before its end describes the call and is not its output. */
export function outcomeOfCall(update: JsonObject) {
  const status = textAt(update, 'status')
  if (status !== 'completed' && status !== 'failed') return undefined
  const blocks = objectsAt(update, 'content').map((block) => objectAt(block, 'content') ?? block)
  const output = blocks.length === 0 ? undefined : toText(blocks)
  return { output, failure: status === 'failed' ? output || 'the tool failed' : undefined }
}
