/** Installs or uninstalls and reports what changed: the part that both commands share. */
import type { ChangeReport } from '../../contract/change-report.shape.ts'
import { checkChangeReport } from '../../contract/host-reports.ts'
import { changeHosts, type HostDecision, planChange } from '../../hosts/change/change-hosts.ts'
import type { installFailed, uninstallFailed } from '../../hosts/faults.ts'
import { toChangeReport } from '../../hosts/plan/plan.ts'
import { Fault } from '../../kit/fault.ts'
import { writeJson } from '../../kit/json/write-json.ts'
import type { Flags, Invocation } from '../command.ts'
import { outputFailed } from '../faults.ts'
import { readChangeReport } from '../remedies.ts'
import type { Channel } from '../terminal.ts'
import type { FoundWorkspace } from '../workspace-command.ts'
import { formatChange, formatPlan, formatSteps } from './host-text.ts'

/** The hosts named by arguments, `--tool` or `--all`; undefined if there are none. */
export function namedTools({ args, flags }: { args: readonly string[]; flags: Flags }): readonly string[] | undefined {
  const named = [...args, ...flags.texts('tool'), ...(flags.isOn('all') ? ['all'] : [])]
  return named.length === 0 ? undefined : named
}

export type HostChange = HostDecision & {
  verb: 'Install' | 'Uninstall'
  fail: typeof installFailed | typeof uninstallFailed
}

/** Changes hosts and prints a report. With `--dry-run` it only prints the plan. */
export async function changeAndReport(
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
      fail({ problem: 'its report could not be printed; run "drover list" to see the result', report }),
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
    if (error instanceof Fault && error.code === outputFailed.code) return 'failed'
    throw error
  })
  if (written !== 'written') throw lost()
}

function toLine(report: ChangeReport): string {
  return `${writeJson(checkChangeReport(report))}\n`
}
