/** The page for the morning in Markdown. Texts of agents and issues are made inert, as in the report about a run. Pure. */

import { withInertIssues, withInertMarkdown, withoutInertMarks } from '../../kit/foreign-text.ts'
import { quoteWord } from '../../kit/shell-words.ts'
import { formatMicro } from '../../kit/wording.ts'
import { describeUnknownCosts, quote } from '../../runs/report-markdown.ts'
import type { NightReport, NightRun } from './night-report.shape.ts'
import { NIGHT_SECTIONS } from './night-sections.ts'

/** `terminal`: without the marks that only keep a web page from linking. */
export function formatNight(report: NightReport, form: 'page' | 'terminal' = 'page'): string {
  const { runs } = report
  const sections = [
    ...NIGHT_SECTIONS.map((title) => {
      const lines = runs.filter(({ section }) => section === title).map(toText)
      return [title, title === 'Delivered' ? [...lines, ...runs.flatMap(earlierText)] : lines] as const
    }),
    [report.merge?.order.length === 0 ? 'Conflicts' : 'Merge in this order', mergeLines(report)],
    ['Changed by several runs', overlapLines(report)],
  ] as const
  const body = sections
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => `## ${title}\n\n${lines.join('\n')}`)
  const text = `${[`# Runs since ${report.since}`, totals(report), ...body].join('\n\n')}\n`
  return form === 'terminal' ? withoutInertMarks(text) : text
}

function totals({ runs, spent }: NightReport): string {
  if (runs.length === 0) return 'No run was driven in this time.'
  const cost = spent.cost_microusd === 0 ? '' : `, ${formatMicro(spent.cost_microusd)}${pricedPart(spent)}`
  const unknown = describeUnknownCosts(spent.unknown_cost_attempts ?? 0)
  const count = runs.length === 1 ? '1 run' : `${runs.length} runs`
  const [amount, unit] =
    spent.time_ms < MINUTE
      ? [Math.ceil(spent.time_ms / 1000), 'second']
      : [Math.round(spent.time_ms / MINUTE), 'minute']
  const time = `${amount} ${unit}${amount === 1 ? '' : 's'}`
  const sum = `${count}, ${spent.tokens} tokens${cost}`
  return `${[sum, unknown, time].filter((part) => part !== '').join(', ')} of agents and checks.`
}

function pricedPart({ priced_microusd: priced }: NightReport['spent']): string {
  return priced === undefined ? '' : ` (of which ${formatMicro(priced)} are tokens at list prices)`
}

const MINUTE = 60_000
const SHORT_ID = 8
const SHORT_COMMIT = 12

function head({ run_id, title }: NightRun): string {
  return `- \`${run_id.slice(0, SHORT_ID)}\` ${inert(title)}`
}

/** With what it cost. */
function headWithCost(run: NightRun): string {
  const { cost_microusd: cost, priced_microusd: priced, unknown_cost_attempts: unknown = 0 } = run.spent
  const known = cost === 0 ? '' : formatMicro(cost, priced !== undefined)
  const parts = [known, describeUnknownCosts(unknown)].filter((part) => part !== '')
  return parts.length === 0 ? head(run) : `${head(run)} (${parts.join(', ')})`
}

function toText(run: NightRun): string {
  if (run.section === 'Delivered') return deliveredText(run)
  return run.section === 'Delivered, look first' ? lookFirstText(run) : openText(run)
}

function deliveredText(run: NightRun): string {
  const { exists, word, reason } = run.verdict
  if (word === 'nothing to change') return `${headWithCost(run)}: nothing to change`
  if (word === 'delivered, look first' || exists.pull_request !== undefined)
    return `${headWithCost(run)}: ${whereItIs(exists)}`
  return `${headWithCost(run)}: ${inert(reason)}`
}

/** Work that a person can use, whatever becomes of the round that continues it. */
function earlierText(run: NightRun): string[] {
  const { delivered_before: before, verdict } = run
  if (before === undefined) return []
  const commit = before.commit.slice(0, SHORT_COMMIT)
  return [
    `${head(run)}: branch \`${before.branch}\` at \`${commit}\`, from an earlier round; the round that continues it: ${verdict.word}`,
  ]
}

function whereItIs({ pull_request: request, branch }: NightRun['verdict']['exists']): string {
  return request ?? (branch === undefined ? 'in the worktree' : `branch \`${branch}\``)
}

function lookFirstText(run: NightRun): string {
  const flags = run.verdict.look_first.map((each) => `  - ${inert(each)}`)
  return [deliveredText(run), ...flags].join('\n')
}

function openText(run: NightRun): string {
  const { verdict, question = '' } = run
  const { word, reason, next } = verdict
  // Such as a question with a list.
  if (question.trim().includes('\n'))
    return `${headWithCost(run)}: ${word}\n\n${quote(visible(question)).replaceAll(/^/gm, '  ')}\n\n  - \`${next}\``
  return `${headWithCost(run)}: ${inert(reason === '' ? word : reason)}\n  - \`${next}\``
}

function mergeLines({ merge, runs }: NightReport): string[] {
  if (merge === undefined || (merge.order.length < 2 && merge.conflicts.length === 0)) return []
  const ordered = merge.order.flatMap((branch) => runs.find(({ verdict }) => verdict.exists.branch === branch) ?? [])
  return [
    ...ordered.map((run, index) => `${index + 1}. ${howToMerge(run)} ${inert(run.title)}`),
    ...merge.conflicts.map(({ branch, paths }) => {
      const files = paths.map((path) => inert(path)).join(', ')
      const run = runs.find(({ verdict }) => verdict.exists.branch === branch)
      if (run === undefined) return `- \`${branch}\` conflicts in ${files}`
      const text = `${head(run)}: branch \`${branch}\` conflicts in ${files}`
      const when = ordered.length === 0 ? '' : 'after the merges above: '
      return merge.into === undefined ? text : `${text}\n  - ${when}${howToResolve(run, merge.into)}`
    }),
  ]
}

function howToResolve({ run_id }: NightRun, into: string): string {
  return `\`drover drive ${run_id.slice(0, SHORT_ID)} --also ${quoteWord(`Merge ${into} and resolve the conflicts`)}\``
}

/** What has a pull request is merged there. */
function howToMerge({ run_id, verdict }: NightRun): string {
  return verdict.exists.pull_request ?? `\`drover merge ${run_id.slice(0, SHORT_ID)}\``
}

function overlapLines({ overlaps }: NightReport): string[] {
  return overlaps.map(
    ({ path, run_ids }) => `- ${inert(path)}: ${run_ids.map((id) => `\`${id.slice(0, SHORT_ID)}\``).join(', ')}`,
  )
}

/** Without control characters, except line breaks. */
function visible(text: string): string {
  return text.replace(/[^\P{Cc}\n]/gu, ' ')
}

/** In one line, without links, mentions and markup. */
function inert(text: string): string {
  return withInertIssues(withInertMarkdown(text.replace(/[\p{Cc}\s]+/gu, ' ').trim()))
}
