/** Asks once whether the text of an ordinary issue is the goal. */
import type { Invocation } from '../command.ts'
import { toPrintable } from '../output/printable.ts'
import { isInteractive, withQuestions } from '../prompt/ask-user.ts'
import { issueNotConfirmed } from './faults.ts'

const SHOWN_CHARACTERS = 2000

type Wanted = { url: string; goal: string }

/** Throws `issue_not_confirmed` unless a person agrees, or `--as-goal` does. */
export async function confirmGoal({ flags, runtime }: Invocation, { url, goal }: Wanted): Promise<void> {
  if (flags.isOn('as-goal')) return
  if (!isInteractive(runtime)) throw issueNotConfirmed({ url })
  const shown = goal.length > SHOWN_CHARACTERS ? `${goal.slice(0, SHOWN_CHARACTERS)}\n(…)` : goal
  await runtime.terminal.err.write(
    `${url} is an ordinary issue. Its title and text would be the goal:\n\n${toPrintable(shown)}\n\n`,
  )
  const answer = await withQuestions(runtime, (ask) => ask('Use this text as the goal? [y/N] '))
  if (!/^y(?:es)?$/i.test(answer ?? '')) throw issueNotConfirmed({ url })
}
