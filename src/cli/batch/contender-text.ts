/** What the agents of a comparison changed, and what the checks say about it. Pure. */
import type { CheckResult } from '../../kit/process/run-check.ts'
import { formatDuration } from '../output/format-time.ts'
import { toOneLine, toPrintable } from '../output/printable.ts'
import { dropColumns, formatTable, tableWidth } from '../output/text-table.ts'
import type { Channel } from '../terminal.ts'
import type { Contender } from './comparison-worktrees.ts'

const OUTPUT_LINES = 10
const HEADINGS = ['AGENT', 'FILES', 'ADDED', 'REMOVED', 'CHECKS']

/** A table of the sizes and checks, the end of the output of failed checks, and where the worktrees are. */
export function formatContenders(
  contenders: readonly Contender[],
  { out, isKept }: { out: Channel; isKept: boolean },
): string {
  const width = tableWidth(out)
  const [heading = '', ...rows] = formatTable(dropColumns([HEADINGS, ...contenders.map(toRow)], width), width)
  const failures = contenders.flatMap((contender) =>
    contender.checks.filter(({ passed }) => !passed).flatMap((check) => formatFailedCheck(contender, check, out)),
  )
  const places = contenders
    .filter(({ isRemoved }) => !isRemoved)
    .flatMap(({ label, worktree }) => [`${label}: ${toPrintable(worktree.path)}`])
  return `${['', out.style('bold', heading), ...rows, ...failures, ...(isKept ? [''] : formatPlaces(places))].join('\n')}\n`
}

function toRow({ label, diff, checks }: Contender): string[] {
  const { files, insertions, deletions } = diff
  const size = files.length === 0 ? ['-', '-'] : [`+${insertions}`, `-${deletions}`]
  return [label, String(files.length), ...size, formatChecks(checks)]
}

function formatChecks(checks: readonly CheckResult[]): string {
  if (checks.length === 0) return '-'
  const failed = checks.filter(({ passed }) => !passed).length
  return failed === 0 ? `${checks.length} passed` : `${failed} of ${checks.length} failed`
}

/** One line about a check, while it is worked on. */
export function formatCheckLine(label: string, check: CheckResult): string {
  return `${label}: ${toOneLine(check.command, 80)} ${describeCheck(check)} (${formatDuration(check.durationMs)})\n`
}

function describeCheck({ passed, exitCode, problem }: CheckResult): string {
  if (passed) return 'passed'
  return exitCode === null ? `failed: ${problem ?? 'no exit code'}` : `failed with exit code ${exitCode}`
}

function formatFailedCheck({ label }: Contender, check: CheckResult, out: Channel): string[] {
  const lines = toPrintable(check.output).trimEnd().split('\n')
  const shown = lines.slice(-OUTPUT_LINES).filter((line, at, all) => line !== '' || all.length > 1 || at > 0)
  const heading = `${label}: ${toOneLine(check.command, 80)} ${toPrintable(describeCheck(check))}`
  return ['', out.style('red', heading), ...shown.map((line) => `  ${line}`)]
}

function formatPlaces(places: readonly string[]): string[] {
  if (places.length === 0) return ['', 'No agent changed anything, so no worktree is left.']
  return [
    '',
    ...places,
    'To keep one as a branch: drover compare --keep NAME',
    'To drop them all: drover compare --drop',
  ]
}

/** The fields of a contender in the JSON report. */
export function toContenderReport({ label, worktree, diff, checks, isRemoved }: Contender) {
  const { path, branch, base } = worktree
  return {
    name: label,
    ...(isRemoved ? {} : { path, branch }),
    base,
    files: diff.files.length,
    insertions: diff.insertions,
    deletions: diff.deletions,
    changes: diff.files,
    checks: checks.map(({ command, passed, exitCode, problem, durationMs, output, isOutputCut }) => ({
      ...{ command, passed, exit_code: exitCode, ...(problem !== undefined && { problem }) },
      ...{ duration_ms: durationMs, output, output_truncated: isOutputCut },
    })),
  }
}
