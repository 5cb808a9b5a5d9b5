import type { ShownToolResult, ToolItem } from '../live/transcript.ts'
import { Icon, type IconName } from '../parts/icon.tsx'
import { Code } from '../parts/text-view.tsx'
import { formatDuration } from '../text/format.ts'
import { toLine } from '../text/visible-text.ts'
import { countLines, findExitCode, readCommand, summarizeInput, toShownOutput, toToolDiff } from './tool-facts.ts'

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

function LineCounts({ input }: { input: unknown }) {
  const counts = countLines(input)
  if (counts === undefined) return null
  return (
    <span class="amounts">
      <span class="added">+{counts.added}</span> <span class="removed">−{counts.removed}</span>
    </span>
  )
}

/** What takes less is not worth a figure. */
const AT_ONCE_MS = 10

function describeOutcome(result: ShownToolResult | undefined, startedAt: string): string {
  if (result === undefined) return 'working'
  const code = findExitCode(result)
  const ms = Date.parse(result.at) - Date.parse(startedAt)
  return [
    result.isError ? (code === undefined ? 'failed' : `exit code ${code}`) : '',
    ms < AT_ONCE_MS ? '' : formatDuration(ms),
  ]
    .filter(Boolean)
    .join(' · ')
}
