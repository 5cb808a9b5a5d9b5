import type { Next } from '../../contract/next.shape.ts'
import type { ChangeReport, ListReport } from '../../contract/reports.shape.ts'
import { checkChangeReport, checkListReport } from '../../contract/reports.ts'
import type { WorkspaceIdentity } from '../../contract/workspace-identity.shape.ts'
import type { CapabilityName } from '../../hosts/capabilities.ts'
import { changeHosts, type HostDecision, planChange } from '../../hosts/change/change-hosts.ts'
import { installFailed, invalidAdapterSurface, uninstallFailed } from '../../hosts/faults.ts'
import { type GeneratedFile, type Host, SURFACES, type Surface } from '../../hosts/host.ts'
import { generatedFiles, HOSTS, listSurfaces } from '../../hosts/hosts.ts'
import { listHosts } from '../../hosts/list/list-hosts.ts'
import { type Plan, type PlanStep, toChangeReport } from '../../hosts/plan/plan.ts'
import { planInstall } from '../../hosts/plan/plan-install.ts'
import { planUninstall } from '../../hosts/plan/plan-uninstall.ts'
import { detectedHosts, installedHosts, namedHosts } from '../../hosts/plan/select-hosts.ts'
import { type Fault, isFault } from '../../kit/fault.ts'
import { writeJson } from '../../kit/json/write-json.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { outputFailed } from '../faults.ts'
import { toPrintable } from '../output/printable.ts'
import { formatTableWithNotes, type RowWithNote, type TextLayout, tableWidth } from '../output/text-table.ts'
import { wrapWords } from '../output/wrap-words.ts'
import { offer, readChangeReport, type WorkspaceRef } from '../remedies.ts'
import type { Channel } from '../terminal.ts'
import { type FoundWorkspace, type Suggestion, withWorkspace } from '../workspace-command.ts'

export const run: RunCommand = (invocation) =>
  withWorkspace(invocation, async (command) => {
    const { flags, runtime } = invocation
    const { workspace } = await command.findWorkspace()
    const report = checkListReport(await listHosts(workspace))
    const { out } = runtime.terminal
    await out.write(flags.isOn('json') ? `${writeJson(report)}\n` : formatHosts(report, out))
    return 0
  })

export const install: RunCommand = (invocation) =>
  withWorkspace(invocation, async (command) => {
    const found = await command.findWorkspace()
    const suggestion: Suggestion = { next: (workspace) => offerSurface(found.workspace, workspace) }
    return await command.suggesting(suggestion, () => installHosts(invocation, found))
  })

async function installHosts(invocation: Invocation, found: FoundWorkspace): Promise<number> {
  const { flags } = invocation
  const named = hostsIn(invocation)
  const surface = readSurface(flags.text('surface'))
  const isRefresh = flags.isOn('refresh')
  const change: HostChange = {
    verb: 'Install',
    fail: installFailed,
    hosts: named ?? HOSTS,
    decide: ({ files, directories }) => {
      const hosts = named ?? detectedHosts(directories)
      return planInstall({ hosts, isExplicit: named !== undefined, surface, isRefresh, found: files })
    },
  }
  return await changeAndReport(change, found, invocation)
}

/** A surface can be chosen only before the host is installed. */
async function offerSurface(identity: WorkspaceIdentity, workspace: WorkspaceRef): Promise<Next> {
  const { listHosts } = await import('../../hosts/list/list-hosts.ts')
  const { hosts } = await listHosts(identity)
  const isInstalled = hosts.some(({ id, installed }) => id === 'kiro' && installed)
  return offer(isInstalled ? 'list-host-adapters' : 'install-kiro', workspace)
}

function readSurface(given: string | undefined): Surface | undefined {
  if (given === undefined) return undefined
  const surface = SURFACES.find((each) => each === given)
  if (surface !== undefined) return surface
  throw invalidAdapterSurface({ problem: `--surface must be ${SURFACES.join(' or ')}, not ${JSON.stringify(given)}` })
}

export const uninstall: RunCommand = (invocation) =>
  withWorkspace(invocation, async (command) => {
    const found = await command.findWorkspace()
    const named = hostsIn(invocation)
    const change: HostChange = {
      verb: 'Uninstall',
      fail: uninstallFailed,
      hosts: named ?? HOSTS,
      decide: ({ files }) => planUninstall({ hosts: named ?? installedHosts(files), found: files }),
    }
    return await changeAndReport(change, found, invocation)
  })

/** The hosts named by arguments, `--tool` or `--all`; undefined if there are none. */
function hostsIn({ args, flags }: Invocation): readonly Host[] | undefined {
  const named = [...args, ...flags.texts('tool'), ...(flags.isOn('all') ? ['all'] : [])]
  return named.length === 0 ? undefined : namedHosts(named)
}

type HostChange = HostDecision & {
  verb: 'Install' | 'Uninstall'
  fail: typeof installFailed | typeof uninstallFailed
}

/** Changes hosts and prints a report. With `--dry-run` it only prints the plan. */
async function changeAndReport(
  change: HostChange,
  { workspace, signal }: FoundWorkspace,
  { flags, runtime }: Invocation,
): Promise<number> {
  const { verb, fail } = change
  const [isJson, { out, err }] = [flags.isOn('json'), runtime.terminal]
  if (flags.isOn('dry-run')) {
    const plan = await planChange({ workspace, signal, ...change })
    const report = toChangeReport({ ...plan, warnings: formatSteps(plan) }, { outcome: 'not_committed' })
    await out.write(isJson ? toLine(report) : formatPlan(`${verb} plan`, plan))
    return 0
  }
  try {
    const { plan, report } = await changeHosts({ workspace, signal, ...change })
    const text = isJson ? toLine(report) : formatChange(`${verb} result`, { plan, report })
    await writeOrFail({ out, text }, () =>
      fail({ problem: 'its report could not be printed; run "drover hosts list" to see the result', report }),
    )
  } catch (error) {
    const report = readChangeReport(error)
    // Programs get the report inside the error.
    if (report !== undefined && hasNews(report) && err.isTty && !isJson) {
      await err.write(formatChange(`${verb} result`, { plan: undefined, report }))
    }
    throw error
  }
  return 0
}

/** Whether the report of a failed change says more than the failure itself. */
function hasNews({ hosts, warnings, recovery_artifacts }: ChangeReport): boolean {
  return [hosts, warnings, recovery_artifacts].some((list) => list.length > 0)
}

/** The change is made even if its report cannot be printed, and the failure says so. */
async function writeOrFail({ out, text }: { out: Channel; text: string }, lost: () => Fault): Promise<void> {
  const written = await out.write(text).catch((error: unknown) => {
    if (isFault(error, outputFailed)) return 'failed'
    throw error
  })
  if (written !== 'written') throw lost()
}

function toLine(report: ChangeReport): string {
  return `${writeJson(checkChangeReport(report))}\n`
}

/** Changes and lists of hosts as text for people. Pure. */
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
function formatSteps({ steps, preserved, warnings }: Plan): string[] {
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
