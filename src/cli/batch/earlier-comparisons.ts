/** `drover compare --list` */
import { basename } from 'node:path'
import { USER } from '../../prompts/caller.ts'
import type { ComparisonPage, ComparisonSummary } from '../../service/comparison.shape.ts'
import type { Invocation } from '../command.ts'
import { argumentUnexpected, flagRequired, flagsConflict } from '../faults.ts'
import { listenForInterruption } from '../interruption.ts'
import { openDrover } from '../open/open-drover.ts'
import { formatAge } from '../output/format-amounts.ts'
import { printResult } from '../output/print-result.ts'
import { toOneLine } from '../output/printable.ts'
import { formatHeadedTable, tableWidth } from '../output/text-table.ts'
import { readSettings } from '../settings.ts'
import type { Channel } from '../terminal.ts'
import { formatCheckCounts, toShortId } from './comparison-text.ts'
import { findCurrentRepository, isInRepository } from './current-repository.ts'

const DEFAULT_LIMIT = 20
const NONE =
  'No comparisons are kept. Those in worktrees are, unless executions.keep is none; drover config set executions.keep results keeps all.\n'
const NOT_KEPT =
  'Of comparisons without a state, only worktrees are kept. drover config set executions.keep results keeps more.'

export async function listEarlier(invocation: Invocation): Promise<number> {
  const { flags, runtime } = invocation
  using interruption = listenForInterruption()
  const { config } = await readSettings(invocation)
  await using drover = openDrover(invocation, { config, isDemo: false })
  const slice = { limit: flags.integer('limit') ?? DEFAULT_LIMIT, offset: flags.integer('offset') ?? 0 }
  const page = await drover.batches.comparisons(USER, slice, interruption.signal)
  const now = runtime.clock.now()
  const here = await findCurrentRepository(invocation, interruption.signal)
  return await printResult(invocation, page, (out) => formatPage(page, out, { now, here }))
}

/** Throws a Fault for what cannot be combined with `--list` or `--show`, or needs a list. */
export function checkListFlags({ args, flags }: Invocation): void {
  const needsList = ['limit', 'offset'].find((name) => flags.integer(name) !== undefined)
  const isList = flags.isOn('list')
  if (!isList && needsList !== undefined) throw flagRequired({ flag: `--${needsList}`, required: '--list' })
  if (!isList && flags.text('show') === undefined) return
  const only = isList ? 'list' : 'show'
  const other = ['worktrees', 'drop'].find((name) => flags.isOn(name))
  const named = ['keep', 'diff', 'comparison', 'show'].find((name) => name !== only && flags.text(name) !== undefined)
  const second = other ?? named
  if (second !== undefined) throw flagsConflict({ flags: [`--${only}`, `--${second}`] })
  const [given] = args
  if (given !== undefined) throw argumentUnexpected({ command: `compare --${only}`, given, takes: 'none' })
}

/** `here` is the current repository. */
type Around = { now: Date; here: string | undefined }

function formatPage({ comparisons, offset, has_more: hasMore }: ComparisonPage, out: Channel, around: Around): string {
  if (comparisons.length === 0) return offset === 0 ? NONE : `No comparisons from number ${offset + 1} on.\n`
  const dim = (text: string) => out.style('dim', toOneLine(text, tableWidth(out)))
  const notes = [
    ...(comparisons.some(({ state }) => state === undefined) ? [dim(NOT_KEPT)] : []),
    ...(hasMore ? [dim(`more: drover compare --list --offset ${offset + comparisons.length}`)] : []),
  ]
  return `${[...formatHeadedTable(comparisonRows(comparisons, around), out), ...notes].join('\n')}\n`
}

/** A row for each comparison, with a row for each of its agents below it. Pure. */
function comparisonRows(comparisons: readonly ComparisonSummary[], { now, here }: Around): string[][] {
  const elsewhere = ({ workdir, repository = workdir }: ComparisonSummary) =>
    repository === undefined || isInRepository(repository, here) ? '' : basename(repository)
  const hasOthers = comparisons.some((each) => elsewhere(each) !== '')
  const rows = comparisons.flatMap((each) => [
    [
      toShortId(each.id),
      each.state ?? '-',
      '',
      each.winner === undefined ? '' : `kept ${each.winner}`,
      formatAge(each.created_at, now),
      ...(hasOthers ? [elsewhere(each)] : []),
      each.prompt_start ?? '',
    ],
    ...each.contenders.map(({ name, state, checks, work }) => [
      `└ ${name}`,
      state ?? '-',
      checks === undefined ? '-' : formatCheckCounts(checks),
      work === 'none' ? '-' : work,
      '',
      '',
      ...(hasOthers ? [''] : []),
    ]),
  ])
  return [['ID', 'STATE', 'CHECKS', 'WORK', 'AGE', ...(hasOthers ? ['REPOSITORY'] : []), 'PROMPT'], ...rows]
}
