/** Notes the commands and edits of an agent from its events. What an agent shows differs: see docs/drive.md. Pure. */

import { basename } from 'node:path'
import type { PromptEvent } from '../../prompts/prompt-event.ts'
import type { TraceEntry } from '../record/drive-event.shape.ts'
import { readShellLine, unwrapShell } from './shell-line.ts'

/** An execution has two events before the first of its agent: `queued` and `running`. */
const STATES_BEFORE = 2
const MAX_ENTRIES = 2000
const MAX_COMMAND = 4096
/** The line that a shell is given may be a little longer than the command in it. */
const MAX_READ = 2 * MAX_COMMAND

const EDITING_TOOLS = ['Write', 'Edit', 'MultiEdit', 'NotebookEdit', 'file_change', 'write_file', 'replace', 'edit']

const EXIT_CODE = /^(?:Error: )?exit code (-?\d+)/i

type ToolUse = Extract<PromptEvent, { type: 'tool_use' }>
type ToolResult = Extract<PromptEvent, { type: 'tool_result' }>

export class Trace {
  readonly #showsExitCodes: boolean
  readonly entries: TraceEntry[] = []
  /** Calls without a result, by id. */
  readonly #open = new Map<string, ToolUse['content']>()

  /** `showsExitCodes`: of this agent, a command without an error ended with 0. */
  constructor({ showsExitCodes }: { showsExitCodes: boolean }) {
    this.#showsExitCodes = showsExitCodes
  }

  note(event: PromptEvent): void {
    if (event.type === 'tool_use') this.#open.set(callKey(event.content), event.content)
    if (event.type === 'tool_result') this.#noteResult(event)
  }

  #noteResult(event: ToolResult): void {
    const key = callKey(event.content)
    const call = this.#open.get(key)
    this.#open.delete(key)
    const entry = call && toEntry(call, event, this.#showsExitCodes)
    if (entry === undefined) return
    this.entries.push(entry)
    if (this.entries.length > MAX_ENTRIES) this.entries.shift()
  }
}

/** Some agents give a call no id. */
export function callKey({ tool_id, tool_name }: { tool_id?: string; tool_name: string }): string {
  return tool_id ?? tool_name
}

function toEntry(
  { input, tool_name: tool }: ToolUse['content'],
  result: ToolResult,
  showsExitCodes: boolean,
): TraceEntry | undefined {
  const seq = (result.sequence ?? 0) + STATES_BEFORE
  if (EDITING_TOOLS.includes(tool)) {
    const paths = pathsIn(input)
    return result.content.is_error === true || paths.length === 0 ? undefined : { did: 'edit', seq, paths }
  }
  const command = readField(input, 'command')
  if (typeof command !== 'string' || isDenied(result)) return undefined
  const line = command.length > MAX_READ ? command : unwrapShell(command)
  const shown = line.slice(0, MAX_COMMAND).toWellFormed()
  // The exit code of a line that is cut says nothing about what is shown of it.
  if (line.length > MAX_COMMAND) return { did: 'command', seq, command: shown }
  const isShown = showsExitCodes && readField(input, 'run_in_background') !== true
  const exitCode = exitCodeIn(result, { command, isShown })
  return { did: 'command', seq, command: shown, ...(exitCode !== undefined && { exit_code: exitCode }) }
}

const DENIED =
  /\b(?:denied|declined|rejected|refused|requires? (?:approval|permission)|requested permissions|(?:not|n't) (?:been )?(?:granted|allowed|permitted|approved))\b/i
const READ_CHARACTERS = 300

/** A command that was not allowed did not run. One that ran has an exit code, or an output that says something else. */
function isDenied({ content }: ToolResult): boolean {
  const said = (content.error_message ?? content.output ?? '').slice(0, READ_CHARACTERS)
  return content.is_error === true && !EXIT_CODE.test(said) && DENIED.test(said)
}

function pathsIn(input: unknown): string[] {
  const changes = readField(input, 'changes')
  const paths = Array.isArray(changes)
    ? changes.map((each) => readField(each, 'path'))
    : ['file_path', 'notebook_path', 'path'].map((name) => readField(input, name))
  return paths.filter((path): path is string => typeof path === 'string')
}

/**
 * Codex reports the exit code. Claude writes it in front of the output of a command that failed. A command without an
 * error ended with 0, unless it keeps running in the background, or has an exit code that claude does not take for a failure.
 * Some agents report every command as a success.
 */
function exitCodeIn(
  { content }: ToolResult,
  { command, isShown }: { command: string; isShown: boolean },
): number | undefined {
  if (content.is_error !== true) {
    return !isShown || (content.tool_name === 'Bash' && canAnswer(command)) ? undefined : 0
  }
  const code = EXIT_CODE.exec(content.error_message ?? '')?.[1]
  return code === undefined ? undefined : Number(code)
}

/** Claude does not call it a failure if `grep` finds nothing, if `diff` finds a difference, and so on. */
function canAnswer(command: string): boolean {
  const { commands } = readShellLine(unwrapShell(command))
  return commands.some(({ words }) =>
    /^(?:[ef]?grep|rg|find|diff|test|\[)$/.test(basename(words[0] ?? '').replace('\0', '')),
  )
}

function readField(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}
