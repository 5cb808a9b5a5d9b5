/** `drover sandbox check`: tries what a sandbox on this machine enforces. */
import { isFault } from '../../kit/fault.ts'
import { checkBoundary, type SandboxProperty } from '../../sandbox/check/check-boundary.ts'
import { findGap } from '../../sandbox/check/verify-boundary.ts'
import { sandboxUnavailable } from '../../sandbox/faults.ts'
import { findSandboxPrograms } from '../../sandbox/find-programs.ts'
import type { RunCommand, Runtime } from '../command.ts'
import { EXIT } from '../exit-status.ts'
import { listenForInterruption } from '../interruption.ts'
import { printResult } from '../output/print-result.ts'
import { formatTableWithNotes, type TextLayout } from '../output/text-table.ts'

export type SandboxReport = {
  is_available: boolean
  /** Limits do not count. */
  is_enforced: boolean
  /** Why there is no sandbox, or what it does not enforce. */
  problem?: string
  properties: readonly SandboxProperty[]
}

export const run: RunCommand = async (invocation) => {
  using interruption = listenForInterruption()
  const report = await trySandbox(invocation.runtime, interruption.signal)
  await printResult(invocation, report, (out) => toText(report, out))
  return report.is_enforced ? EXIT.success : EXIT.failure
}

export async function trySandbox(runtime: Runtime, signal: AbortSignal): Promise<SandboxReport> {
  const { env, sandbox } = runtime
  try {
    const programs = findSandboxPrograms(runtime, sandbox.forwarder)
    const properties = await checkBoundary({ env, programs, probe: sandbox.probe, signal })
    const problem = findGap(properties)
    const found = { is_available: true, is_enforced: problem === undefined, properties }
    return problem === undefined ? found : { ...found, problem }
  } catch (error) {
    if (!isFault(error, sandboxUnavailable)) throw error
    return { is_available: false, is_enforced: false, problem: error.message, properties: [] }
  }
}

function toText({ is_available, is_enforced, problem, properties }: SandboxReport, out: TextLayout): string {
  if (!is_available) return `Not available: ${problem}.\n`
  const rows = properties.map((property) => ({
    cells: [property.is_enforced ? 'yes' : 'no', property.name, property.by],
    note: property.problem,
  }))
  const verdict = is_enforced ? 'A sandbox on this machine is enforced.' : 'A sandbox on this machine is not enforced.'
  return `${formatTableWithNotes(['ENFORCED', 'PROPERTY', 'BY'], rows, out).join('\n')}\n${verdict}\n`
}
