import type { UsageReport } from '../../executions/store/usage-report.shape.ts'
import { formatCount } from '../text/format.ts'

const HEIGHT = 120
const DAY_MS = 86_400_000

/** Tokens for each day as bars: read and written. The table below has the same numbers. */
export function DayChart({ report }: { report: UsageReport }) {
  const days = listDays(report)
  const highest = Math.max(1, ...days.map(({ read, written }) => read + written))
  const step = 100 / days.length
  const barOf = (tokens: number) => (tokens / highest) * HEIGHT
  return (
    <figure class="chart">
      <svg
        viewBox={`0 0 100 ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Tokens by day from ${report.since} to ${report.until}, at most ${formatCount(highest)} a day`}
      >
        {days.map(({ day, read, written }, at) => (
          <g key={day}>
            <title>{`${day}: ${formatCount(read)} read, ${formatCount(written)} written`}</title>
            <rect class="bar-read" x={at * step} width={step * 0.8} y={HEIGHT - barOf(read)} height={barOf(read)} />
            <rect
              class="bar-written"
              x={at * step}
              width={step * 0.8}
              y={HEIGHT - barOf(read + written)}
              height={barOf(written)}
            />
          </g>
        ))}
      </svg>
      <figcaption class="dim">
        {report.since} to {report.until}, highest day {formatCount(highest)} tokens:{' '}
        <span class="legend-read">read</span> <span class="legend-written">written</span>
      </figcaption>
    </figure>
  )
}

/** Every day of the period, also those without usage. */
function listDays({ since, until, rows }: UsageReport): { day: string; read: number; written: number }[] {
  const used = new Map(rows.map((row) => [row.day, row]))
  const count = Math.round((Date.parse(until) - Date.parse(since)) / DAY_MS) + 1
  return Array.from({ length: count }, (_, at) => {
    const day = new Date(Date.parse(since) + at * DAY_MS).toISOString().slice(0, 10)
    const row = used.get(day)
    return { day, read: row?.input_tokens ?? 0, written: row?.output_tokens ?? 0 }
  })
}
