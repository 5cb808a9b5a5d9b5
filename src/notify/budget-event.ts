/** What is left of a budget, as a notification. Pure. */
import { digestFields } from '../kit/digest.ts'
import type { NotifyEvent } from './notify-event.ts'

/** As `drover budgets` lists it. */
type ListedBudget = {
  readonly name: string
  readonly repository?: string | undefined
  readonly label?: string | undefined
  readonly unit: string
  readonly period: string
  readonly limit: number
  readonly used: number
  /** Absent: there is one period. */
  readonly resets_at?: string | undefined
}

/** The share at which people can still do something about it. */
const NEAR = 0.8
const NEVER = '9999-12-31T00:00:00Z'

/** Once in each period for each level and limit, because the id says which. Undefined: enough is left. */
export function toBudgetEvent(
  budget: ListedBudget,
  { at, consoleUrl }: { at: string; consoleUrl: string },
): NotifyEvent | undefined {
  const { name, repository, label, unit, period, limit, used, resets_at: resetsAt } = budget
  if (used < limit * NEAR) return undefined
  const level = used < limit ? 'near' : 'spent'
  const allowed = `${limit} ${unit}/${period}`
  const which = [name, unit, period, resetsAt ?? '', String(limit), level]
  const resets = resetsAt === undefined ? 'It does not reset.' : `It resets at ${resetsAt}.`
  const refused = level === 'spent' ? ' Prompts that it applies to are refused.' : ''
  return {
    id: `msg_${digestFields(['drover-budget-notice/v1', ...which]).slice(7, 39)}`,
    ...{ kind: 'budget', at, repository, label },
    stream: `budget ${name} ${unit}/${period}`,
    endsAt: resetsAt ?? NEVER,
    title: `${level === 'spent' ? 'Budget spent' : 'Budget at 80 %'}: ${name}, ${allowed}`,
    text: `${Number(used.toFixed(2))} of ${limit} ${unit} are used.${refused} ${resets}`,
    ...(consoleUrl !== '' && { url: `${consoleUrl}/#/usage` }),
    data: { level, budget: { name, repository, label, unit, period, limit, used, resets_at: resetsAt } },
  }
}
