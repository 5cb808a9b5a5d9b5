/** Lets the user at the terminal choose a session by its number. */
import type { Session } from '../../sessions/session.shape.ts'
import type { Runtime } from '../command.ts'
import { formatAge } from '../output/format-time.ts'
import { dropColumns, formatTable } from '../output/text-table.ts'
import { shortIdOf, titleOf } from '../sessions/session-text.ts'
import { askForPrompt, withQuestions } from './ask-user.ts'

export const MAX_SHOWN = 20

export type ResumeChoice = { session: Session; prompt: string }

/** Undefined if the user quits. Also asks for the prompt if there is none yet. */
export async function pickSession(
  sessions: readonly Session[],
  { clock, prompt, ...runtime }: Pick<Runtime, 'stdin' | 'terminal' | 'clock'> & { prompt: string | undefined },
): Promise<ResumeChoice | undefined> {
  const { err } = runtime.terminal
  await err.write(`${tableOf(sessions, { now: clock.now(), width: err.columns }).join('\n')}\n`)
  return await withQuestions(runtime, async (ask) => {
    let question = `Which session? (1-${sessions.length}, q to quit) `
    while (true) {
      const answer = await ask(question)
      if (answer === undefined || answer === 'q') return undefined
      const session = /^[1-9]\d*$/.test(answer) ? sessions[Number(answer) - 1] : undefined
      if (session !== undefined) return { session, prompt: prompt ?? (await askForPrompt(ask)) }
      question = `"${answer}" is not in the list. Enter a number from 1 to ${sessions.length}, or q: `
    }
  })
}

function tableOf(sessions: readonly Session[], { now, width }: { now: Date; width: number }): string[] {
  const rows = sessions.map((session, at) => [
    String(at + 1),
    shortIdOf(session),
    session.backend,
    formatAge(session.last_used, now),
    titleOf(session),
  ])
  return formatTable(dropColumns([['#', 'ID', 'BACKEND', 'LAST USED', 'TITLE'], ...rows], width), width)
}
