/** Formats the answers of several agents: side by side on a wide terminal, else one after another. Pure. */
import { shortExecutionId } from '../../executions/store/execution-id.ts'
import type { CheckResult } from '../../kit/process/run-check.ts'
import { quoteWord } from '../../kit/shell-words.ts'
import type { ComparedResult, ComparedWorktree, KeepResult } from '../../prompts/prompt-result.shape.ts'
import { type PromptResult, toPromptStatus } from '../../prompts/prompt-result.ts'
import { countTokens } from '../../prompts/tokens.ts'
import type { ComparisonView } from '../../service/comparison.shape.ts'
import { toLabels } from '../../service/comparison-worktrees.ts'
import { type CheckCounts, countChecks } from '../../service/list-comparisons.ts'
import { formatDuration, formatPaid, formatTimeOf, formatTokenCount } from '../output/format-amounts.ts'
import { padToColumns, toMessage, toOneLine, toPrintable, toShown } from '../output/printable.ts'
import { formatHeadedTable } from '../output/text-table.ts'
import { wrapOn, wrapWords } from '../output/wrap-words.ts'
import { describeCancel } from '../prompt/prompt-printer.ts'
import type { Channel } from '../terminal.ts'
import { formatFailure } from './print-batch.ts'

type ComparisonLayout = {
  out: Channel
  /** The agents that the demo agent replaced. */
  demoBackends: readonly string[]
  /** Without the time, the tokens and the cost of each answer. */
  isQuiet?: boolean
}

export function formatComparison(results: readonly ComparedResult[], layout: ComparisonLayout): string {
  const { out, isQuiet = false } = layout
  const width = out.isTty ? columnWidth(results.length, out.columns) : undefined
  const labels = toLabels(results.map(({ backend }) => backend))
  const names = results.map((result, at) => formatName(result, labels[at] ?? '', layout))
  const effort = (result: PromptResult) => (isQuiet ? '' : formatEffort(result))
  if (width === undefined) {
    return results
      .map((each, at) => formatAnswer(each, { out, name: names[at] ?? '', effort: effort(each) }))
      .join('\n')
  }
  const columns = [
    sideBySide(names, width),
    sideBySide(
      results.map(() => '─'.repeat(width)),
      width,
    ),
    sideBySide(
      results.map((result) => toPrintable(shownAnswer(result))),
      width,
    ),
    ...(isQuiet ? [] : [results.map(() => ''), results.map(effort)].map((texts) => sideBySide(texts, width))),
  ]
  return `${columns.flat().join('\n')}\n`
}

type Answer = { out: Channel; name: string; effort: string }

function formatAnswer(result: PromptResult, { out, name, effort }: Answer): string {
  const lines = [out.style('bold', name), wrapOn(out, toShown(shownAnswer(result), out))]
  return `${[...lines, ...(effort === '' ? [] : [out.style('dim', effort)])].join('\n')}\n`
}

/** `claude 2.1.197 (opus)`. The demo agent has no model, and not every agent reports its own. */
function formatName(
  result: ComparedResult,
  label: string,
  { demoBackends, isQuiet = false }: ComparisonLayout,
): string {
  const { backend, model, agent_version: version } = result
  if (demoBackends.includes(backend)) return `${label} (demo)`
  const name = version === undefined || isQuiet ? label : `${label} ${version}`
  const hasAnswered = !isQuiet && toPromptStatus(result) === 'completed'
  return model === undefined && !hasAnswered ? name : `${name} (${model ?? 'model unknown'})`
}

function shownAnswer(result: PromptResult): string {
  const answer = result.output.replace(/\n+$/, '')
  return [answer, formatFailure(result)].filter((part) => part !== undefined && part !== '').join('\n')
}

function formatEffort(result: PromptResult): string {
  const { backend, duration_ms: durationMs, token_usage: usage } = result
  const tokens = formatTokenCount(usage, backend)
  const counted = tokens === undefined ? undefined : `${tokens} tokens`
  const parts = [formatTimeOf(durationMs), counted, formatPaid(result)]
  return parts.filter((part) => part !== undefined).join(', ')
}

const BORDER = ' │ '
/** Narrower columns are harder to read than texts one after another. */
const MIN_COLUMN_WIDTH = 40

/** The width of each of `count` columns; undefined if that is too narrow to read. */
export function columnWidth(count: number, width: number): number | undefined {
  const each = Math.floor((width - (count - 1) * BORDER.length) / count)
  return count > 1 && each >= MIN_COLUMN_WIDTH ? each : undefined
}

export function sideBySide(texts: readonly string[], width: number): string[] {
  const columns = texts.map((text) => wrapWords(text, width))
  const height = Math.max(0, ...columns.map((lines) => lines.length))
  return Array.from({ length: height }, (_, row) =>
    columns
      .map((lines) => padToColumns(lines[row] ?? '', width))
      .join(BORDER)
      .trimEnd(),
  )
}

type ComparedCheck = ComparedWorktree['checks'][number]

const OUTPUT_LINES = 10
const NAME_COLUMNS = 60
const LINE_COLUMNS = 160
const HEADINGS = ['AGENT', 'STATE', 'FILES', 'ADDED', 'REMOVED', 'CHECKS', 'TIME', 'TOKENS', 'COST']

/** A table of the sizes and checks, the end of the output of failed checks, and where the worktrees are. */
export function formatCompared(
  results: readonly ComparedResult[],
  { out, isKept }: { out: Channel; isKept: boolean },
): string {
  const worktrees = results.flatMap(({ worktree }) => worktree ?? [])
  const hasCost = results.some((each) => formatPaid(each) !== undefined)
  const rows = [HEADINGS, ...results.map(toRow)].map((row) => (hasCost ? row : row.slice(0, -1)))
  const places = worktrees.flatMap(({ name, path }) => (path === undefined ? [] : [`${name}: ${toPrintable(path)}`]))
  const table = [...formatHeadedTable(rows, out), ...formatMissingCosts(results)]
  return `${['', ...table, ...formatProblems(worktrees, out), ...(isKept ? [''] : formatPlaces(places))].join('\n')}\n`
}

/** Why agents that have used tokens have no cost. */
export function formatMissingCosts(results: readonly PromptResult[]): string[] {
  const missing = results.filter(({ cost_usd: cost, cost_kind: kind, token_usage: usage, backend }) => {
    return cost === undefined && kind === undefined && countTokens(usage, backend) > 0
  })
  const models = new Set(
    missing.map(({ backend, model }) => toOneLine(model ?? `the model of ${backend}`, NAME_COLUMNS)),
  )
  if (models.size === 0) return []
  const whose = [...models].join(' and ')
  return [
    `The cost of ${whose} is not known. A model without a price gets one in the setting prices (docs/budgets.md#prices).`,
  ]
}

function formatProblems(worktrees: readonly ComparedWorktree[], out: Channel): string[] {
  const failures = worktrees.flatMap(({ name, checks }) =>
    checks
      .filter(({ passed, unfinished }) => !passed && unfinished === undefined)
      .flatMap((check) => formatFailedCheck(name, check, out)),
  )
  return [...failures, ...worktrees.flatMap(({ name, boundary }) => formatRefused(name, boundary))]
}

type Contender = ComparisonView['contenders'][number]

/** The same of an earlier comparison, with what became of the work. */
export function formatContenders(contenders: readonly Contender[], { out, id }: { out: Channel; id: string }): string {
  const worktrees = contenders.flatMap(({ worktree }) => worktree ?? [])
  const errors = contenders.flatMap(({ name, state, error }) => {
    if (error === undefined) return []
    return [`${name}: ${toMessage(state === 'cancelled' ? describeCancel({ error }) : error)}`]
  })
  const rows = [[...HEADINGS, 'WORK'], ...contenders.map(toContenderRow)]
  const open = contenders.flatMap(({ name, work, worktree }) => {
    const { path } = worktree ?? {}
    return work === 'open' && path !== undefined ? [`${name}: ${toPrintable(path)}`] : []
  })
  const ofThis = `--comparison ${toShortId(id)}`
  const hints = [
    `To see an agent's changes: drover compare --diff NAME ${ofThis}`,
    `To keep one as a branch: drover compare --keep NAME ${ofThis}`,
  ]
  const lines = [
    ...['', ...formatHeadedTable(rows, out)],
    ...(errors.length === 0 ? [] : ['', ...errors]),
    ...formatProblems(worktrees, out),
    ...(open.length === 0 ? [] : ['', ...open, ...hints]),
  ]
  return `${lines.join('\n')}\n`
}

/** As drover spells it in texts. */
export function toStateText(state: Contender['state']): string {
  return state === 'cancelled' ? 'canceled' : state
}

function toContenderRow(contender: Contender): string[] {
  const { name, backend, state, worktree, duration_ms: durationMs, token_usage: usage } = contender
  return [
    ...[name, toStateText(state), ...formatSizes(worktree)],
    formatTimeOf(durationMs) ?? '-',
    formatTokenCount(usage, backend) ?? '-',
    formatPaid(contender) ?? '-',
    contender.work === 'none' ? '-' : contender.work,
  ]
}

/** Without a worktree, nothing was measured. */
function formatSizes(worktree: ComparedWorktree | undefined): string[] {
  if (worktree === undefined) return ['-', '-', '-', '-']
  const { files, insertions, deletions, checks } = worktree
  const size = files === 0 ? ['-', '-'] : [`+${insertions}`, `-${deletions}`]
  return [String(files), ...size, formatChecks(checks)]
}

function toRow(result: ComparedResult): string[] {
  const { backend, worktree, duration_ms: durationMs, token_usage: usage } = result
  const { name = backend } = worktree ?? {}
  const tokens = formatTokenCount(usage, backend) ?? '-'
  const effort = [formatTimeOf(durationMs) ?? '-', tokens, formatPaid(result) ?? '-']
  return [name, toPromptStatus(result), ...formatSizes(worktree), ...effort]
}

export function formatChecks(checks: readonly ComparedCheck[]): string {
  return formatCheckCounts(countChecks(checks))
}

export function formatCheckCounts({ passed, failed, canceled = 0, not_run: notRun = 0 }: CheckCounts): string {
  const count = passed + failed
  const ended = failed === 0 ? `${passed} passed` : `${failed} of ${count} failed`
  const rest = [...(canceled > 0 ? [`${canceled} canceled`] : []), ...(notRun > 0 ? [`${notRun} not run`] : [])]
  const parts = [...(count > 0 ? [ended] : []), ...rest]
  // Without a number if that is true of all.
  return count === 0 && rest.length === 1 ? (canceled > 0 ? 'canceled' : 'not run') : parts.join(', ') || '-'
}

/** One line about a check, while it is worked on. */
export function formatCheckLine(name: string, { command, durationMs, passed, exitCode, problem }: CheckResult): string {
  const ended = describeCheck({ passed, exit_code: exitCode, problem })
  return `${name}: ${toOneLine(command, 80)} ${ended} (${formatDuration(durationMs)})`
}

type CheckEnd = Pick<ComparedCheck, 'passed' | 'exit_code'> & { problem?: string | undefined }

function describeCheck({ passed, exit_code: exitCode, problem }: CheckEnd): string {
  if (passed) return 'passed'
  return exitCode === null ? `failed: ${problem ?? 'no exit code'}` : `failed with exit code ${exitCode}`
}

function formatFailedCheck(name: string, check: ComparedCheck, out: Channel): string[] {
  const lines = toPrintable(check.output).trimEnd().split('\n')
  const shown = lines.slice(-OUTPUT_LINES).filter((line, at, all) => line !== '' || all.length > 1 || at > 0)
  const heading = `${name}: ${toOneLine(check.command, 80)} ${toPrintable(describeCheck(check))}`
  return ['', out.style('red', heading), ...shown.map((line) => `  ${line}`)]
}

function formatRefused(name: string, boundary: ComparedWorktree['boundary']): string[] {
  if (boundary === undefined) return []
  const { refused, unwritable, exceeded } = boundary
  return [
    ...refused.map(({ host, reason }) => `${name}: the sandbox refused a connection to ${host}: ${reason}`),
    ...exceeded.map((limit) => `${name}: the sandbox stopped a command: ${limit}`),
    ...unwritable.map((path) => `${name}: the sandbox did not let a command write ${path}`),
  ].map((line) => toOneLine(line, LINE_COLUMNS))
}

function formatPlaces(places: readonly string[]): string[] {
  if (places.length === 0) return ['', 'No agent changed anything, so no worktree is left.']
  return [
    '',
    ...places,
    "To see an agent's changes: drover compare --diff NAME",
    'To keep one as a branch: drover compare --keep NAME',
    'To drop them all: drover compare --drop',
  ]
}

const PROMPT_COLUMNS = 80

/** Only an execution has a long id. */
export function toShortId(id: string): string {
  return id.startsWith('exec_') ? shortExecutionId({ id }) : id
}

/** What could not be dropped: also for `--quiet`. */
export function leftLines(left: KeepResult['left']): string[] {
  return left.map(({ name, path, reason }) => `Left ${name} in ${toMessage(path)}: ${toMessage(reason)}`)
}

/** `elsewhere` is the repository, if it is not the current one. */
export function formatKeepResult(
  { kept, dropped, left, comparison: id, prompt_start: prompt = '' }: KeepResult,
  elsewhere?: string,
): string {
  const git = elsewhere === undefined ? 'git' : `git -C ${quoteWord(elsewhere)}`
  const lines = [
    ...(kept === undefined ? [] : [`Kept ${kept.name} as the branch ${kept.branch} (${kept.commit.slice(0, 12)}).`]),
    ...dropped.map(({ name, commit: id }) => {
      return id === undefined
        ? `Dropped ${name}, which changed nothing.`
        : `Dropped ${name}. To get it back: ${git} branch NAME ${id.slice(0, 12)}`
    }),
    ...leftLines(left),
    ...(kept === undefined ? [] : [toPrintable(`To merge it into your branch: ${git} merge ${kept.branch}`)]),
    ...(id === undefined ? [] : [`This was the comparison ${toShortId(id)}: ${toOneLine(prompt, PROMPT_COLUMNS)}`]),
  ]
  return `${lines.join('\n')}\n`
}
