/** Asks once whether the text of an ordinary issue is the goal. */
import { issueNotConfirmed } from '../../drive/faults.ts'
import type { Invocation } from '../command.ts'
import { toPrintable } from '../output/printable.ts'
import { askPerson, canAsk } from '../run/ask-person.ts'

const SHOWN_CHARACTERS = 2000

type Wanted = { url: string; goal: string; signal: AbortSignal }

/** Throws `issue_not_confirmed` unless a person agrees, or `--as-goal` does. */
export async function confirmGoal({ flags, runtime }: Invocation, { url, goal, signal }: Wanted): Promise<void> {
  if (flags.isOn('as-goal')) return
  if (!canAsk(runtime)) throw issueNotConfirmed({ url })
  const shown = goal.length > SHOWN_CHARACTERS ? `${goal.slice(0, SHOWN_CHARACTERS)}\n(…)` : goal
  await runtime.terminal.err.write(
    `${url} is an ordinary issue. Its title and text would be the goal:\n\n${toPrintable(shown)}\n\n`,
  )
  const answer = await askPerson(runtime, { question: 'Use this text as the goal? [y/N] ', signal })
  if (!/^y(?:es)?$/i.test(answer)) throw issueNotConfirmed({ url })
}
