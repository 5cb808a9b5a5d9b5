/** Tokens and cost by day, agent, model and key; how long answers take. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { ExecutionPage } from '../../executions/store/execution.shape.ts'
import type { UsageAmounts, UsageReport, UsageRow } from '../../executions/store/usage-report.shape.ts'
import { attempt } from '../live/actions.ts'
import { call } from '../live/api.ts'
import { executionsVersion } from '../live/server-state.ts'
import { BudgetBars } from '../parts/budget-bars.tsx'
import { DayChart } from '../parts/day-chart.tsx'
import { Wide } from '../parts/wide.tsx'
import { formatCost, formatCount, formatDuration, percentile } from '../text/format.ts'

const DAY_MS = 86_400_000
const PERIODS = [7, 30, 90]
const GROUPS = ['backend', 'model', 'key', 'day'] as const
type Group = (typeof GROUPS)[number]

export function UsagePage() {
  const days = useSignal(30)
  const group = useSignal<Group>('backend')
  const byDay = useSignal<UsageReport | undefined>(undefined)
  const grouped = useSignal<UsageReport | undefined>(undefined)
  const latencies = useSignal<readonly Latency[]>([])
  useEffect(() => {
    const since = new Date(Date.now() - (days.value - 1) * DAY_MS).toISOString().slice(0, 10)
    void attempt(async () => {
      byDay.value = await call<UsageReport>(`usage?since=${since}&group_by=day`)
      grouped.value = await call<UsageReport>(`usage?since=${since}&group_by=${group.value}`)
    })
    // Also when an execution ends.
  }, [days.value, group.value, executionsVersion.value])
  useEffect(() => void attempt(async () => (latencies.value = await readLatencies())), [executionsVersion.value])
  const report = byDay.value
  return (
    <div class="page">
      <h1>Usage</h1>
      <BudgetBars />
      <div class="filters">
        <label>
          Period{' '}
          <select value={String(days.value)} onChange={(event) => (days.value = Number(event.currentTarget.value))}>
            {PERIODS.map((period) => (
              <option key={period} value={String(period)}>
                {period} days
              </option>
            ))}
          </select>
        </label>
      </div>
      {report !== undefined && <Totals totals={report.totals} />}
      {report !== undefined && <DayChart report={report} />}
      <h2>
        By{' '}
        <select
          aria-label="Group by"
          value={group.value}
          onChange={(event) => (group.value = event.currentTarget.value as Group)}
        >
          {GROUPS.map((name) => (
            <option key={name} value={name}>
              {name === 'backend' ? 'agent' : name}
            </option>
          ))}
        </select>
      </h2>
      {grouped.value !== undefined && <UsageTable rows={grouped.value.rows} group={group.value} />}
      <h2>How long answers take</h2>
      <LatencyTable latencies={latencies.value} />
    </div>
  )
}

function Totals({ totals }: { totals: UsageAmounts }) {
  const facts: [string, string][] = [
    ['executions', formatCount(totals.executions)],
    ['failed', formatCount(totals.failed + totals.lost)],
    ['tokens read', formatCount(totals.input_tokens)],
    ['tokens written', formatCount(totals.output_tokens)],
    ['from caches', formatCount(totals.cached_tokens)],
    [
      'cost',
      totals.cost_usd === undefined ? 'not known' : formatCost(totals.cost_usd, totals.priced_usd !== undefined),
    ],
  ]
  return (
    <dl class="totals">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function UsageTable({ rows, group }: { rows: readonly UsageRow[]; group: Group }) {
  if (rows.length === 0) return <p class="dim">Nothing was used in this period.</p>
  return (
    <Wide>
      <table>
        <thead>
          <tr>
            {[
              group === 'backend' ? 'agent' : group,
              'executions',
              'failed',
              'read',
              'written',
              'cost',
              'working time',
            ].map((name) => (
              <th key={name}>{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row[group] ?? ''}>
              <td>{row[group] || '(none)'}</td>
              <td>{row.executions}</td>
              <td>{row.failed + row.lost}</td>
              <td>{formatCount(row.input_tokens)}</td>
              <td>{formatCount(row.output_tokens)}</td>
              <td>{row.cost_usd === undefined ? '–' : formatCost(row.cost_usd, row.priced_usd !== undefined)}</td>
              <td>{formatDuration(row.duration_ms)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Wide>
  )
}

type Latency = { backend: string; count: number; p50: number; p90: number; p99: number }

const SAMPLE = 1000

/** Of the latest executions that completed. */
async function readLatencies(): Promise<Latency[]> {
  const page = await call<ExecutionPage>(`executions?state=completed&limit=${SAMPLE}`)
  const times = new Map<string, number[]>()
  for (const { backend, started_at: start, ended_at: end } of page.executions) {
    if (backend === undefined || start === undefined || end === undefined) continue
    times.set(backend, [...(times.get(backend) ?? []), Date.parse(end) - Date.parse(start)])
  }
  return [...times].map(([backend, values]) => ({
    backend,
    count: values.length,
    p50: percentile(values, 0.5) ?? 0,
    p90: percentile(values, 0.9) ?? 0,
    p99: percentile(values, 0.99) ?? 0,
  }))
}

function LatencyTable({ latencies }: { latencies: readonly Latency[] }) {
  if (latencies.length === 0) return <p class="dim">Nothing has completed yet.</p>
  return (
    <Wide>
      <table>
        <thead>
          <tr>
            {['agent', 'answers', 'half within', '90 % within', '99 % within'].map((name) => (
              <th key={name}>{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {latencies.map(({ backend, count, p50, p90, p99 }) => (
            <tr key={backend}>
              <td>{backend}</td>
              <td>{count}</td>
              <td>{formatDuration(p50)}</td>
              <td>{formatDuration(p90)}</td>
              <td>{formatDuration(p99)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="dim">Of the latest {SAMPLE.toLocaleString('en')} completed executions that are kept.</p>
    </Wide>
  )
}
