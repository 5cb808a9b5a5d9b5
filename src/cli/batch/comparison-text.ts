/** The answers of several agents to the same prompt: side by side where there is room, else one after another. Pure. */
import type { PromptResult } from '../../prompts/prompt-result.ts'
import { formatDuration } from '../output/format-time.ts'
import { toPrintable, toShown } from '../output/printable.ts'
import { totalTokens } from '../output/usage-text.ts'
import type { Channel } from '../terminal.ts'
import { troubleOf } from './batch-text.ts'
import { columnWidth, sideBySide } from './side-by-side.ts'

type Page = {
  out: Channel
  /** The agents for which the demo agent stood in. */
  standIns: readonly string[]
}

export function sayComparison(results: readonly PromptResult[], page: Page): string {
  const { out, standIns } = page
  const width = out.isTty ? columnWidth(results.length, out.columns) : undefined
  if (width === undefined) return results.map((result) => sayAlone(result, page)).join('\n')
  const columns = [
    sideBySide(
      results.map((result) => nameOf(result, standIns)),
      width,
    ),
    sideBySide(
      results.map(() => '─'.repeat(width)),
      width,
    ),
    sideBySide(
      results.map((result) => toPrintable(answerOf(result))),
      width,
    ),
    sideBySide(
      results.map(() => ''),
      width,
    ),
    sideBySide(results.map(sayCost), width),
  ]
  return `${columns.flat().join('\n')}\n`
}

function sayAlone(result: PromptResult, { out, standIns }: Page): string {
  const heading = out.style('bold', nameOf(result, standIns))
  return `${heading}\n${toShown(answerOf(result), out)}\n${out.style('dim', sayCost(result))}\n`
}

/** Behind a stand-in there is no model, whichever was asked for; not every agent names the one behind it. */
function nameOf({ backend, model }: PromptResult, standIns: readonly string[]): string {
  if (standIns.includes(backend)) return `${backend} (demo)`
  return model === undefined ? backend : `${backend} (${model})`
}

function answerOf(result: PromptResult): string {
  const answer = result.output.replace(/\n+$/, '')
  return [answer, troubleOf(result)].filter((part) => part !== undefined && part !== '').join('\n')
}

function sayCost({ duration_ms: durationMs, token_usage: usage }: PromptResult): string {
  return `${formatDuration(durationMs)}, ${totalTokens(usage)} tokens`
}
