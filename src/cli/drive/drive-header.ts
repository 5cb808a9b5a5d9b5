/** The header of the live view: the goal, and where the run is. Pure. */

import type { Usage } from '../../agents/adapter/agent.ts'
import { titleOfGoal } from '../../contract/goal-title.ts'
import { beforeWork } from '../../drive/decide/before-work.ts'
import { spentBy } from '../../drive/decide/spending.ts'
import type { Attempt, DriveState } from '../../drive/record/drive-state.ts'
import { formatMicro } from '../../kit/wording.ts'
import { countTokens } from '../../prompts/tokens.ts'
import { formatDuration } from '../output/format-amounts.ts'
import { countColumns, toOneLine } from '../output/printable.ts'
import type { Channel } from '../terminal.ts'

export type HeaderFacts = {
  readonly state: DriveState
  /** Since the last record. */
  readonly sinceMs: number
  /** What the running attempt has reported so far. */
  readonly usage: Usage | undefined
}

const RULE = '─'

/** The goal on a rule, and below it the facts, on as many lines as they need. */
export function headerLines(facts: HeaderFacts, { style, columns }: Pick<Channel, 'style' | 'columns'>): string[] {
  const width = columns - 1
  const goal = toOneLine(titleOfGoal(facts.state.goal), Math.max(1, width - 6))
  const rest = RULE.repeat(Math.max(0, width - countColumns(goal) - 4))
  const title = `${style('dim', RULE.repeat(2))} ${style('bold', goal)} ${style('dim', rest)}`
  return [title, ...joinParts(headerParts(facts), width).map((line) => style('dim', line))]
}

function headerParts({ state, sinceMs, usage }: HeaderFacts): string[] {
  const { attempts, options } = state
  const last = attempts.at(-1)
  const { tokens, cost_microusd, priced_microusd: priced, time_ms } = spentBy(state)
  const isRunning = last !== undefined && last.ended === undefined
  const check = runningCheck(state)
  const used = isRunning && usage !== undefined ? tokens + countTokens(usage, last.backend) : tokens
  const time = isRunning || check !== undefined ? time_ms + sinceMs : time_ms
  return [
    ...(last === undefined ? [] : actionParts(last)),
    ...(state.place.folder === undefined ? [] : [`in ${toOneLine(state.place.folder, 40)}`]),
    ...checkParts(state, check),
    ofLimit(formatDuration(time), limitText(options.max_time_ms, formatDuration)),
    `${ofLimit(String(used), limitText(options.max_tokens, String))} tokens`,
    ...(cost_microusd === 0 && options.max_cost_microusd === undefined
      ? []
      : [
          ofLimit(
            cost_microusd === 0 ? '$0' : formatMicro(cost_microusd, priced !== undefined),
            limitText(options.max_cost_microusd, (cost) => formatMicro(cost)),
          ),
        ]),
  ]
}

function actionParts({ action_number, actions_left, action_kind, backend }: Attempt): string[] {
  return [`action ${action_number} of ${action_number + actions_left}`, `${action_kind} by ${backend}`]
}

function limitText(limit: number | undefined, format: (value: number) => string): string | undefined {
  return limit === undefined ? undefined : format(limit)
}

function ofLimit(used: string, limit: string | undefined): string {
  return limit === undefined ? used : `${used} of ${limit}`
}

/** What is checked now, in the worktree, before the work, or in a clean checkout of the commit. */
function checkParts(state: DriveState, check: string | undefined): string[] {
  if (check !== undefined) return [`check ${toOneLine(check, 60)}`]
  const before = beforeWork(state)
  if (before?.do === 'baseline') return [`check ${toOneLine(before.command, 60)} before the work`]
  return isCheckingDelivery(state) ? ['checks in a clean checkout'] : []
}

function isCheckingDelivery({ attempts, submitted, options, place, delivery_check: check }: DriveState): boolean {
  const last = attempts.at(-1)
  const isOver = last?.action_kind === 'summarize' && submitted.some(({ action_id }) => action_id === last.action_id)
  return isOver && check === undefined && place.kind === 'worktree' && options.checks.length > 0
}

/** The check that drover runs now: the first one without a result after work that answered. */
function runningCheck({ attempts, options }: DriveState): string | undefined {
  const last = attempts.at(-1)
  if (last?.action_kind !== 'implement' || last.ended?.outcome === undefined || last.evidence !== undefined)
    return undefined
  return options.checks.find((command) => !last.checks.some((check) => check.command === command))
}

/** Parts that do not fit go on the next line. */
function joinParts(parts: readonly string[], width: number): string[] {
  const lines: string[] = []
  for (const part of parts) {
    const joined = lines.length === 0 ? part : `${lines.at(-1)} · ${part}`
    if (lines.length === 0 || countColumns(joined) > width) lines.push(part)
    else lines[lines.length - 1] = joined
  }
  return lines
}
