/** Cost and tokens over time, by agent, model, key and repository; budgets; how long answers take. */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import type { DrivenRun, DrivenRunPage } from '../../drive/service/driven-run.shape.ts'
import type { ExecutionPage } from '../../executions/store/execution.shape.ts'
import type { UsageAmounts, UsageReport, UsageRow } from '../../executions/store/usage-report.shape.ts'
import { DayChart } from '../chart/day-chart.tsx'
import { type DaySeries, type Measure, type SeriesField, toDaySeries } from '../chart/day-series.ts'
import {
  countRowsAlike,
  describeMissingCost,
  joinRows,
  knownCost,
  type RepositoryUsage,
  type RunUsage,
  toRunUsage,
} from '../chart/usage-rows.ts'
import { attempt, saveFile } from '../live/actions.ts'
import { call, send } from '../live/api.ts'
import { route } from '../live/router.ts'
import { executionsVersion } from '../live/server-state.ts'
import { BudgetBars } from '../parts/budget-bars.tsx'
import { setQuery } from '../parts/filter-select.tsx'
import { Choice } from '../parts/form-fields.tsx'
import { Wide } from '../parts/text-view.tsx'
import { formatCost, formatCount, formatDuration, nameOfRepository, percentile } from '../text/format.ts'
import { toLine } from '../text/visible-text.ts'

const DAY_MS = 86_400_000
const PERIODS = ['7', '30', '90']
const GROUPS: readonly SeriesField[] = ['backend', 'model', 'key', 'repository']
const NAMES: Readonly<Record<SeriesField, string>> = {
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
  const isByRepository = group === 'repository'
  const field = isByRepository ? 'backend' : group
  const byDay = useSignal<UsageReport | undefined>(undefined)
  const grouped = useSignal<UsageReport | undefined>(undefined)
  const byRun = useSignal<RunUsage | undefined>(undefined)
  const latencies = useSignal<readonly Latency[]>([])
  const since = new Date(Date.now() - (Number(days) - 1) * DAY_MS).toISOString().slice(0, 10)
  useEffect(() => {
    void attempt(async () => {
      grouped.value = await readUsage(since, [field])
      byDay.value = await readUsage(since, ['day', field])
    })
    // Also when an execution ends.
  }, [since, field, executionsVersion.value])
  useEffect(() => {
    if (!isByRepository) return
    void attempt(async () => {
      byRun.value = toRunUsage(await readRuns(since), since, new Date().toISOString().slice(0, 10))
    })
  }, [since, isByRepository, executionsVersion.value])
  useEffect(() => void attempt(async () => (latencies.value = await readLatencies())), [executionsVersion.value])
  const report = grouped.value
  const charted = isByRepository ? byRun.value?.report : byDay.value
  return (
    <div class="page">
      <h1>Usage and budgets</h1>
      <BudgetBars />
      <search class="filters">
        <Choice
          name="Period"
          value={days}
          choices={PERIODS.map((period) => [period, `${period} days`])}
          onChoose={(chosen) => setQuery({ days: chosen })}
        />
        <Choice
          name="Show"
          value={measure}
          choices={[
            ['cost', 'Cost'],
            ['tokens', 'Tokens'],
          ]}
          onChoose={(chosen) => setQuery({ measure: chosen })}
        />
        <Choice
          name="By"
          value={group}
          choices={GROUPS.map((name) => [name, `by ${NAMES[name]}`])}
          onChoose={(chosen) => setQuery({ by: chosen })}
        />
        {!isByRepository && <DownloadUsage since={since} field={field} />}
      </search>
      {report !== undefined && <Totals totals={report.totals} />}
      {charted !== undefined && charted.rows.length > 0 && (
        <Chart
          data={toDaySeries(charted, group, measure)}
          measure={measure}
          by={NAMES[group]}
          isFree={report !== undefined && knownCost(report.totals) === '$0.00'}
        />
      )}
      <h2>By {NAMES[group]}</h2>
      {isByRepository && byRun.value !== undefined && <RepositoryTable rows={byRun.value.repositories} />}
      {!isByRepository && report !== undefined && <UsageTable rows={joinRows(report.rows, field)} group={field} />}
      <h2>How long answers take</h2>
      <LatencyTable latencies={latencies.value} />
    </div>
  )
}

/** With the agent in every row, because agents count differently. */
async function readUsage(since: string, fields: readonly string[]): Promise<UsageReport> {
  const groups = [...new Set([...fields, 'backend'])]
  return countRowsAlike(await call<UsageReport>(`usage?since=${since}&group_by=${groups.join()}`))
}

type ChartProps = { data: DaySeries; measure: Measure; by: string; isFree: boolean }

function Chart({ data, measure, by, isFree }: ChartProps) {
  if (data.series.length === 0) {
    const says = isFree ? 'Nothing was paid in this period.' : 'No cost is known in this period.'
    return <p class="dim">{measure === 'cost' ? says : 'Nothing was used in this period.'}</p>
  }
  const format = measure === 'cost' ? (value: number) => formatCost(value) : formatCount
  return <DayChart data={data} says={`${measure === 'cost' ? 'Cost' : 'Tokens'} by day and ${by}`} format={format} />
}

function Totals({ totals }: { totals: UsageAmounts }) {
  const facts: [string, string][] = [
    ['executions', formatCount(totals.executions)],
    ['failed', formatCount(totals.failed + totals.lost)],
    ['tokens read', formatCount(totals.input_tokens)],
    ['tokens written', formatCount(totals.output_tokens)],
    ['from caches', formatCount(totals.cached_tokens)],
    ['cost', knownCost(totals) ?? (totals.executions > 0 ? 'not known' : formatCost(0))],
  ]
  const missing = describeMissingCost(totals)
  return (
    <>
      <dl class="totals">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {missing !== '' && <p class="dim">{missing}</p>}
    </>
  )
}

function UsageTable({ rows, group }: { rows: readonly UsageRow[]; group: Exclude<SeriesField, 'repository'> }) {
  if (rows.length === 0) return <p class="dim">Nothing was used in this period.</p>
  return (
    <NumberTable
      columns={[NAMES[group], 'executions', 'failed', 'read', 'written', 'cost', 'working time']}
      rows={rows.map((row) => ({
        key: row[group] ?? '',
        cells: [
          ...[row[group] || '(none)', row.executions, row.failed + row.lost],
          ...[formatCount(row.input_tokens), formatCount(row.output_tokens)],
          ...[knownCost(row) ?? '–', formatDuration(row.duration_ms)],
        ],
      }))}
    />
  )
}

type NumberRow = { key: string; title?: string; cells: readonly (string | number)[] }
type NumberTableProps = { columns: readonly string[]; rows: readonly NumberRow[]; children?: ComponentChildren }

/** `title` is that of the first cell of a row. */
function NumberTable({ columns, rows, children }: NumberTableProps) {
  return (
    <Wide>
      <table class="numbers">
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name}>{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, title, cells }) => (
            <tr key={key}>
              {cells.map((cell, at) => (
                <td key={at} title={at === 0 ? title : undefined}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {children}
    </Wide>
  )
}

/** The largest page of the server. */
const LARGEST_PAGE = 1000

/** Those that began on this day or later. */
async function readRuns(since: string): Promise<DrivenRun[]> {
  const found: DrivenRun[] = []
  let before = ''
  for (;;) {
    const { runs, next } = await call<DrivenRunPage>(`runs?limit=${LARGEST_PAGE}${before}`)
    found.push(...runs)
    if (next === undefined || (runs.at(-1)?.created_at ?? '') < since) return found
    before = `&before=${next}`
  }
}

/** What driven runs have used. Prompts belong to no repository. */
function RepositoryTable({ rows }: { rows: readonly RepositoryUsage[] }) {
  if (rows.length === 0) return <p class="dim">No run began in this period.</p>
  return (
    <NumberTable
      columns={['repository', 'runs', 'tokens', 'cost', 'working time']}
      rows={rows.map(({ repository, runs, tokens, cost, isPriced, ms }) => ({
        key: repository,
        title: toLine(repository),
        cells: [
          ...[toLine(nameOfRepository(repository)), runs, formatCount(tokens)],
          ...[formatCost(cost, isPriced), formatDuration(ms)],
        ],
      }))}
    >
      <p class="dim">
        Runs that began in this period, with everything that each has used. Prompts belong to no repository.
      </p>
    </NumberTable>
  )
}

/** `times`: half of the answers, and 90 and 99 percent of them, took no longer. */
type Latency = { backend: string; count: number; times: readonly number[] }

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
    times: [0.5, 0.9, 0.99].map((share) => percentile(values, share) ?? 0),
  }))
}

function LatencyTable({ latencies }: { latencies: readonly Latency[] }) {
  if (latencies.length === 0) return <p class="dim">Nothing has completed yet.</p>
  return (
    <NumberTable
      columns={['agent', 'answers', 'half within', '90 % within', '99 % within']}
      rows={latencies.map(({ backend, count, times }) => ({
        key: backend,
        cells: [backend, count, ...times.map(formatDuration)],
      }))}
    >
      <p class="dim">Of the latest {SAMPLE.toLocaleString('en')} completed executions that are kept.</p>
    </NumberTable>
  )
}

/** By day and agent too: a spreadsheet adds up, and agents count tokens differently. */
function DownloadUsage({ since, field }: { since: string; field: string }) {
  const groups = [...new Set(['day', field, 'backend'])].join()
  const download = async () => {
    const response = await send(`usage?since=${since}&group_by=${groups}&format=csv`)
    saveFile(await response.blob(), `usage-by-${field}-since-${since}.csv`)
  }
  return (
    <button type="button" onClick={() => void attempt(download)}>
      Download CSV
    </button>
  )
}
