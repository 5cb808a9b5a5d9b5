import type { Next } from '../../contract/next.shape.ts'
import type { ChangeReport } from '../../contract/reports.shape.ts'
import { checkChangeReport, checkListReport } from '../../contract/reports.ts'
import type { WorkspaceIdentity } from '../../contract/workspace-identity.shape.ts'
import { changeHosts, type HostDecision, planChange } from '../../hosts/change/change-hosts.ts'
import { installFailed, invalidAdapterSurface, uninstallFailed } from '../../hosts/faults.ts'
import { type Host, SURFACES, type Surface } from '../../hosts/host.ts'
import { HOSTS } from '../../hosts/hosts.ts'
import { listHosts } from '../../hosts/list/list-hosts.ts'
import { toChangeReport } from '../../hosts/plan/plan.ts'
import { planInstall } from '../../hosts/plan/plan-install.ts'
import { planUninstall } from '../../hosts/plan/plan-uninstall.ts'
import { detectedHosts, installedHosts, namedHosts } from '../../hosts/plan/select-hosts.ts'
import { type Fault, isFault } from '../../kit/fault.ts'
import { writeJson } from '../../kit/json/write-json.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { outputFailed } from '../faults.ts'
import { offer, readChangeReport, type WorkspaceRef } from '../remedies.ts'
import type { Channel } from '../terminal.ts'
import { type FoundWorkspace, type Suggestion, withWorkspace } from '../workspace-command.ts'
import { formatChange, formatHosts, formatPlan, formatSteps } from './host-text.ts'

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
