import type { SandboxSettings, WorktreeDirectories } from '../../sandbox/create-policy.ts'
import type { SandboxPrograms } from '../../sandbox/find-programs.ts'

/** That an agent runs inside of a boundary, and what the boundary has in it besides the needs of the agent. */
export type BoundaryPlan = {
  programs: SandboxPrograms
  worktree: WorktreeDirectories
  /** The files of drover, which are hidden. */
  droverHome: string
  /** Other files that are hidden. */
  hidden: readonly string[]
  settings: SandboxSettings
  /** Of the home directory: directories of drover stand for them, as for checks. */
  caches: readonly string[]
}
