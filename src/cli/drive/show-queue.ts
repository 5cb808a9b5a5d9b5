/** `drover drive --queue`: what is driven, and what is queued, in its order. */
import type { Config } from '../../config/config.shape.ts'
import type { DrivenRun, RunQueue } from '../../drive/service/driven-run.shape.ts'
import { type QueuePlaces, readQueue } from '../../drive/service/read-queue.ts'
import { RunReader } from '../../drive/service/run-reader.ts'
import { USER } from '../../prompts/caller.ts'
import { describeUnknownCosts } from '../../runs/report-markdown.ts'
import { listWatchers } from '../../watch/record/watch-records.ts'
import { locateGit } from '../../workspace/git.ts'
import type { Invocation } from '../command.ts'
import { askStatus } from '../local/local-server.ts'
import { overlapLines } from '../output/drive-text.ts'
import { formatCost, type Times, timesFor } from '../output/format-amounts.ts'
import { toPrintable } from '../output/printable.ts'
import { formatTableWithNotes, type TextLayout } from '../output/text-table.ts'
import { findUserPaths } from '../settings.ts'
import { formatWatcher } from '../watch/watch-command.ts'

const SHORT_ID = 8

export async function showQueue(invocation: Invocation, config: Config): Promise<number> {
  const { out } = invocation.runtime.terminal
  const queue = await readQueue(openQueue(invocation, config), USER)
  if (invocation.flags.isOn('json')) {
    await out.write(`${JSON.stringify(queue)}\n`)
    return 0
  }
  const isServed = (await askStatus(invocation)) !== undefined
  const nameOf = (id: string) => (out.isTty ? id.slice(0, SHORT_ID) : id)
  const times = timesFor(out, () => invocation.runtime.clock.now())
  const watchers = await listWatchers(findUserPaths(invocation).watch)
  const watched = watchers.filter((each) => each.is_running).map((each) => `Watching ${formatWatcher(each)}`)
  await out.write(`${[...formatQueue(queue, { nameOf, isServed, times }, out), ...watched].join('\n')}\n`)
  return 0
}

type Names = { nameOf: (runId: string) => string; isServed: boolean; times: Times }

/** The queue as text for people. */
function formatQueue(
  { parallel, runs, totals = [] }: RunQueue,
  { nameOf, isServed, times }: Names,
  layout: TextLayout,
): string[] {
  if (runs.length === 0) return ['Nothing is queued. What became of earlier runs: drover report --since yesterday']
  const queued = runs.filter(({ state }) => state === 'queued').length
  const rows = runs.map((run) => ({
    cells: [
      run.queue === undefined ? '-' : String(run.queue.number),
      nameOf(run.id),
      run.verdict.word,
      String(run.spent.tokens),
      run.spent.cost_usd === 0 ? '-' : (formatCost(run.spent.cost_usd, run.spent.priced_usd !== undefined) ?? ''),
    ],
    note: [toPrintable(run.title), times(whyItWaits(run, nameOf)), ...overlapLines(run, nameOf)]
      .filter(Boolean)
      .join('; '),
  }))
  // The limit of all runs that are shown.
  const whole = totals.find(({ run_ids }) => run_ids.length === runs.length)
  return [
    ...formatTableWithNotes(['#', 'RUN', 'STATE', 'TOKENS', 'COST'], rows, layout),
    '',
    `${queued} queued, ${parallel} at once. So far: ${soFar(runs, whole)}.`,
    ...(whole === undefined ? totals.map((each) => describeGroup(each, nameOf)) : []),
    ...(queued > 0 && !isServed ? ['No server is running, so nothing is started: drover up'] : []),
  ]
}

type Totals = NonNullable<RunQueue['totals']>[number]

/** What all runs have used, with the limits of their group. */
function soFar(runs: RunQueue['runs'], whole: Totals | undefined): string {
  const unknown = runs.reduce((sum, { spent }) => sum + (spent.unknown_cost_attempts ?? 0), 0)
  const tokens = runs.reduce((sum, { spent }) => sum + spent.tokens, 0)
  const cost = runs.reduce((sum, { spent }) => sum + spent.cost_usd, 0)
  const isPriced = runs.some(({ spent }) => spent.priced_usd !== undefined)
  const used = usedOf(whole ?? { tokens, cost_usd: cost }, isPriced)
  return [...used, ...(unknown === 0 ? [] : [describeUnknownCosts(unknown)])].join(', ')
}

/** `4200 of 60000 tokens`, `$0.0100 of $5.00` */
function usedOf({ tokens, max_tokens, cost_usd, max_cost_usd }: Omit<Totals, 'run_ids'>, isPriced = false): string[] {
  const cost = formatCost(cost_usd, isPriced)
  const ofCost = max_cost_usd === undefined ? '' : ` of ${formatCost(max_cost_usd)}`
  return [
    `${tokens}${max_tokens === undefined ? '' : ` of ${max_tokens}`} tokens`,
    ...(cost_usd === 0 && ofCost === '' ? [] : [`${cost}${ofCost}`]),
  ]
}

function describeGroup(totals: Totals, nameOf: Names['nameOf']): string {
  return `Together, ${totals.run_ids.map(nameOf).join(', ')}: ${usedOf(totals).join(', ')}.`
}

function whyItWaits({ queue, state, verdict }: DrivenRun, nameOf: Names['nameOf']): string {
  if (queue === undefined) return state === 'running' ? verdict.reason : withoutWord(verdict)
  const { after = '', reason = verdict.reason } = queue
  return after === '' ? reason : reason.replaceAll(after, nameOf(after))
}

/** The column before says the word, but `not driven (killed just now): …` is one expression. */
function withoutWord({ line, word }: DrivenRun['verdict']): string {
  const start = `${word}: `
  return line.startsWith(start) ? line.slice(start.length) : line
}

/** The queue of the user, as it is on disk. It can be read and changed without a server. */
export function openQueue(invocation: Invocation, config: Config): QueuePlaces {
  const { runtime } = invocation
  const { drivenRuns: directory, agentLimits } = findUserPaths(invocation)
  const { clock } = runtime
  const reader = new RunReader({
    ...{ directory, git: locateGit(runtime), clock, version: runtime.version() },
    isDrivenHere: () => false,
  })
  return { reader, directory, agentLimits, clock, parallel: config.drive.parallel }
}
