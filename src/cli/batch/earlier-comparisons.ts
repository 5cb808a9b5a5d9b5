/** `drover compare --list` and `--show`. */
import { basename } from 'node:path'
import { NO_USAGE } from '../../agents/adapter/token-usage.ts'
import { executionIdMalformed, executionNotFound } from '../../executions/store/faults.ts'
import { Fault, isFault } from '../../kit/fault.ts'
import { USER } from '../../prompts/caller.ts'
import type { ComparedResult } from '../../prompts/prompt-result.shape.ts'
import { isInDirectory } from '../../prompts/workdir-policy.ts'
import type { ComparisonPage, ComparisonSummary, ComparisonView } from '../../service/comparison.shape.ts'
import { comparisonUnknown } from '../../service/faults.ts'
import { discoverWorkspace } from '../../workspace/discover-workspace.ts'
import { locateGit } from '../../workspace/git.ts'
import type { Invocation } from '../command.ts'
import { argumentUnexpected, flagRequired, flagsConflict } from '../faults.ts'
import { listenForInterruption } from '../interruption.ts'
import { openDrover } from '../open/open-drover.ts'
import { formatAge } from '../output/format-amounts.ts'
import { printResult } from '../output/print-result.ts'
import { toMessage, toOneLine } from '../output/printable.ts'
import { formatHeadedTable, tableWidth } from '../output/text-table.ts'
import { requestFromFlags } from '../prompt/prompt-flags.ts'
import { readSettings } from '../settings.ts'
import type { Channel } from '../terminal.ts'
import { formatCheckCounts, formatComparison, formatContenders, toShortId, toStateText } from './comparison-text.ts'

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
      each.state === undefined ? '-' : toStateText(each.state),
      '',
      each.winner === undefined ? '' : `kept ${each.winner}`,
      formatAge(each.created_at, now),
      ...(hasOthers ? [elsewhere(each)] : []),
      each.prompt_start ?? '',
    ],
    ...each.contenders.map(({ name, state, checks, work }) => [
      `└ ${name}`,
      state === undefined ? '-' : toStateText(state),
      checks === undefined ? '-' : formatCheckCounts(checks),
      work === 'none' ? '-' : work,
      '',
      '',
      ...(hasOthers ? [''] : []),
    ]),
  ])
  return [['ID', 'STATE', 'CHECKS', 'WORK', 'AGE', ...(hasOthers ? ['REPOSITORY'] : []), 'PROMPT'], ...rows]
}

/** The root of the repository that the command is used in, if it is one. */
export async function findCurrentRepository(invocation: Invocation, signal: AbortSignal): Promise<string | undefined> {
  const { env, cwd } = invocation.runtime
  const { workdir: start = cwd } = requestFromFlags(invocation)
  try {
    return (await discoverWorkspace({ start, git: locateGit({ env, cwd }), signal })).worktree_root
  } catch (error) {
    if (!(error instanceof Fault) || signal.aborted) throw error
    return undefined
  }
}

/** Also in a directory of it. */
export function isInRepository(path: string, root: string | undefined): boolean {
  return root !== undefined && isInDirectory(path, root)
}

/** `drover compare --show` */
export async function showEarlier(invocation: Invocation): Promise<number> {
  const { flags, runtime } = invocation
  using interruption = listenForInterruption()
  const { config } = await readSettings(invocation)
  await using drover = openDrover(invocation, { config, isDemo: false })
  const given = flags.text('show') ?? ''
  const view = await drover.batches.comparison(USER, given, interruption.signal).catch((error: unknown) => {
    const isUnknown = isFault(error, executionNotFound) || isFault(error, executionIdMalformed)
    throw isUnknown ? comparisonUnknown({ id: given }) : error
  })
  const now = runtime.clock.now()
  return await printResult(invocation, view, (out) => formatView(view, { out, now, isQuiet: flags.isOn('quiet') }))
}

/** Of a comparison without a result, those of the agents that had ended. */
function toAnswer({ state, output, duration_ms, token_usage = NO_USAGE, ...known }: Contender): ComparedResult[] {
  if (output === undefined) return []
  const { name: _, work: _work, usage: _usage, worktree: _worktree, is_demo: _demo, ...fields } = known
  const exit_code = state === 'completed' ? 0 : 1
  return [{ ...fields, session_id: '', exit_code, output, token_usage, duration_ms: duration_ms ?? 0 }]
}

type Contender = ComparisonView['contenders'][number]

type Shown = { out: Channel; now: Date; isQuiet: boolean }

/** Pure. */
function formatView(view: ComparisonView, { out, now, isQuiet }: Shown): string {
  const { id, state, prompt = '', created_at: time, contenders, warnings = [] } = view
  const head = toOneLine(`${toShortId(id)} ${toStateText(state)}, ${formatAge(time, now)}: ${prompt}`, tableWidth(out))
  const results = contenders.flatMap(toAnswer)
  const demoBackends = contenders.filter((each) => each.is_demo === true).map(({ backend }) => backend)
  if (isQuiet) return formatComparison(results, { out, demoBackends, isQuiet })
  return [
    `${out.style('bold', head)}\n`,
    ...(results.length === 0 ? [] : ['\n', formatComparison(results, { out, demoBackends })]),
    formatContenders(contenders, { out, id }),
    ...warnings.map((warning) => `warning: ${toMessage(warning)}\n`),
  ].join('')
}
