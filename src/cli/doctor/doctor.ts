import { resolve } from 'node:path'
import { checkDoctorReport } from '../../contract/doctor-report.ts'
import { CONTRACT_VERSION } from '../../contract/limits.ts'
import { writeJson } from '../../kit/json/write-json.ts'
import { discoverWorkspace } from '../../workspace/discover-workspace.ts'
import { locateGit } from '../../workspace/git.ts'
import type { Invocation, Run } from '../command.ts'
import { exitCodeOfSignal, listenForInterruption } from '../interruption.ts'
import { toPrintable } from '../output/printable.ts'
import { configEnvironmentOf } from '../settings.ts'
import { type Finding, toDoctorCheck } from './check.ts'
import { clearInterrupted } from './clear-interrupted.ts'
import { examine } from './examine.ts'
import { sayReport } from './report-text.ts'

/** What is wrong is the result, and no failure of the command, unless `--strict` makes it one. */
export const run: Run = async (invocation) => {
  const { flags, runtime } = invocation
  const { signal, by } = listenForInterruption()
  if (flags.isOn('clear-interrupted')) await clear(invocation, signal)
  const findings = await examine({
    runtime,
    surroundings: configEnvironmentOf(invocation),
    root: flags.text('root') || undefined,
    isOffline: flags.isOn('offline'),
    signal,
  })
  const interruption = by()
  if (interruption !== undefined) return exitCodeOfSignal(interruption)
  const { out } = runtime.terminal
  await out.write(flags.isOn('json') ? toLine(findings) : sayReport(findings, out))
  return flags.isOn('strict') && findings.some(({ kind }) => kind.status === 'error') ? 3 : 0
}

/** On stderr, so that the report stays alone on stdout. */
async function clear({ flags, runtime }: Invocation, signal: AbortSignal): Promise<void> {
  const start = resolve(runtime.cwd, flags.text('root') ?? '')
  const workspace = await discoverWorkspace({ start, git: locateGit(runtime), signal })
  await clearInterrupted({
    workspace,
    signal,
    say: (line) => runtime.terminal.err.write(`drover: ${toPrintable(line)}\n`),
  })
}

function toLine(findings: readonly Finding[]): string {
  const report = { contract_version: CONTRACT_VERSION, checks: findings.map(toDoctorCheck) }
  return `${writeJson(checkDoctorReport(report))}\n`
}
