import type { ShownToolResult, ToolItem } from '../live/transcript.ts'
import { Code } from '../parts/text-view.tsx'
import { formatDuration } from '../text/format.ts'
import { toLine } from '../text/visible-text.ts'

/** A tool call, folded; one that failed is open. */
export function ToolCall({ tool }: { tool: ToolItem }) {
  const { name, input, result, at } = tool
  const state = result === undefined ? 'running' : result.isError ? 'failed' : 'done'
  const diff = toToolDiff(input)
  const command = readCommand(input)
  return (
    <details class={`tool tool-${state}`} open={state === 'failed' || diff !== undefined}>
      <summary>
        <strong>{toLine(name)}</strong> <code class="summary">{toLine(summarizeInput(input)).slice(0, 300)}</code>
        <span class="dim"> {[state, ...(result === undefined ? [] : describeOutcome(result, at))].join(', ')}</span>
      </summary>
      {diff !== undefined && <Code text={diff} language="diff" />}
      {diff === undefined && command !== undefined && <Code text={command} language="sh" />}
      {diff === undefined && command === undefined && input !== undefined && (
        <Code text={typeof input === 'string' ? input : JSON.stringify(input, null, 2)} language="json" />
      )}
      {result !== undefined && <Code text={toShownOutput(result)} />}
    </details>
  )
}

function describeOutcome(result: ShownToolResult, startedAt: string): string[] {
  const code = findExitCode(result)
  const duration = formatDuration(Math.max(0, Date.parse(result.at) - Date.parse(startedAt)))
  return code === undefined ? [duration] : [`exit code ${code}`, duration]
}

function readCommand(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null || !('command' in input)) return undefined
  return typeof input.command === 'string' ? input.command : undefined
}

/** The change that a tool call makes to a file, as lines with + and -, if its input tells it. Pure. */

/** The names that agents use for the text before, the text after, and a whole patch. */
const BEFORE = ['old_string', 'old_str', 'oldText']
const AFTER = ['new_string', 'new_str', 'newText']
const PATCH = ['diff', 'patch', 'unified_diff']

export function toToolDiff(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined
  const fields = input as Record<string, unknown>
  const textOf = (names: readonly string[]) =>
    names.map((name) => fields[name]).find((value) => typeof value === 'string') as string | undefined
  const patch = textOf(PATCH)
  if (patch !== undefined) return patch
  const [before, after] = [textOf(BEFORE), textOf(AFTER)]
  if (before === undefined || after === undefined) return undefined
  return [...prefixed('-', before), ...prefixed('+', after)].join('\n')
}

function prefixed(mark: string, text: string): string[] {
  return text === '' ? [] : text.split('\n').map((line) => mark + line)
}

/** The most telling field of the input, in one line. */
export function summarizeInput(input: unknown): string {
  if (typeof input !== 'object' || input === null) return typeof input === 'string' ? input : ''
  const fields = input as Record<string, unknown>
  const names = ['command', 'cmd', 'file_path', 'path', 'pattern', 'query', 'url', 'description']
  const value = names.map((name) => fields[name]).find((each) => typeof each === 'string' || Array.isArray(each))
  if (Array.isArray(value)) return value.join(' ')
  return typeof value === 'string' ? value : JSON.stringify(input)
}

/** Codex and agents with a terminal of drover report it as the reason; Claude writes it in front of the output. Success shows none. */
export function findExitCode({ isError, problem, output }: ShownToolResult): number | undefined {
  if (!isError) return undefined
  const [, code] = /^(?:Error: )?exit code (-?\d+)/i.exec(problem ?? output) ?? []
  return code === undefined ? undefined : Number(code)
}

/** The output, after the reason of a failure where that says more than the exit code. */
export function toShownOutput({ output, problem }: ShownToolResult): string {
  const reason = problem === undefined || /^exit code -?\d+$/.test(problem) ? '' : problem
  return [reason, output].filter((text) => text !== '').join('\n') || problem || '(no output)'
}
