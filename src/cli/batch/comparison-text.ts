/** Formats the answers of several agents: side by side on a wide terminal, else one after another. Pure. */
import type { PromptResult } from '../../prompts/prompt-result.ts'
import { formatDuration } from '../output/format-time.ts'
import { toPrintable, toShown } from '../output/printable.ts'
import { wrapOn } from '../output/terminal-wrap.ts'
import { formatCost, totalTokens } from '../output/usage-text.ts'
import type { Channel } from '../terminal.ts'
import { formatFailure } from './batch-text.ts'
import { columnWidth, sideBySide } from './side-by-side.ts'

type ComparisonLayout = {
  out: Channel
  /** The agents that the demo agent replaced. */
  demoBackends: readonly string[]
}

export function formatComparison(results: readonly PromptResult[], layout: ComparisonLayout): string {
  const { out, demoBackends } = layout
  const width = out.isTty ? columnWidth(results.length, out.columns) : undefined
  if (width === undefined) return results.map((result) => formatAnswer(result, layout)).join('\n')
  const columns = [
    sideBySide(
      results.map((result) => formatName(result, demoBackends)),
      width,
    ),
    sideBySide(
      results.map(() => '─'.repeat(width)),
      width,
    ),
    sideBySide(
      results.map((result) => toPrintable(shownAnswer(result))),
      width,
    ),
    sideBySide(
      results.map(() => ''),
      width,
    ),
    sideBySide(results.map(formatEffort), width),
  ]
  return `${columns.flat().join('\n')}\n`
}

function formatAnswer(result: PromptResult, { out, demoBackends }: ComparisonLayout): string {
  const heading = out.style('bold', formatName(result, demoBackends))
  return `${heading}\n${wrapOn(out, toShown(shownAnswer(result), out))}\n${out.style('dim', formatEffort(result))}\n`
}

/** The demo agent has no model, and not every agent reports its own. */
function formatName({ backend, model }: PromptResult, demoBackends: readonly string[]): string {
  if (demoBackends.includes(backend)) return `${backend} (demo)`
  return model === undefined ? backend : `${backend} (${model})`
}

function shownAnswer(result: PromptResult): string {
  const answer = result.output.replace(/\n+$/, '')
  return [answer, formatFailure(result)].filter((part) => part !== undefined && part !== '').join('\n')
}

function formatEffort({ duration_ms: durationMs, token_usage: usage, cost_usd: costUsd }: PromptResult): string {
  const parts = [formatDuration(durationMs), `${totalTokens(usage)} tokens`, formatCost(costUsd)]
  return parts.filter((part) => part !== undefined).join(', ')
}
