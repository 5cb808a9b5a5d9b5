/** Lets the user at the terminal choose a session: in a menu, or by its number where lines cannot be redrawn. */
import type { Session } from '../../sessions/session.shape.ts'
import type { Runtime } from '../command.ts'
import type { Key } from '../key-reader.ts'
import { formatAge } from '../output/format-amounts.ts'
import { LiveLines } from '../output/live-lines.ts'
import { toOneLine } from '../output/printable.ts'
import { dropColumns, formatTable } from '../output/text-table.ts'
import { sessionTitle, shortenSessionId } from '../sessions/session-text.ts'
import { withQuestions } from './ask-user.ts'

/** More can be found with `drover sessions list --search`. */
export const MAX_LISTED = 500
const MAX_NUMBERED = 20

type Surroundings = Pick<Runtime, 'stdin' | 'terminal' | 'clock'>

export type SessionChoice = Exclude<MenuStep, { is: 'state' }>

export async function pickSession(sessions: readonly Session[], runtime: Surroundings): Promise<SessionChoice> {
  const { canRedraw } = runtime.terminal.err
  return canRedraw ? await pickFromMenu(sessions, runtime) : await pickByNumber(sessions, runtime)
}

async function pickFromMenu(sessions: readonly Session[], surroundings: Surroundings): Promise<SessionChoice> {
  const { stdin, terminal, clock } = surroundings
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

export type MenuState = { filter: string; selected: number }

type MenuStep =
  | { is: 'state'; state: MenuState }
  | { is: 'chosen'; session: Session }
  | { is: 'quit' }
  | { is: 'interrupted' }

/** The lines around the sessions: headings, count and keys, and the line of the cursor. */
const OTHER_LINES = 4

const NO_FILTER: MenuState = { filter: '', selected: 0 }

/** The sessions that contain every word of the filter in their id, agent, title or directory. */
export function matchingSessions(sessions: readonly Session[], filter: string): readonly Session[] {
  const words = filter.toLowerCase().split(/\s+/)
  return sessions.filter((session) => {
    const text = `${session.id} ${session.backend} ${sessionTitle(session)} ${session.working_dir}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

export function followKey(state: MenuState, key: Key, sessions: readonly Session[]): MenuStep {
  if (key.isCtrl && key.name === 'c') return { is: 'interrupted' }
  if (key.isCtrl && key.name === 'd') return { is: 'quit' }
  if (key.name === 'escape') return state.filter === '' ? { is: 'quit' } : { is: 'state', state: NO_FILTER }
  const matching = matchingSessions(sessions, state.filter)
  const session = matching[state.selected]
  if (key.name === 'return' || key.name === 'enter') {
    return session === undefined ? { is: 'state', state } : { is: 'chosen', session }
  }
  return { is: 'state', state: { ...state, ...move(state, key, matching.length) } }
}

const PAGE = 10

function move({ filter, selected }: MenuState, key: Key, count: number): Partial<MenuState> {
  const to = (position: number) => ({ selected: Math.max(0, Math.min(count - 1, position)) })
  switch (key.isCtrl ? `ctrl-${key.name}` : key.name) {
    case 'up':
    case 'ctrl-p':
      return to(selected - 1)
    case 'down':
    case 'ctrl-n':
      return to(selected + 1)
    case 'pageup':
      return to(selected - PAGE)
    case 'pagedown':
      return to(selected + PAGE)
    case 'home':
      return to(0)
    case 'end':
      return to(count - 1)
    case 'ctrl-u':
      return NO_FILTER
    case 'backspace':
      return { filter: [...filter].slice(0, -1).join(''), selected: 0 }
    default:
      return key.text === '' ? {} : { filter: filter + key.text, selected: 0 }
  }
}

/** The part of the list around the selected session that fits. */
export function formatMenu(
  sessions: readonly Session[],
  { filter, selected }: MenuState,
  { columns, rows, now }: { columns: number; rows: number; now: Date },
): string[] {
  const matching = matchingSessions(sessions, filter)
  const height = Math.max(1, rows - OTHER_LINES)
  const first = Math.max(0, Math.min(selected - Math.floor(height / 2), matching.length - height))
  const width = columns - 3
  const shown = matching
    .slice(first, first + height)
    .map((each) => [
      shortenSessionId(each),
      each.backend,
      formatAge(each.last_used, now),
      toOneLine(sessionTitle(each), width),
    ])
  const [heading = '', ...lines] = formatTable(
    dropColumns([['ID', 'BACKEND', 'LAST USED', 'TITLE'], ...shown], width),
    width,
  )
  return [
    `  ${heading}`,
    ...lines.map((line, at) => `${first + at === selected ? '> ' : '  '}${line}`),
    `${matching.length} of ${sessions.length} sessions${filter === '' ? '' : `, filter: ${filter}`}`,
    'Up and down choose, Enter resumes, typing filters, Esc quits',
  ]
}
