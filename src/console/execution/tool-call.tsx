import type { ShownToolResult, ToolItem } from '../live/transcript.ts'
import { Code } from '../parts/text-view.tsx'
import { formatDuration } from '../text/format.ts'
import { toLine } from '../text/visible-text.ts'
import { summarizeInput, toToolDiff } from './tool-diff.ts'
import { findExitCode, toShownOutput } from './tool-outcome.ts'

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
