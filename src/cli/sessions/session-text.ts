import { describeDecision } from '../../agents/describe-for-people.ts'
import type { SessionTurn } from '../../executions/session-turn.shape.ts'
import { writeJson } from '../../kit/json/write-json.ts'
import { formatBackend } from '../../prompts/format-backend.ts'
import type { Session } from '../../sessions/session.shape.ts'
import { isResumable } from '../../sessions/session-changes.ts'
import { formatAge, formatDuration, formatPaid, formatTokenCount, formatUsage } from '../output/format-amounts.ts'
import { toOneLine } from '../output/printable.ts'

const PROMPT_COLUMNS = 200
/** More than is shown: collapsing white space takes long in a prompt of megabytes. */
const PROMPT_LENGTH = 20_000

export function shortenSessionId({ id }: Pick<Session, 'id'>): string {
  return id.slice(0, 8)
}

/** The title, or the first prompt of a session without one. */
export function sessionTitle({ title, initial_prompt: prompt }: Pick<Session, 'title' | 'initial_prompt'>): string {
  return title ?? prompt
}

/** One table row per session, after the headings. If not all belong to the same one, they have an owner. */
export function sessionRows(sessions: readonly Session[], now: Date): string[][] {
  const hasOwners = new Set(sessions.map(({ api_key: key }) => key)).size > 1
  const owner = (text: string) => (hasOwners ? [text] : [])
  const rows = sessions.map((session) => [
    shortenSessionId(session),
    formatBackend(session),
    session.status,
    formatAge(session.last_used, now),
    ...owner(session.api_key ?? '-'),
    formatTokenCount(session.token_usage, session.backend) ?? '-',
    sessionTitle(session),
  ])
  return [['ID', 'BACKEND', 'STATUS', 'LAST USED', ...owner('OWNER'), 'TOKENS', 'TITLE'], ...rows]
}

/** All fields of a session that have a value. Without `now`, no relative times. */
export function sessionFacts(session: Session, now?: Date): [name: string, value: string][] {
  const { token_usage: usage, policy, metadata } = session
  const facts: [string, string | undefined][] = [
    ['id', session.id],
    ['title', session.title],
    ['backend', formatBackend(session)],
    ['status', session.status],
    ['model', session.model],
    ['directory', session.working_dir],
    ['created', session.created_at],
    [
      'last used',
      now === undefined ? session.last_used : `${session.last_used} (${formatAge(session.last_used, now)})`,
    ],
    ['turns', String(session.turn_count)],
    ['tokens', formatUsage(usage, session.backend)],
    ['tags', session.tags.join(', ')],
    ['API key', session.api_key],
    ['shared', session.shared === true ? 'with all API keys' : undefined],
    ['allowed', `approval ${policy.approval_mode}, sandbox ${policy.sandbox_mode}`],
    ['forked from', session.parent_id],
    ["agent's id", session.backend_session_id],
    ['last error', session.error_message],
    ['metadata', Object.keys(metadata).length === 0 ? undefined : writeJson(metadata)],
    ['prompt', toOneLine(session.initial_prompt.slice(0, PROMPT_LENGTH), PROMPT_COLUMNS)],
    ['resume with', isResumable(session) ? resumeCommand(session) : undefined],
  ]
  return facts.filter((fact): fact is [string, string] => fact[1] !== undefined && fact[1] !== '')
}

function resumeCommand(session: Session): string {
  return `drover resume ${shortenSessionId(session)}${session.is_demo === true ? ' --demo' : ''} "..."`
}

/** The state, the time, the duration, the tokens and the cost of a turn. */
export function turnFacts(sessionTurn: SessionTurn, backend: string): string {
  const { state, created_at: at, duration_ms: ms, usage, model } = sessionTurn
  const facts = [
    state,
    at,
    ms === undefined ? undefined : formatDuration(ms),
    model,
    usage === undefined ? undefined : formatUsage(usage, backend),
    formatPaid(sessionTurn),
  ]
  return facts.filter((fact) => fact !== undefined && fact !== '').join(' · ')
}

/** The tool calls, and who decided about what the agent asked for. */
export function toolLines({ tools, approvals = [] }: SessionTurn, columns: number): string[] {
  const lines = [...tools.map(({ name, input }) => `${name} ${input}`), ...approvals.map(describeDecision)]
  return lines.map((line) => toOneLine(`→ ${line}`, columns))
}

/** Says which turns are missing and how to keep them; undefined if all are there. */
export function describeMissingTurns(
  { turn_count: finished }: Pick<Session, 'turn_count'>,
  kept: number,
): string | undefined {
  if (kept >= finished) return undefined
  const what =
    kept === 0 ? 'No turn of this session is kept, only its first prompt' : `${kept} of ${finished} turns are kept`
  return `${what}. To keep prompts and answers: drover config set executions.keep results`
}
