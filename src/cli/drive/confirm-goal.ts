/** Asks once whether the text of an ordinary issue is the goal. */
import { issueNotConfirmed } from '../../drive/faults.ts'
import { toRevealed } from '../../kit/revealed-text.ts'
import type { Invocation } from '../command.ts'
import { quoteWithBar } from '../output/quote-with-bar.ts'
import { tableWidth } from '../output/text-table.ts'
import { askPerson, canAsk } from '../run/ask-person.ts'

type Wanted = { url: string; goal: string; signal: AbortSignal }

/** Shows the whole text. Throws `issue_not_confirmed` unless a person agrees, or `--as-goal` does. */
export async function confirmGoal({ flags, runtime }: Invocation, { url, goal, signal }: Wanted): Promise<void> {
  if (flags.isOn('as-goal')) return
  if (!canAsk(runtime)) throw issueNotConfirmed({ url })
  const { err } = runtime.terminal
  const shown = quoteWithBar(toRevealed(goal.replaceAll('\r\n', '\n')), tableWidth(err))
  await err.write(`${url} is an ordinary issue. Its title and text would be the goal:\n\n${shown.join('\n')}\n\n`)
  const answer = await askPerson(runtime, { question: 'Use this text as the goal? [y/N] ', signal })
  if (!/^y(?:es)?$/i.test(answer)) throw issueNotConfirmed({ url })
}
