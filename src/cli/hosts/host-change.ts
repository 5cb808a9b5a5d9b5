/** What install and uninstall have in common once it is decided what they do. */
import type { ChangeReport } from '../../contract/change-report.shape.ts'
import { checkChangeReport } from '../../contract/change-report.ts'
import { changeHosts, type Decision, planChange } from '../../hosts/change-hosts.ts'
import type { installFailed, uninstallFailed } from '../../hosts/faults.ts'
import { toChangeReport } from '../../hosts/plan.ts'
import { Fault } from '../../kit/fault.ts'
import { writeJson } from '../../kit/json/write-json.ts'
import type { Flags, Invocation } from '../command.ts'
import { outputFailed } from '../faults.ts'
import type { Channel } from '../terminal.ts'
import { type HostsAt, reportOf } from './host-desk.ts'
import { sayChange, sayIntentions, sayPlan } from './host-text.ts'

/** The hosts that were named, in whichever way; undefined when none was. */
export function namedTools({ args, flags }: { args: readonly string[]; flags: Flags }): readonly string[] | undefined {
  const named = [...args, ...flags.texts('tool'), ...(flags.isOn('all') ? ['all'] : [])]
  return named.length === 0 ? undefined : named
}

export type HostChange = Decision & {
  verb: 'Install' | 'Uninstall'
  fail: typeof installFailed | typeof uninstallFailed
}

/** Changes hosts and tells what became of it, or what would. */
export async function changeAndTell(change: HostChange, at: HostsAt, { flags, runtime }: Invocation): Promise<number> {
  const { verb, fail } = change
  const [isJson, { out, err }] = [flags.isOn('json'), runtime.terminal]
  if (flags.isOn('dry-run')) {
    const plan = await planChange({ ...at, ...change })
    const report = toChangeReport({ ...plan, warnings: sayIntentions(plan) }, { outcome: 'not_committed' })
    await out.write(isJson ? toLine(report) : sayPlan(`${verb} plan`, plan))
    return 0
  }
  try {
    const { plan, report } = await changeHosts({ ...at, ...change })
    const text = isJson ? toLine(report) : sayChange(`${verb} result`, { plan, report })
    await writeOrFail({ out, text }, () =>
      fail({ problem: 'the report of it could not be printed; "drover list" shows how things stand', report }),
    )
  } catch (error) {
    const report = error instanceof Fault ? reportOf(error) : undefined
    // Programs find all of it in the error.
    if (report !== undefined && hasNews(report) && err.isTty && !isJson) {
      await err.write(sayChange(`${verb} result`, { plan: undefined, report }))
    }
    throw error
  }
  return 0
}

/** Whether a failed change came as far as to have something to tell beside the failure. */
function hasNews({ hosts, warnings, recovery_artifacts }: ChangeReport): boolean {
  return [hosts, warnings, recovery_artifacts].some((list) => list.length > 0)
}

/** What is done is done; whoever cannot read the report must still learn that. */
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
