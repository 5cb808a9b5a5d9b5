/** The page for the morning: what became of all driven runs since some time, as `drover report --since` shows it. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { NightReport, NightReports, NightRun } from '../../drive/night/night-report.shape.ts'
import { attempt } from '../live/actions.ts'
import { call } from '../live/api.ts'
import { toHash } from '../live/router.ts'
import { Options } from '../parts/form-fields.tsx'
import { describeSpentCost, formatCount, formatDuration, nameOfRepository } from '../text/format.ts'
import { toLine } from '../text/visible-text.ts'

const HOUR_MS = 3_600_000
const PERIODS = [
  { hours: 12, says: '12 hours' },
  { hours: 24, says: '24 hours' },
  { hours: 72, says: '3 days' },
  { hours: 168, says: '7 days' },
]
/** In the words of the console. */
const SECTIONS: readonly (readonly [NightRun['section'], string])[] = [
  ['Delivered', 'Delivered'],
  ['Delivered, look first', 'Delivered, look first'],
  ['Waits for you', 'Needs you'],
  ['Not delivered', 'Not delivered'],
  ['Discarded', 'Discarded'],
  ['Still running', 'Queued or working'],
]

export function ReportPage() {
  const hours = useSignal(24)
  const reports = useSignal<NightReports | undefined>(undefined)
  useEffect(() => {
    const since = new Date(Date.now() - hours.value * HOUR_MS).toISOString()
    void attempt(async () => (reports.value = await call<NightReports>(`report?since=${since}`)))
  }, [hours.value])
  return (
    <div class="page">
      <header class="page-head">
        <h1>Report</h1>
        <a class="button" href="#/runs">
          All runs
        </a>
      </header>
      <div class="filters">
        <label>
          Since{' '}
          <select value={String(hours.value)} onChange={(event) => (hours.value = Number(event.currentTarget.value))}>
            <Options choices={PERIODS.map(({ hours: period, says }) => [String(period), says])} />
          </select>
        </label>
      </div>
      {reports.value === undefined && <p class="dim">Loading…</p>}
      {reports.value?.repositories.length === 0 && <p class="dim">No run was driven in this time.</p>}
      {reports.value?.repositories.map(({ repository, machine, report }) => (
        <Repository key={`${machine} ${repository}`} name={repository} machine={machine} report={report} />
      ))}
    </div>
  )
}

type Shown = { name: string; machine: string | undefined; report: NightReport }

function Repository({ name, machine, report }: Shown) {
  const { runs, spent, merge, overlaps } = report
  const cost = costOf(spent)
  return (
    <section>
      <h2>
        {toLine(nameOfRepository(name))}{' '}
        <span class="path dim">{toLine(machine === undefined ? name : `${name} on ${machine}`)}</span>
      </h2>
      <p class="dim">
        {runs.length === 1 ? '1 run' : `${runs.length} runs`}, {formatCount(spent.tokens)} tokens{cost && `, ${cost}`},{' '}
        {formatDuration(spent.time_ms)} of agents and checks
      </p>
      {SECTIONS.map(([name, title]) => (
        <Section key={name} title={title} runs={runs.filter(({ section }) => section === name)} />
      ))}
      {merge !== undefined && merge.order.length + merge.conflicts.length > 1 && <Merge merge={merge} runs={runs} />}
      {overlaps.length > 0 && <Overlaps overlaps={overlaps} />}
    </section>
  )
}

function Section({ title, runs }: { title: string; runs: readonly NightRun[] }) {
  if (runs.length === 0) return null
  return (
    <>
      <h3>
        {title} <span class="count">{runs.length}</span>
      </h3>
      {runs.map((run) => (
        <Run key={run.run_id} run={run} />
      ))}
    </>
  )
}

function costOf({ cost_microusd: cost, priced_microusd: priced, unknown_cost_attempts: unknown }: NightRun['spent']) {
  return describeSpentCost({ cost: cost / 1_000_000, priced, unknown })
}

function Run({ run: { run_id: id, title, verdict, spent } }: { run: NightRun }) {
  const { reason, look_first: flags, exists } = verdict
  const place = exists.pull_request ?? exists.branch
  // A merged branch is gone.
  const isDone = verdict.exit_code === 0 && place !== undefined
  return (
    <div class="row row-tall">
      <a class="row-link" data-row href={toHash('runs', id)}>
        <span class="row-text">{toLine(title)}</span>
      </a>
      <div class="row-facts dim">
        {place !== undefined && <span class="path">{toLine(place)}</span>}
        {!isDone && reason !== '' && <span>{toLine(reason)}</span>}
        {costOf(spent) !== '' && <span>{costOf(spent)}</span>}
      </div>
      {flags.length > 0 && (
        <ul>
          {flags.map((flag) => (
            <li key={flag}>{toLine(flag)}</li>
          ))}
        </ul>
      )}
    </div>
  )
}

function Merge({ merge, runs }: { merge: NonNullable<NightReport['merge']>; runs: readonly NightRun[] }) {
  const ordered = merge.order.flatMap((branch) => runs.find(({ verdict }) => verdict.exists.branch === branch) ?? [])
  return (
    <>
      <h3>{ordered.length === 0 ? 'Conflicts' : 'Merge in this order'}</h3>
      <ol>
        {ordered.map(({ run_id: id, title, verdict }) => (
          <li key={id}>
            <a href={toHash('runs', id)}>{toLine(title)}</a> <code>{toLine(verdict.exists.branch ?? '')}</code>
          </li>
        ))}
      </ol>
      <ul>
        {merge.conflicts.map(({ branch, paths }) => (
          <li key={branch}>
            <code>{toLine(branch)}</code> conflicts in {toLine(paths.join(', '))}
          </li>
        ))}
      </ul>
    </>
  )
}

function Overlaps({ overlaps }: Pick<NightReport, 'overlaps'>) {
  return (
    <>
      <h3>Changed by several runs</h3>
      <ul>
        {overlaps.map(({ path, run_ids: ids }) => (
          <li key={path}>
            <span class="path">{toLine(path)}</span>:{' '}
            {ids.map((id, at) => (
              <>
                {at > 0 && ', '}
                <a href={toHash('runs', id)}>{id.slice(0, 8)}</a>
              </>
            ))}
          </li>
        ))}
      </ul>
    </>
  )
}
