/** Formats the turns of a session as text. Pure. */
import { describeDecision } from '../../agents/decision-text.ts'
import type { SessionTurn } from '../../executions/session-turn.shape.ts'
import type { Session } from '../../sessions/session.shape.ts'
import { formatDuration } from '../output/format-time.ts'
import { toOneLine } from '../output/printable.ts'
import { formatCost, formatUsage } from '../output/usage-text.ts'

/** The state, the time, the duration, the tokens and the cost of a turn. */
export function turnFacts({
  state,
  created_at: at,
  duration_ms: ms,
  usage,
  cost_usd: cost,
  model,
}: SessionTurn): string {
  const facts = [
    state,
    at,
    ms === undefined ? undefined : formatDuration(ms),
    model,
    usage === undefined ? undefined : formatUsage(usage),
    formatCost(cost),
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
  const how = 'executions.keep: results or events keeps prompts and answers'
  if (kept >= finished) return undefined
  if (kept === 0) return `No prompts and answers of this session are kept; ${how}.`
  return `${kept} of ${finished} turns are kept; ${how}.`
}
