/** The answers of several agents to the same prompt: side by side where there is room, else one after another. Pure. */
import type { PromptResult } from '../../prompts/prompt-result.ts'
import { sayDuration } from '../output/moments.ts'
import { toPrintable } from '../output/printable.ts'
import type { Channel } from '../output/terminal.ts'
import { totalOf } from '../sessions/session-text.ts'
import { shownText, troubleOf } from './batch-text.ts'
import { columnWidth, sideBySide } from './side-by-side.ts'

export function sayComparison(results: readonly PromptResult[], out: Channel): string {
  const width = out.isTty ? columnWidth(results.length, out.columns) : undefined
  if (width === undefined) return results.map((result) => sayAlone(result, out)).join('\n')
  const columns = [
    sideBySide(results.map(nameOf), width),
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

function sayAlone(result: PromptResult, out: Channel): string {
  const heading = out.style('bold', nameOf(result))
  return `${heading}\n${shownText(answerOf(result), out)}\n${out.style('dim', sayCost(result))}\n`
}

function nameOf({ backend, model }: PromptResult): string {
  return model === undefined ? backend : `${backend} (${model})`
}

function answerOf(result: PromptResult): string {
  const answer = result.output.replace(/\n+$/, '')
  return [answer, troubleOf(result)].filter((part) => part !== undefined && part !== '').join('\n')
}

function sayCost({ duration_ms: durationMs, token_usage: usage }: PromptResult): string {
  return `${sayDuration(durationMs)}, ${totalOf(usage)} tokens`
}
