/** Cost and tokens over time, by agent, model, key and repository; budgets; how long answers take. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { NightReports } from '../../drive/night/night-report.shape.ts'
import type { ExecutionPage } from '../../executions/store/execution.shape.ts'
import type { UsageAmounts, UsageReport, UsageRow } from '../../executions/store/usage-report.shape.ts'
import { DayChart } from '../chart/day-chart.tsx'
import { type DaySeries, type Measure, type SeriesField, toDaySeries } from '../chart/day-series.ts'
import { attempt } from '../live/actions.ts'
import { call } from '../live/api.ts'
import { route } from '../live/router.ts'
import { executionsVersion } from '../live/server-state.ts'
import { BudgetBars } from '../parts/budget-bars.tsx'
import { setQuery } from '../parts/filter-select.tsx'
import { Wide } from '../parts/wide.tsx'
import { nameOfRepository } from '../runs/run-facts.ts'
import { formatCost, formatCount, formatDuration, percentile } from '../text/format.ts'
import { toLine } from '../text/visible-text.ts'

const DAY_MS = 86_400_000
const PERIODS = ['7', '30', '90']
const GROUPS = ['backend', 'model', 'key', 'repository'] as const
type Group = (typeof GROUPS)[number]
const NAMES: Readonly<Record<Group, string>> = {
  backend: 'agent',
  model: 'model',
  key: 'key',
  repository: 'repository',
}

export function UsagePage() {
  const { query } = route.value
  const days = PERIODS.find((period) => period === query.get('days')) ?? '30'
  const group = GROUPS.find((name) => name === query.get('by')) ?? 'backend'
  const measure: Measure = query.get('measure') === 'tokens' ? 'tokens' : 'cost'
  const field: SeriesField = group === 'repository' ? 'backend' : group
  const byDay = useSignal<UsageReport | undefined>(undefined)
  const grouped = useSignal<UsageReport | undefined>(undefined)
  const latencies = useSignal<readonly Latency[]>([])
  const since = new Date(Date.now() - (Number(days) - 1) * DAY_MS).toISOString().slice(0, 10)
  useEffect(() => {
    void attempt(async () => {
      byDay.value = await call<UsageReport>(`usage?since=${since}&group_by=day,${field}`)
      grouped.value = await call<UsageReport>(`usage?since=${since}&group_by=${field}`)
    })
    // Also when an execution ends.
  }, [since, field, executionsVersion.value])
  useEffect(() => void attempt(async () => (latencies.value = await readLatencies())), [executionsVersion.value])
  const report = byDay.value
  return (
    <div class="page">
      <h1>Usage and budgets</h1>
      <BudgetBars />
      <search class="filters">
        <Choice name="Period" field="days" value={days} choices={PERIODS.map((period) => [period, `${period} days`])} />
        <Choice
          name="Show"
          field="measure"
          value={measure}
          choices={[
            ['cost', 'Cost'],
            ['tokens', 'Tokens'],
          ]}
        />
        <Choice name="By" field="by" value={group} choices={GROUPS.map((name) => [name, `by ${NAMES[name]}`])} />
      </search>
      {report !== undefined && <Totals totals={report.totals} />}
      {report !== undefined && <Chart data={toDaySeries(report, field, measure)} measure={measure} by={NAMES[field]} />}
      <h2>By {NAMES[group]}</h2>
      {group === 'repository' ? (
        <RepositoryTable since={since} />
      ) : (
        grouped.value !== undefined && <UsageTable rows={grouped.value.rows} group={group} />
      )}
      <h2>How long answers take</h2>
      <LatencyTable latencies={latencies.value} />
    </div>
  )
}

type ChoiceProps = { name: string; field: string; value: string; choices: readonly (readonly [string, string])[] }

/** What is shown is in the address. */
function Choice({ name, field, value, choices }: ChoiceProps) {
  return (
    <select aria-label={name} value={value} onChange={(event) => setQuery(field, event.currentTarget.value)}>
      {choices.map(([choice, says]) => (
        <option key={choice} value={choice}>
          {says}
        </option>
      ))}
    </select>
  )
}

function Chart({ data, measure, by }: { data: DaySeries; measure: Measure; by: string }) {
  if (data.series.length === 0)
    return (
      <p class="dim">{measure === 'cost' ? 'No cost is known in this period.' : 'Nothing was used in this period.'}</p>
    )
  const format =
    measure === 'cost' ? (value: number) => `$${value.toFixed(value < 1 && value > 0 ? 2 : 0)}` : formatCount
  return <DayChart data={data} says={`${measure === 'cost' ? 'Cost' : 'Tokens'} by day and ${by}`} format={format} />
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

function UsageTable({ rows, group }: { rows: readonly UsageRow[]; group: SeriesField }) {
  if (rows.length === 0) return <p class="dim">Nothing was used in this period.</p>
  return (
    <Wide>
      <table>
        <thead>
          <tr>
            {[NAMES[group], 'executions', 'failed', 'read', 'written', 'cost', 'working time'].map((name) => (
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

/** What driven runs have used. Prompts belong to no repository. */
function RepositoryTable({ since }: { since: string }) {
  const found = useSignal<NightReports['repositories'] | undefined>(undefined)
  useEffect(() => {
    void attempt(async () => {
      const { repositories } = await call<NightReports>(`report?since=${since}T00:00:00Z`)
      found.value = repositories
    })
  }, [since, executionsVersion.value])
  if (found.value === undefined) return <p class="dim">Loading…</p>
  if (found.value.length === 0) return <p class="dim">No run has changed in this period.</p>
  return (
    <Wide>
      <table>
        <thead>
          <tr>
            {['repository', 'runs', 'tokens', 'cost', 'working time'].map((name) => (
              <th key={name}>{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {found.value.map(({ repository, report: { runs, spent } }) => (
            <tr key={repository}>
              <td title={toLine(repository)}>{toLine(nameOfRepository(repository))}</td>
              <td>{runs.length}</td>
              <td>{formatCount(spent.tokens)}</td>
              <td>{formatCost(spent.cost_microusd / 1_000_000)}</td>
              <td>{formatDuration(spent.time_ms)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="dim">Runs that have changed in this period, with everything that each has used.</p>
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
