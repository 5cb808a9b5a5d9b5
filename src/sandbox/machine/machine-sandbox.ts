/** The sandbox of this machine, for all that this process runs in it. */
import { Fault } from '../../kit/fault.ts'
import { programNotFound } from '../../kit/faults.ts'
import type { Environment } from '../../kit/process/child-environment.ts'
import { findProgram } from '../../kit/process/find-program.ts'
import type { Enclose } from '../../kit/process/run-check.ts'
import type { BoundaryEvent } from '../boundary-report.ts'
import { verifyBoundary } from '../check/verify-boundary.ts'
import {
  createCaches,
  createPolicy,
  type PolicyRequest,
  realPath,
  type SandboxSection,
  toCheckSettings,
  type WorkPlace,
  type WorktreeDirectories,
} from '../create-policy.ts'
import { sandboxTooWide, sandboxUnavailable } from '../faults.ts'
import { explainFailure, findSandboxPrograms, type SandboxPrograms } from '../find-programs.ts'
import { openBoundary } from '../open-boundary.ts'
import { isWithin, type Mount } from '../sandbox-policy.ts'

export type MachineParts = {
  env: Environment
  cwd: string
  homeDirectory: string
  /** Of drover. */
  droverHome: string
  /** Files with secrets elsewhere. */
  hidden: readonly string[]
  /** bin/sandbox-forwarder.cjs and bin/sandbox-probe.cjs */
  files: { forwarder: string; probe: string }
  settings: SandboxSection
}

/** Other faults are mistakes in the settings. */
const EXPLAINED: readonly string[] = [sandboxUnavailable.code, sandboxTooWide.code]

export class MachineSandbox {
  readonly #parts: MachineParts

  constructor(parts: MachineParts) {
    this.#parts = parts
  }

  /**
   * Why there is no boundary, on this machine or around this worktree; undefined if it holds against everything that a probe
   * tries. Throws `sandbox_host_invalid`.
   */
  async problem(worktree?: WorktreeDirectories): Promise<string | undefined> {
    const { env, droverHome, homeDirectory: home, files, settings } = this.#parts
    try {
      const programs = findSandboxPrograms(this.#parts, files.forwarder)
      await verifyBoundary({ env, programs, probe: files.probe, droverHome })
      if (worktree) {
        const made = { worktree, isMadeByDrover: true }
        createPolicy({ ...made, home, droverHome, programs: [], settings: toCheckSettings(settings) })
      }
      return undefined
    } catch (error) {
      if (error instanceof Fault && EXPLAINED.includes(error.code)) return error.message
      throw error
    }
  }

  /** How checks and setups of a worktree are started inside. */
  encloseChecks(place: Omit<WorkPlace, 'added'>, onEvent: (event: BoundaryEvent) => void): Enclose {
    const { droverHome, homeDirectory: home, settings, files, hidden } = this.#parts
    return encloseCommands({
      machine: { programs: findSandboxPrograms(this.#parts, files.forwarder), home, droverHome },
      ...place,
      settings: toCheckSettings(settings),
      hidden,
      stages: createCaches(place.worktree, { droverHome, home, names: settings.caches }),
      onEvent,
    })
  }
}

/** What this process knows, for all boundaries. */
type SandboxMachine = { programs: SandboxPrograms; home: string; droverHome: string }

type Enclosing = Omit<PolicyRequest, 'programs' | 'home' | 'droverHome'> & {
  machine: SandboxMachine
  onEvent: (event: BoundaryEvent) => void
}

/** How the first program inside says that there is no such command. */
const CANNOT_START = /^drover: (.+) cannot be started in the sandbox: (\w+)$/m

/** Starts the commands of one worktree inside of a boundary: checks and setups. */
function encloseCommands({ machine, onEvent, ...request }: Enclosing): Enclose {
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
