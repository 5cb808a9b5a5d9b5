/** The queue as text for people. Pure. */
import type { DrivenRun, RunQueue } from '../../drive/service/driven-run.shape.ts'
import { overlapLines } from '../output/overlap-text.ts'
import { toPrintable } from '../output/printable.ts'
import { formatTableWithNotes, type TextLayout } from '../output/text-table.ts'

type Names = { nameOf: (runId: string) => string; isServed: boolean }

export function formatQueue({ parallel, runs }: RunQueue, { nameOf, isServed }: Names, layout: TextLayout): string[] {
  if (runs.length === 0) return ['Nothing is queued.']
  const queued = runs.filter(({ state }) => state === 'queued').length
  const rows = runs.map((run) => ({
    cells: [
      run.queue === undefined ? '-' : String(run.queue.number),
      nameOf(run.id),
      run.verdict.word,
      String(run.spent.tokens),
      run.spent.cost_usd === 0 ? '-' : `$${run.spent.cost_usd.toFixed(2)}`,
    ],
    note: [toPrintable(run.title), whyItWaits(run, nameOf), ...overlapLines(run, nameOf)].filter(Boolean).join('; '),
  }))
  const tokens = runs.reduce((sum, { spent }) => sum + spent.tokens, 0)
  const cost = runs.reduce((sum, { spent }) => sum + spent.cost_usd, 0)
  return [
    ...formatTableWithNotes(['#', 'RUN', 'STATE', 'TOKENS', 'COST'], rows, layout),
    '',
    `${queued} queued, ${parallel} at once. So far: ${tokens} tokens${cost === 0 ? '' : `, $${cost.toFixed(2)}`}.`,
    ...(queued > 0 && !isServed ? ['No server is running, so nothing is started: drover up'] : []),
  ]
}

function whyItWaits({ queue, state, verdict }: DrivenRun, nameOf: Names['nameOf']): string {
  if (queue === undefined) return state === 'running' ? verdict.reason : verdict.line.slice(verdict.word.length + 2)
  const before = nameOf(queue.after ?? '')
  switch (queue.waits_for) {
    case 'turn':
      return ''
    case 'run':
      return `starts when ${before} is delivered`
    case 'run_not_delivered':
      return `waits for ${before}, which has ended without a branch`
    case 'run_gone':
      return `waits for ${before}, which does not exist any more`
    case 'total':
      return 'waits for a higher --total-tokens or --total-cost'
  }
}
