/** Changes and lists of hosts as text for people. Pure. */
import type { ChangeReport, ListReport } from '../../contract/reports.shape.ts'
import type { CapabilityName } from '../../hosts/capabilities.ts'
import type { GeneratedFile } from '../../hosts/host.ts'
import { generatedFiles, HOSTS, listSurfaces } from '../../hosts/hosts.ts'
import type { Plan, PlanStep } from '../../hosts/plan/plan.ts'
import { toPrintable } from '../output/printable.ts'
import { formatTableWithNotes, type RowWithNote, type TextLayout, tableWidth } from '../output/text-table.ts'
import { wrapWords } from '../output/wrap-words.ts'

const START_CAPABILITY: CapabilityName = 'drover-run'

/** What was changed. The heading is neutral: the lines below say whether it succeeded. */
export function formatChange(
  heading: string,
  { plan, report }: { plan: Plan | undefined; report: ChangeReport },
): string {
  const reasons = new Map(plan?.preserved.map(({ path, because }) => [path, because]))
  const because = (path: string) => (reasons.has(path) ? ` because ${reasons.get(path)}` : '')
  return toLines(formatHeading(heading, report), [
    ...report.written.map((path) => `wrote ${path}`),
    ...report.removed.map((path) => `removed ${path}`),
    ...report.preserved.map((path) => `preserved ${path}${because(path)}`),
    ...report.recovery_artifacts.map((path) => `recovery artifact: ${path}`),
    ...report.warnings.map((text) => `warning: ${text}`),
    ...formatOutcome(report),
    ...formatStartHints(report.written),
  ])
}

function formatOutcome({ transaction_outcome, written, removed }: ChangeReport): string[] {
  switch (transaction_outcome) {
    case 'committed':
      return written.length === 0 && removed.length === 0 ? ['nothing was changed'] : []
    case 'not_committed':
      return ['nothing was changed']
    case 'rolled_back':
      return ['all changes were undone']
    case 'ambiguous':
      return ['it is unknown which changes were made']
  }
}

/** How to start a run in each host that got the capability just now. */
function formatStartHints(written: readonly string[]): string[] {
  return HOSTS.flatMap((host) =>
    listSurfaces(host)
      .filter((surface) =>
        generatedFiles(host, surface).some((file) => startsRuns(file) && written.includes(file.path)),
      )
      .map((surface) => `to start in ${host.name}: ${host.invocation(START_CAPABILITY, surface)}`),
  )
}

function startsRuns({ role, capability }: GeneratedFile): boolean {
  return role === 'callable' && capability === START_CAPABILITY
}

/** What would be changed. */
export function formatPlan(heading: string, plan: Plan): string {
  return toLines(formatHeading(heading, plan), [...formatSteps(plan), 'nothing was changed'])
}

/** One line for each change, preserved file and warning of a plan, in the order of a change report. */
export function formatSteps({ steps, preserved, warnings }: Plan): string[] {
  const format = (...kinds: readonly ChangeStep[]) =>
    kinds
      .flatMap((kind) => steps.filter((step) => step.do === kind).map(({ path }) => ({ kind, path })))
      .sort(byPath)
      .map(({ kind, path }) => STEP_TEXTS[kind](path))
  return [
    ...format('create', 'replace'),
    ...format('remove'),
    ...format('remove_directory'),
    ...preserved.toSorted(byPath).map(({ path, because }) => `would preserve ${path} because ${because}`),
    ...warnings.toSorted().map((text) => `warning: ${text}`),
  ]
}

type ChangeStep = Exclude<PlanStep['do'], 'verify'>

const STEP_TEXTS: Readonly<Record<ChangeStep, (path: string) => string>> = {
  create: (path) => `would write ${path}`,
  replace: (path) => `would write ${path} over the version that drover wrote before`,
  remove: (path) => `would remove ${path}`,
  remove_directory: (path) => `would remove the directory ${path} if it is empty`,
}

function byPath(one: { path: string }, other: { path: string }): number {
  return one.path < other.path ? -1 : 1
}

/** A table of the hosts, with the problems of a host below its row. */
export function formatHosts({ hosts }: ListReport, out: TextLayout): string {
  const hint = hosts.some(({ needs_refresh }) => needs_refresh) ? wrapWords(REFRESH_HINT, tableWidth(out)) : []
  return `${[...formatTableWithNotes(HOST_HEADINGS, hosts.map(toHostRow), out), ...hint].join('\n')}\n`
}

const HOST_HEADINGS = ['HOST', 'USED HERE', 'INSTALLED', 'CAPABILITIES']
const REFRESH_HINT = 'Run "drover doctor" to see what differs from what drover would install, and what to do.'

function toHostRow(host: ListReport['hosts'][number]): RowWithNote {
  const { id, detected, installed, needs_refresh, capabilities, warning } = host
  const state = needs_refresh ? 'yes, differs' : 'yes'
  return {
    cells: [id, detected ? 'yes' : 'no', installed ? state : 'no', installed ? String(capabilities.length) : '-'],
    note: warning && `warning: ${warning}`,
  }
}

function formatHeading(heading: string, { hosts }: { hosts: readonly string[] }): string {
  return `${heading} for: ${hosts.length === 0 ? 'no host' : hosts.join(', ')}`
}

function toLines(heading: string, lines: readonly string[]): string {
  return `${[heading, ...lines.map((line) => `  ${toPrintable(line)}`)].join('\n')}\n`
}
