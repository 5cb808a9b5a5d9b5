/** Runs all checks at the same time. Each has its own timeout, and a check that fails does not stop the others. */
import { Fault, toErrorMessage } from '../../kit/fault.ts'
import { checkAgents } from './checks/agents.ts'
import { checkConfiguration } from './checks/configuration.ts'
import {
  type CheckContext,
  type CheckOptions,
  createCheckContext,
  type DiagnosticCheck,
} from './checks/doctor-check.ts'
import { defineFindings, type Finding, problem } from './checks/finding.ts'
import { checkGitHub } from './checks/github.ts'
import { checkHostAdapters } from './checks/host-adapters.ts'
import { checkInterruptedInstalls } from './checks/interrupted-installs.ts'
import { checkLocks } from './checks/locks.ts'
import { checkPrograms } from './checks/programs.ts'
import { checkRepository } from './checks/repository.ts'
import { checkRunStart } from './checks/run-start.ts'
import { checkRunStorage } from './checks/run-storage.ts'
import { checkRuns } from './checks/runs-check.ts'
import { checkSandbox } from './checks/sandbox-check.ts'
import { checkSessions } from './checks/sessions-check.ts'
import { checkSpace } from './checks/space.ts'
import { checkTemplates } from './checks/templates-check.ts'

/** In the order of the report. */
const CHECKS: Readonly<Record<string, DiagnosticCheck>> = {
  repository: checkRepository,
  checks: checkRunStart,
  hosts: checkHostAdapters,
  'interrupted installs': checkInterruptedInstalls,
  'run storage': checkRunStorage,
  runs: checkRuns,
  GitHub: checkGitHub,
  programs: checkPrograms,
  sandbox: checkSandbox,
  configuration: checkConfiguration,
  directories: checkSpace,
  templates: checkTemplates,
  sessions: checkSessions,
  locks: checkLocks,
  agents: checkAgents,
}

export const DOCTOR = defineFindings('Doctor', 'check', {
  check_failed: problem(
    'A check failed unexpectedly. All other checks ran.',
    'report it, with the whole output of drover doctor --json',
  ),
})

export async function runChecks(options: CheckOptions): Promise<Finding[]> {
  const context = createCheckContext(options)
  const findings = await Promise.all(Object.entries(CHECKS).map(([name, check]) => runCheck(name, check, context)))
  return findings.flat()
}

async function runCheck(name: string, check: DiagnosticCheck, context: CheckContext): Promise<Finding[]> {
  try {
    return await check(context)
  } catch (error) {
    const message = toErrorMessage(error)
    const detail = `the check of ${name} failed: ${message}`
    return [DOCTOR.check_failed(error instanceof Fault ? { detail, todo: undefined } : { detail })]
  }
}
