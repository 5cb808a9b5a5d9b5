import type { ShownToolResult, ToolItem } from '../live/transcript.ts'
import { Icon, type IconName } from '../parts/icon.tsx'
import { Code } from '../parts/text-view.tsx'
import { formatDuration } from '../text/format.ts'
import { toLine } from '../text/visible-text.ts'

/** A tool call as a card, folded. */
export function ToolCall({ tool, isOpen = false }: { tool: ToolItem; isOpen?: boolean }) {
  const { name, input, result, at } = tool
  const state = result === undefined ? 'running' : result.isError ? 'failed' : 'done'
  const diff = toToolDiff(input)
  const command = readCommand(input)
  const summary = toLine(summarizeInput(input)).slice(0, 300)
  return (
    <details class={`tool tool-${state}`} open={isOpen}>
      <summary>
        <Icon name={iconOf(name, input)} />
        <strong>{toLine(name)}</strong>
        {summary !== '' && <code>{summary}</code>}
        <LineCounts input={input} />
        <span class="outcome">{describeOutcome(result, at)}</span>
      </summary>
      {diff !== undefined && <Code text={diff} language="diff" />}
      {diff === undefined && command !== undefined && <Code text={command} language="sh" />}
      {diff === undefined && command === undefined && <Inputs input={input} />}
      {result !== undefined && <Code text={toShownOutput(result)} />}
    </details>
  )
}

/** Names and values, as people read them. */
function Inputs({ input }: { input: unknown }) {
  if (typeof input === 'string') return <Code text={input} />
  if (typeof input !== 'object' || input === null) return null
  return (
    <dl class="inputs">
      {Object.entries(input).map(([name, value]) => (
        <div key={name}>
          <dt class="dim">{toLine(name.replaceAll('_', ' '))}</dt>
          <dd>
            <Code text={typeof value === 'string' ? value : JSON.stringify(value, null, 2)} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

const ICONS: readonly (readonly [RegExp, IconName])[] = [
  [/bash|shell|command|exec|terminal|run/i, 'terminal'],
  [/edit|write|patch|replace|create|delete|change/i, 'edit'],
  [/grep|glob|search|find|list|ls/i, 'search'],
  [/web|fetch|http|url/i, 'globe'],
  [/read|view|open|cat|file/i, 'file'],
]

function iconOf(name: string, input: unknown): IconName {
  if (readCommand(input) !== undefined) return 'terminal'
  return ICONS.find(([pattern]) => pattern.test(name))?.[1] ?? 'tool'
}

/** How many lines an edit adds and removes, if its input tells it. */
export function countLines(input: unknown): { added: number; removed: number } | undefined {
  const diff = toToolDiff(input)
  const begins = (mark: string) => (line: string) => line.startsWith(mark) && !line.startsWith(mark.repeat(3))
  if (diff !== undefined) {
    const lines = diff.split('\n')
    return { added: lines.filter(begins('+')).length, removed: lines.filter(begins('-')).length }
  }
  const content = typeof input === 'object' && input !== null && 'content' in input ? input.content : undefined
  return typeof content === 'string' && content !== ''
    ? { added: content.replace(/\n$/, '').split('\n').length, removed: 0 }
    : undefined
}

function LineCounts({ input }: { input: unknown }) {
  const counts = countLines(input)
  if (counts === undefined) return null
  return (
    <span class="amounts">
      <span class="added">+{counts.added}</span> <span class="removed">−{counts.removed}</span>
    </span>
  )
}

function describeOutcome(result: ShownToolResult | undefined, startedAt: string): string {
  if (result === undefined) return 'working'
  const code = findExitCode(result)
  const duration = formatDuration(Math.max(0, Date.parse(result.at) - Date.parse(startedAt)))
  return [result.isError ? (code === undefined ? 'failed' : `exit code ${code}`) : '', duration]
    .filter(Boolean)
    .join(' · ')
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
