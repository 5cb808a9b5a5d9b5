/** What one has to know about the work of a run, in one line. Each part opens what it counts. */
import type { ComponentChildren } from 'preact'
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
      {toFigures(run).map(({ name, tab, how, parts, says }) => (
        <Figure key={name} run={run} tab={tab} how={how} name={name} says={says}>
          {parts.map(({ how: mark, text }) => (
            <span key={mark} class={text === '0' ? 'part part-none' : `part part-${mark}`} aria-hidden="true">
              {MARKS[mark] !== undefined && <Icon name={MARKS[mark]} />}
              {text}
            </span>
          ))}
          <span class="unseen">{says}</span>
        </Figure>
      ))}
      {size !== undefined && size.files > 0 && (
        <Figure run={run} tab="files" name="Files">
          {size.files} <span class="added">+{size.insertions}</span> <span class="removed">−{size.deletions}</span>
        </Figure>
      )}
      {spent.cost_usd > 0 && (
        <Figure run={run} tab="report" name="Cost">
          {formatCost(spent.cost_usd, spent.priced_usd !== undefined)}
        </Figure>
      )}
    </ul>
  )
}

type FigureProps = {
  run: DrivenRun
  tab: string
  name: string
  how?: RunFigure['how']
  says?: string | undefined
  children: ComponentChildren
}

function Figure({ run, tab, name, how = 'calm', says, children }: FigureProps) {
  return (
    <li>
      <a class={`figure figure-${how}`} href={toHash('runs', run.id, { tab })} title={says}>
        <span class="dim">{name}</span> {children}
      </a>
    </li>
  )
}
