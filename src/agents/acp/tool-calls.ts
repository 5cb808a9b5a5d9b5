/** Reads what agents report about a tool call: its name, input, output and exit code. Every agent has its own fields. Pure. */

import { type AcpProfile, TOOL_KINDS, type ToolKind } from '../adapter/acp-profile.ts'
import {
  countAt,
  isObject,
  type JsonRecord,
  objectAt,
  objectsAt,
  parseObject,
  textAt,
  toText,
} from '../adapter/json-fields.ts'

/** The name of the tool; without one, what kind of tool it is, or the title of the call. */
export function readToolName(call: JsonRecord): string | undefined {
  const meta = objectAt(call, '_meta')
  const named = [
    textAt(call, 'name'),
    textAt(meta, 'toolName', 'tool_name'),
    textAt(objectAt(meta, 'claudeCode'), 'toolName'),
    textAt(objectAt(objectAt(meta, 'goose'), 'toolCall'), 'toolName'),
    textAt(objectAt(meta, 'x.ai/tool'), 'name'),
    nameInId(textAt(call, 'toolCallId') ?? ''),
  ].find((name) => name !== undefined)
  const kind = textAt(call, 'kind')
  return named ?? (kind === undefined || kind === 'other' ? textAt(call, 'title') : kind)
}

/** Gemini has no name but in ids such as `write_file__write_file_1794752526649_0`. */
function nameInId(id: string): string | undefined {
  return /^(\w+)__\1_\d+_\d+$/.exec(id)?.[1]
}

/** What kind of tool it is; `other` if the agent does not say. */
export function readToolKind(call: JsonRecord, { kinds = [] }: Pick<AcpProfile, 'kinds'>): ToolKind {
  const kind = TOOL_KINDS.find((known) => known === textAt(call, 'kind'))
  if (kind !== undefined && kind !== 'other') return kind
  const title = textAt(call, 'title') ?? ''
  return kinds.find(([pattern]) => pattern.test(title))?.[1] ?? 'other'
}

/** The input of the tool. Some agents have only a title, which for a command is the command. */
export function readToolInput(call: JsonRecord): JsonRecord | undefined {
  const input = objectAt(call, 'rawInput')
  if (input !== undefined && Object.keys(input).length > 0) return input
  const written = objectsAt(call, 'content').map((part) => parseObject(textAt(objectAt(part, 'content'), 'text') ?? ''))
  const parsed = written.find((value) => value !== undefined)
  if (parsed !== undefined) return parsed
  const title = textAt(call, 'title')
  const [path] = readToolPaths(call)
  if (textAt(call, 'kind') === 'execute' && title !== undefined) return { command: title }
  return path === undefined ? undefined : { path }
}

/** What the call would change, if its input does not say so: only the lines that differ. */
export function readToolDiff(call: JsonRecord): string | undefined {
  if (Object.keys(objectAt(call, 'rawInput') ?? {}).length > 0) return undefined
  const changes = objectsAt(call, 'content').filter((part) => textAt(part, 'type') === 'diff')
  return changes.length === 0 ? undefined : changes.map(formatChange).join('\n')
}

function formatChange(change: JsonRecord): string {
  const linesAt = (name: string) => textAt(change, name)?.split('\n') ?? []
  const [before, after] = [linesAt('oldText'), linesAt('newText')]
  const most = Math.min(before.length, after.length)
  let same = 0
  while (same < most && before[same] === after[same]) same += 1
  let tail = 0
  while (tail < most - same && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1
  const changed = (sign: string, lines: string[]) => lines.slice(same, lines.length - tail).map((line) => sign + line)
  return [`--- ${textAt(change, 'path') ?? ''}`, ...changed('-', before), ...changed('+', after)].join('\n')
}

/** Whether the input is complete. Agents report a command piece by piece: first its directory, then the command. */
export function hasWholeInput(call: JsonRecord): boolean {
  const input = objectAt(call, 'rawInput')
  if (input === undefined) return false
  return textAt(call, 'kind') !== 'execute' || 'command' in input || 'commands' in input
}

/** The files that the call is about. */
export function readToolPaths(call: JsonRecord): string[] {
  const located = objectsAt(call, 'locations').map((location) => textAt(location, 'path'))
  const changed = objectsAt(call, 'content').map((part) =>
    textAt(part, 'type') === 'diff' ? textAt(part, 'path') : undefined,
  )
  const named = namedIn(objectAt(call, 'rawInput') ?? {})
  return [...new Set([...located, ...changed, ...named].filter((path) => path !== undefined))]
}

/** Also in objects of the input, such as `{ files: [{ path }] }`. */
function namedIn(input: JsonRecord): string[] {
  return Object.entries(input).flatMap(([name, value]) =>
    [value].flat().flatMap((each) => {
      if (isObject(each)) return namedIn(each)
      return typeof each === 'string' && NAMES_OF_PATHS.test(name) ? [each] : []
    }),
  )
}

/** How agents call the fields of an input that name a file: `file_path`, `filePath`, `paths`, `destination` and so on. */
const NAMES_OF_PATHS = /(?:path|file|filename|dir|directory|folder|source|destination|target|uri)s?$/i

/** The text that the tool has printed; for an edit the files that it changed. */
export function readToolOutput(call: JsonRecord): string | undefined {
  const parts = objectsAt(call, 'content').flatMap((part) => textOfPart(part) ?? [])
  if (parts.length > 0) return parts.join('\n')
  const raw = call['rawOutput']
  if (!isObject(raw)) return toText(raw)
  const streams = [textAt(raw, 'stdout'), textAt(raw, 'stderr')].filter((text) => text !== undefined && text !== '')
  return textAt(raw, 'output', 'text', 'content') ?? (streams.length > 0 ? streams.join('\n') : undefined)
}

function textOfPart(part: JsonRecord): string | undefined {
  switch (textAt(part, 'type')) {
    case 'content':
      return textAt(objectAt(part, 'content'), 'text')
    case 'diff':
      return textAt(part, 'path')
    default:
      return undefined
  }
}

/** The id of the client's terminal in which a command runs. */
export function readTerminalId(call: JsonRecord): string | undefined {
  const part = objectsAt(call, 'content').find((each) => textAt(each, 'type') === 'terminal')
  return textAt(part, 'terminalId')
}

/** Output that comes in pieces beside the content. */
export function readOutputPiece(call: JsonRecord): string {
  const meta = objectAt(call, '_meta')
  return textAt(objectAt(meta, 'terminal_output_delta', 'terminal_output'), 'data') ?? ''
}

/** Why the call has failed; undefined if it has not. A command that failed is a failure, whatever the agent calls it. */
export function readToolFailure(
  call: JsonRecord,
  { status, output }: { status: string; output: string | undefined },
): string | undefined {
  const code = readExitCode(call)
  const [reported] = objectsAt(call, 'rawOutput').filter((part) => part['success'] === false)
  if (status !== 'failed' && !code && reported === undefined) return undefined
  const said = exitCodeIn(output ?? '') ?? (code || undefined)
  return said === undefined ? textAt(reported, 'error') || output?.trim() || 'the tool failed' : `exit code ${said}`
}

/** What the output of a failed command ends or begins with. One agent has another number in its field. */
function exitCodeIn(output: string): number | undefined {
  const [, code] = /(?:exited with code|failed with exit code:|^(?:```\n)?Exit code) (\d+)/.exec(output) ?? []
  return code === undefined ? undefined : Number(code)
}

/** The exit code of a command, where the agent reports it as a number. */
function readExitCode(call: JsonRecord): number | undefined {
  const raw = objectAt(call, 'rawOutput')
  const shellExit = objectsAt(raw, 'contents').find((part) => textAt(part, 'type') === 'shell_exit')
  return [
    countAt(raw, 'exit_code', 'exitCode'),
    countAt(objectAt(raw, 'metadata'), 'exit'),
    countAt(objectAt(raw, 'observation'), 'exit_code'),
    countAt(shellExit, 'exitCode'),
    countAt(objectAt(objectAt(call, '_meta'), 'terminal_exit'), 'exit_code'),
  ].find((code) => code !== undefined)
}
