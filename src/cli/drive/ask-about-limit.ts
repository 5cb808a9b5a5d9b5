/** Asks what to do when an agent has reached a limit. */
import { describeLimit, type Limit, type LimitChoice } from '../../drive/decide/after-limit.ts'
import type { Runtime } from '../command.ts'
import { toPrintable } from '../output/printable.ts'
import { askPerson } from '../run/ask-person.ts'

type Question = { readonly limit: Limit; readonly next: string | undefined }

/** The answer counts for the whole run. Any other answer pauses it, which costs nothing. */
export async function askAboutLimit(
  runtime: Pick<Runtime, 'stdin' | 'terminal'>,
  { limit, next }: Question,
  signal: AbortSignal,
): Promise<LimitChoice> {
  await runtime.terminal.err.write(`${toPrintable(describeLimit(limit))}\n`)
  const choices = [
    ...(limit.until === undefined ? [] : ['wait (w)']),
    ...(next === undefined ? [] : [`continue with ${next} (n)`]),
    'pause (p)',
  ]
  const answer = await askPerson(runtime, { question: `What now: ${choices.join(', ')}? `, signal })
  if (/^w(?:ait)?$/i.test(answer) && limit.until !== undefined) return 'wait'
  return /^n(?:ext)?$/i.test(answer) && next !== undefined ? 'next' : 'pause'
}
