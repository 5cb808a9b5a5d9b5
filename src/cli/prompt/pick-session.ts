/** Lets the user at the terminal choose a session: in a menu, or by its number where lines cannot be redrawn. */
import type { Session } from '../../sessions/session.shape.ts'
import type { Runtime } from '../command.ts'
import { formatAge } from '../output/format-time.ts'
import { LiveLines } from '../output/live-lines.ts'
import { toOneLine } from '../output/printable.ts'
import { dropColumns, formatTable } from '../output/text-table.ts'
import { sessionTitle, shortenSessionId } from '../sessions/session-text.ts'
import { withQuestions } from './ask-user.ts'
import { followKey, formatMenu, type MenuStep, NO_FILTER } from './session-menu.ts'

/** More can be found with `drover sessions list --search`. */
export const MAX_LISTED = 500
const MAX_NUMBERED = 20

type Surroundings = Pick<Runtime, 'stdin' | 'terminal' | 'clock'>

export type SessionChoice = Exclude<MenuStep, { is: 'state' }>

export async function pickSession(sessions: readonly Session[], runtime: Surroundings): Promise<SessionChoice> {
  const { canRedraw } = runtime.terminal.err
  return canRedraw ? await pickFromMenu(sessions, runtime) : await pickByNumber(sessions, runtime)
}

async function pickFromMenu(
  sessions: readonly Session[],
  { stdin, terminal, clock }: Surroundings,
): Promise<SessionChoice> {
  const { err } = terminal
  const lines = new LiveLines(err)
  const keys = await stdin.keys()
  let state = NO_FILTER
  try {
    for (;;) {
      const { columns, rows } = err
      await lines.draw(formatMenu(sessions, state, { columns, rows, now: clock.now() }))
      const key = await keys.next()
      const step: MenuStep = key === undefined ? { is: 'quit' } : followKey(state, key, sessions)
      if (step.is === 'state') {
        state = step.state
        continue
      }
      const kept = step.is === 'chosen' ? [describe(step.session, columns)] : []
      await lines.draw([], kept)
      return step
    }
  } finally {
    keys.close()
  }
}

function describe(session: Session, columns: number): string {
  return toOneLine(`Session ${shortenSessionId(session)} (${session.backend}): ${sessionTitle(session)}`, columns - 1)
}

async function pickByNumber(all: readonly Session[], { clock, ...runtime }: Surroundings): Promise<SessionChoice> {
  const sessions = all.slice(0, MAX_NUMBERED)
  const { err } = runtime.terminal
  await err.write(`${formatSessions(sessions, { now: clock.now(), width: err.columns }).join('\n')}\n`)
  return await withQuestions(runtime, async (ask) => {
    let question = `Which session? (1-${sessions.length}, q to quit) `
    for (;;) {
      const answer = await ask(question)
      if (answer === undefined || answer === 'q') return { is: 'quit' }
      const session = /^[1-9]\d*$/.test(answer) ? sessions[Number(answer) - 1] : undefined
      if (session !== undefined) return { is: 'chosen', session }
      question = `"${answer}" is not in the list. Enter a number from 1 to ${sessions.length}, or q: `
    }
  })
}

function formatSessions(sessions: readonly Session[], { now, width }: { now: Date; width: number }): string[] {
  const rows = sessions.map((session, at) => [
    String(at + 1),
    shortenSessionId(session),
    session.backend,
    formatAge(session.last_used, now),
    sessionTitle(session),
  ])
  return formatTable(dropColumns([['#', 'ID', 'BACKEND', 'LAST USED', 'TITLE'], ...rows], width), width)
}
