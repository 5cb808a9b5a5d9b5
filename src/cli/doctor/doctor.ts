import { resolve } from 'node:path'
import { checkDoctorReport } from '../../contract/host-reports.ts'
import { CONTRACT_VERSION } from '../../contract/limits.ts'
import { writeJson } from '../../kit/json/write-json.ts'
import { discoverWorkspace } from '../../workspace/discover-workspace.ts'
import { locateGit } from '../../workspace/git.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { exitCodeOfSignal, listenForInterruption } from '../interruption.ts'
import { toPrintable } from '../output/printable.ts'
import { toConfigEnvironment } from '../settings.ts'
import { runChecks } from './all-checks.ts'
import { type Finding, toDoctorCheck } from './checks/finding.ts'
import { clearInterruptedInstalls } from './checks/interrupted-installs.ts'
import { formatReport } from './report-text.ts'

/** Problems are the result of this command, not failures of it, unless `--strict` is given. */
export const run: RunCommand = async (invocation) => {
  const { flags, runtime } = invocation
  const { signal, by } = listenForInterruption()
  if (flags.isOn('clear-interrupted')) await clearInterrupted(invocation, signal)
  const findings = await runChecks({
    runtime,
    configEnvironment: toConfigEnvironment(invocation),
    root: flags.text('root') || undefined,
    isOffline: flags.isOn('offline'),
    signal,
  })
  const interruption = by()
  if (interruption !== undefined) return exitCodeOfSignal(interruption)
  const { out } = runtime.terminal
  await out.write(flags.isOn('json') ? toJsonLine(findings) : formatReport(findings, out))
  return flags.isOn('strict') && findings.some(({ kind }) => kind.status === 'error') ? 3 : 0
}

/** Prints to stderr: only the report goes to stdout. */
async function clearInterrupted({ flags, runtime }: Invocation, signal: AbortSignal): Promise<void> {
  const start = resolve(runtime.cwd, flags.text('root') ?? '')
  const workspace = await discoverWorkspace({ start, git: locateGit(runtime), signal })
  await clearInterruptedInstalls({
    workspace,
    signal,
    print: (line) => runtime.terminal.err.write(`drover: ${toPrintable(line)}\n`),
  })
}

function toJsonLine(findings: readonly Finding[]): string {
  const report = { contract_version: CONTRACT_VERSION, checks: findings.map(toDoctorCheck) }
  return `${writeJson(checkDoctorReport(report))}\n`
}
