/** Bars for days, with an axis. The pointer, or the arrow keys, choose a day, whose numbers are shown. */
import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { toLine } from '../text/visible-text.ts'
import { type DaySeries, toTicks } from './day-series.ts'

const HEIGHT = 208
const LEFT = 56
const TOP = 8
const BOTTOM = 24
/** A label of a day needs this much. */
const LABEL_WIDTH = 64

type DayChartProps = { data: DaySeries; says: string; format: (value: number) => string }

export function DayChart({ data, says, format }: DayChartProps) {
  const figure = useRef<HTMLElement>(null)
  const width = useSignal(720)
  const chosen = useSignal<number | undefined>(undefined)
  useLayoutEffect(() => {
    const { current } = figure
    if (current === null) return
    const measure = new ResizeObserver(() => (width.value = Math.max(240, current.clientWidth)))
    measure.observe(current)
    return () => measure.disconnect()
  }, [])
  const { days } = data
  const step = (width.value - LEFT) / days.length
  const choose = (at: number) => (chosen.value = Math.min(Math.max(at, 0), days.length - 1))
  return (
    <figure ref={figure} class="chart">
      <div
        class="chart-area"
        tabIndex={0}
        role="slider"
        aria-label={`${says}, ${days[0]} to ${days.at(-1)}`}
        aria-valuemin={0}
        aria-valuemax={days.length - 1}
        aria-valuenow={chosen.value ?? 0}
        aria-valuetext={describeDay(data, chosen.value ?? 0, format)}
        onKeyDown={(event) => {
          const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
          if (by === 0) return
          event.preventDefault()
          choose((chosen.value ?? (by === 1 ? -1 : days.length)) + by)
        }}
        onPointerMove={(event) => {
          const { left } = event.currentTarget.getBoundingClientRect()
          const at = Math.floor((event.clientX - left - LEFT) / step)
          chosen.value = at >= 0 && at < days.length ? at : undefined
        }}
        onPointerLeave={() => (chosen.value = undefined)}
        onBlur={() => (chosen.value = undefined)}
      >
        <Plot data={data} width={width.value} chosen={chosen.value} format={format} />
        {chosen.value !== undefined && (
          <Tip
            data={data}
            at={chosen.value}
            left={LEFT + (chosen.value + 0.5) * step}
            width={width.value}
            format={format}
          />
        )}
      </div>
      <figcaption class="legend">
        {data.series.map(({ name, total }, at) => (
          <span key={name}>
            <span class={`swatch series-${at + 1}`} aria-hidden="true" /> {toLine(name)}{' '}
            <span class="dim">{format(total)}</span>
          </span>
        ))}
      </figcaption>
    </figure>
  )
}

type PlotProps = { data: DaySeries; width: number; chosen: number | undefined; format: DayChartProps['format'] }

function Plot({ data, width, chosen, format }: PlotProps) {
  const { days, series } = data
  const ticks = toTicks(data.highest)
  const scale = (HEIGHT - TOP - BOTTOM) / (ticks.at(-1) ?? 1)
  const base = HEIGHT - BOTTOM
  const step = (width - LEFT) / days.length
  const every = Math.max(1, Math.ceil(LABEL_WIDTH / step))
  return (
    <svg width={width} height={HEIGHT} aria-hidden="true">
      {ticks.map((tick) => (
        <g key={tick}>
          <line class="grid-line" x1={LEFT} x2={width} y1={base - tick * scale} y2={base - tick * scale} />
          <text class="axis" x={LEFT - 8} y={base - tick * scale + 4} text-anchor="end">
            {format(tick)}
          </text>
        </g>
      ))}
      {days.map((day, at) => {
        let top = base
        return (
          <g key={day} class={chosen === undefined || chosen === at ? '' : 'bar-behind'}>
            {series.map(({ name, values }, index) => {
              const height = (values[at] ?? 0) * scale
              top -= height
              return (
                <rect
                  key={name}
                  class={`series-${index + 1}`}
                  x={LEFT + at * step + step * 0.12}
                  width={Math.max(1, step * 0.76)}
                  y={top}
                  height={height}
                />
              )
            })}
            {at % every === 0 && at * step + LABEL_WIDTH <= width - LEFT + step && (
              <text class="axis" x={LEFT + at * step + step * 0.12} y={HEIGHT - 6}>
                {formatDay(day)}
              </text>
            )}
          </g>
        )
      })}
    </svg>
  )
}

type TipProps = { data: DaySeries; at: number; left: number; width: number; format: DayChartProps['format'] }

function Tip({ data, at, left, width, format }: TipProps) {
  const parts = data.series.filter(({ values }) => (values[at] ?? 0) > 0)
  const total = parts.reduce((sum, { values }) => sum + (values[at] ?? 0), 0)
  return (
    <div
      class={left > width / 2 ? 'tip tip-left' : 'tip'}
      aria-hidden="true"
      style={{ '--left': `${Math.round(left)}px`, '--right': `${Math.round(width - left)}px` }}
    >
      <strong>{data.days[at]}</strong>
      {parts.length === 0 && <span class="dim">nothing</span>}
      {parts.map(({ name, values }) => (
        <span key={name} class="tip-line">
          <span>
            <span
              class={`swatch series-${data.series.findIndex((each) => each.name === name) + 1}`}
              aria-hidden="true"
            />{' '}
            {toLine(name)}
          </span>
          <span>{format(values[at] ?? 0)}</span>
        </span>
      ))}
      {parts.length > 1 && (
        <span class="tip-line">
          <span>together</span>
          <span>{format(total)}</span>
        </span>
      )}
    </div>
  )
}

function describeDay({ days, series }: DaySeries, at: number, format: DayChartProps['format']): string {
  const parts = series.flatMap(({ name, values }) => {
    const value = values[at] ?? 0
    return value > 0 ? [`${toLine(name)} ${format(value)}`] : []
  })
  return `${days[at]}: ${parts.join(', ') || 'nothing'}`
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

function formatDay(day: string): string {
  const [, month = '', date = ''] = day.split('-')
  return `${Number(date)} ${MONTHS[Number(month) - 1]}`
}
