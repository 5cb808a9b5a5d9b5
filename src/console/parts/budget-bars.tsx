/** Each budget that limits the user, as a bar: used and reserved, of its limit. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { BudgetList } from '../../prompts/budget-list.shape.ts'
import { attempt } from '../live/actions.ts'
import { call } from '../live/api.ts'
import { executionsVersion } from '../live/server-state.ts'
import { formatCost, formatCount, formatReset, nameOfRepository } from '../text/format.ts'
import { toLine } from '../text/visible-text.ts'

type Budget = BudgetList['budgets'][number]

/** The share of a limit that is worth a warning, as in notifications. */
const NEAR_THE_END = 0.8

export function BudgetBars() {
  const list = useSignal<readonly Budget[]>([])
  useEffect(() => {
    void attempt(async () => (list.value = (await call<BudgetList>('budgets')).budgets))
    // Also when an execution ends.
  }, [executionsVersion.value])
  if (list.value.length === 0) return null
  return (
    <section aria-labelledby="budgets">
      <h2 id="budgets">Budgets</h2>
      <ul class="budgets">
        {list.value.map((budget) => (
          <Bar key={`${budget.name} ${budget.unit} ${budget.period}`} budget={budget} />
        ))}
      </ul>
    </section>
  )
}

function Bar({ budget }: { budget: Budget }) {
  const { name, repository, unit, limit, used, estimated, reserved, resets_at: resets } = budget
  const format = (value: number) => formatAmount(value, unit)
  const shown = toLine(repository === undefined ? name : `the repository ${nameOfRepository(repository)}`)
  const each = eachText(budget)
  const label = `${estimated > 0 ? '~' : ''}${format(used)} of ${format(limit)}`
  return (
    <li>
      <span title={toLine(name)}>
        {shown} <span class="dim">{each}</span>
      </span>
      <meter
        aria-label={`${shown} ${each}`}
        min={0}
        max={limit}
        high={NEAR_THE_END * limit}
        optimum={0}
        value={used + reserved}
      />
      <span class="amount">{label}</span>
      <span class="dim">
        {used >= limit && 'spent · '}
        {reserved > 0 && `${format(reserved)} reserved · `}
        {resets === undefined ? 'never resets' : <Reset at={resets} />}
      </span>
    </li>
  )
}

const formatAmount = (value: number, unit: Budget['unit']) => (unit === 'usd' ? formatCost(value) : formatCount(value))

const eachText = ({ unit, period }: Budget) =>
  `${unit === 'usd' ? '' : `${unit} `}${period === 'once' ? 'in total' : `per ${period}`}`

/** `$20.00 per day`, `2M tokens per week` */
export const limitText = (budget: Budget) => `${formatAmount(budget.limit, budget.unit)} ${eachText(budget)}`

function Reset({ at }: { at: string }) {
  const time = new Date(at)
  return (
    <time dateTime={at} title={time.toLocaleString()}>
      resets on {formatReset(time)}
    </time>
  )
}
