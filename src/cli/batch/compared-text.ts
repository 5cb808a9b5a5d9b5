/** What the agents of a comparison changed, what the checks say about it, and what became of it. Pure. */
import type { CheckResult } from '../../kit/process/run-check.ts'
import type { ComparedWorktree, KeepResult } from '../../prompts/prompt-result.shape.ts'
import { formatDuration } from '../output/format-time.ts'
import { toMessage, toOneLine, toPrintable } from '../output/printable.ts'
import { formatHeadedTable } from '../output/text-table.ts'
import type { Channel } from '../terminal.ts'

type ComparedCheck = ComparedWorktree['checks'][number]

const OUTPUT_LINES = 10
const LINE_COLUMNS = 160
const HEADINGS = ['AGENT', 'FILES', 'ADDED', 'REMOVED', 'CHECKS']

/** A table of the sizes and checks, the end of the output of failed checks, and where the worktrees are. */
export function formatCompared(
  worktrees: readonly ComparedWorktree[],
  { out, isKept }: { out: Channel; isKept: boolean },
): string {
  const table = formatHeadedTable([HEADINGS, ...worktrees.map(toRow)], out)
  const failures = worktrees.flatMap(({ name, checks }) =>
    checks.filter(({ passed }) => !passed).flatMap((check) => formatFailedCheck(name, check, out)),
  )
  const refusals = worktrees.flatMap(({ name, boundary }) => formatRefused(name, boundary))
  const places = worktrees.flatMap(({ name, path }) => (path === undefined ? [] : [`${name}: ${toPrintable(path)}`]))
  return `${['', ...table, ...failures, ...refusals, ...(isKept ? [''] : formatPlaces(places))].join('\n')}\n`
}

function toRow({ name, files, insertions, deletions, checks }: ComparedWorktree): string[] {
  const size = files === 0 ? ['-', '-'] : [`+${insertions}`, `-${deletions}`]
  return [name, String(files), ...size, formatChecks(checks)]
}

function formatChecks(checks: readonly ComparedCheck[]): string {
  if (checks.length === 0) return '-'
  const failed = checks.filter(({ passed }) => !passed).length
  return failed === 0 ? `${checks.length} passed` : `${failed} of ${checks.length} failed`
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
  const { refused, unwritable } = boundary
  return [
    ...refused.map(({ host, reason }) => `${name}: the sandbox refused a connection to ${host}: ${reason}`),
    ...unwritable.map((path) => `${name}: the sandbox did not let a command write ${path}`),
  ].map((line) => toOneLine(line, LINE_COLUMNS))
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

export function formatKeepResult({ kept, dropped, left }: KeepResult): string {
  const lines = [
    ...(kept === undefined ? [] : [`Kept ${kept.name} as the branch ${kept.branch} (${kept.commit.slice(0, 12)}).`]),
    ...dropped.map(({ name, commit: id }) => {
      return id === undefined
        ? `Dropped ${name}, which changed nothing.`
        : `Dropped ${name}. To get it back: git branch NAME ${id.slice(0, 12)}`
    }),
    ...left.map(({ name, path, reason }) => `Left ${name} in ${toMessage(path)}: ${toMessage(reason)}`),
  ]
  return `${lines.join('\n')}\n`
}
