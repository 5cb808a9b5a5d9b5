/** Starts the commands of one worktree inside of a boundary: checks and setups. */
import { programNotFound } from '../../kit/faults.ts'
import type { Environment } from '../../kit/process/child-environment.ts'
import { findProgram } from '../../kit/process/find-program.ts'
import type { Enclose } from '../../kit/process/run-check.ts'
import type { BoundaryEvent } from '../boundary-report.ts'
import { createPolicy, type PolicyRequest, realPath } from '../create-policy.ts'
import { explainFailure } from '../explain-failure.ts'
import { sandboxUnavailable } from '../faults.ts'
import type { SandboxPrograms } from '../find-programs.ts'
import { openBoundary } from '../open-boundary.ts'
import { isWithin, type Mount } from '../sandbox-policy.ts'

/** What this process knows, for all boundaries. */
type SandboxMachine = { programs: SandboxPrograms; home: string; droverHome: string }

type Enclosing = Omit<PolicyRequest, 'programs' | 'home' | 'droverHome'> & {
  machine: SandboxMachine
  onEvent: (event: BoundaryEvent) => void
}

/** How the first program inside says that there is no such command. */
const CANNOT_START = /^drover: (.+) cannot be started in the sandbox: (\w+)$/m

export function encloseCommands({ machine, onEvent, ...request }: Enclosing): Enclose {
  const { programs, home, droverHome } = machine
  return async ({ argv, cwd, env }) => {
    const [program] = argv
    if (findProgram(program, { env, cwd }) === undefined) throw programNotFound({ program })
    // For each command: the branches beside the own one are protected one by one.
    const policy = createPolicy({ ...request, home, droverHome, programs: [programs.node] })
    const boundary = await openBoundary({ argv, cwd, env, policy, programs, onEvent })
    return {
      command: boundary.command,
      whyNotStarted: (printed) => {
        if (!boundary.hasStarted()) return sandboxUnavailable({ problem: explainFailure(printed) }).message
        const [, program, code] = CANNOT_START.exec(printed) ?? []
        return program && explainMissing({ program, code, env, cwd, mounts: policy.mounts })
      },
      exceeded: boundary.exceeded,
      settle: boundary.settle,
      close: boundary.close,
    }
  }
}

type Missing = {
  program: string
  code: string | undefined
  env: Environment
  cwd: string
  mounts: readonly Mount[]
}

function explainMissing({ program, code, env, cwd, mounts }: Missing): string {
  const path = findProgram(program, { env, cwd }) ?? ''
  const visible = mounts.filter(({ as }) => as === 'read' || as === 'write').map((mount) => mount.path)
  if ([path, realPath(path)].every((each) => isWithin(each, visible))) return `${program} cannot be started: ${code}`
  return `${program} is not visible in the sandbox; add the directory of its installation to sandbox.read (${path})`
}
