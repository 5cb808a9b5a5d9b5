/** What one has to know about the work of a run, in one line. Each part opens what it counts. */
import type { DrivenRun } from '../../drive/service/driven-run.shape.ts'
import { toHash } from '../live/router.ts'
import { Icon, type IconName } from '../parts/icon.tsx'
import { formatCost } from '../text/format.ts'
import { type RunFigure, toFigures } from './run-figures.ts'

const MARKS: Readonly<Record<RunFigure['how'], IconName | undefined>> = {
  good: 'check',
  bad: 'cross',
  unsure: 'question',
  calm: undefined,
}

type StripProps = { run: DrivenRun; size: { files: number; insertions: number; deletions: number } | undefined }

export function VerdictStrip({ run, size }: StripProps) {
  const { spent } = run
  return (
    <ul class="strip plain" aria-label="What drover saw">
      {toFigures(run).map(({ name, tab, how, text }) => (
        <li key={name}>
          <a class={`figure figure-${how}`} href={toHash('runs', run.id, { tab })}>
            <span class="dim">{name}</span> {MARKS[how] !== undefined && <Icon name={MARKS[how]} />}
            {text}
          </a>
        </li>
      ))}
      {size !== undefined && (
        <li>
          <a class="figure" href={toHash('runs', run.id, { tab: 'files' })}>
            <span class="dim">Files</span> {size.files} <span class="added">+{size.insertions}</span>{' '}
            <span class="removed">−{size.deletions}</span>
          </a>
        </li>
      )}
      {spent.cost_usd > 0 && (
        <li>
          <a class="figure" href={toHash('runs', run.id, { tab: 'report' })}>
            <span class="dim">Cost</span> {formatCost(spent.cost_usd, spent.priced_usd !== undefined)}
          </a>
        </li>
      )}
    </ul>
  )
}
