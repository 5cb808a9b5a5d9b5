/** The sandbox of this machine, for all that this process runs in it. */
import { Fault } from '../../kit/fault.ts'
import type { Environment } from '../../kit/process/child-environment.ts'
import type { Enclose } from '../../kit/process/run-check.ts'
import type { BoundaryEvent } from '../boundary-report.ts'
import { verifyBoundary } from '../check/verify-boundary.ts'
import { createCaches } from '../create-caches.ts'
import type { WorktreeDirectories } from '../create-policy.ts'
import { createPolicy } from '../create-policy.ts'
import { sandboxTooWide, sandboxUnavailable } from '../faults.ts'
import { findSandboxPrograms } from '../find-programs.ts'
import { type SandboxSection, toCheckSettings } from '../to-sandbox-settings.ts'
import { encloseCommands } from './enclose-commands.ts'

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
      if (worktree) createPolicy({ worktree, home, droverHome, programs: [], settings: toCheckSettings(settings) })
      return undefined
    } catch (error) {
      if (error instanceof Fault && EXPLAINED.includes(error.code)) return error.message
      throw error
    }
  }

  /** How checks and setups of a worktree are started inside. */
  encloseChecks(worktree: WorktreeDirectories, onEvent: (event: BoundaryEvent) => void): Enclose {
    const { droverHome, homeDirectory: home, settings, files, hidden } = this.#parts
    return encloseCommands({
      machine: { programs: findSandboxPrograms(this.#parts, files.forwarder), home, droverHome },
      worktree,
      settings: toCheckSettings(settings),
      hidden,
      stages: createCaches(worktree, { droverHome, home, names: settings.caches }),
      onEvent,
    })
  }
}
