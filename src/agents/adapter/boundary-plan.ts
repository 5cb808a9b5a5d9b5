import type { EnclosingWorktree } from '../../kit/git/find-worktree.ts'
import type { SandboxSettings } from '../../sandbox/create-policy.ts'
import type { SandboxPrograms } from '../../sandbox/find-programs.ts'

/** That an agent runs inside of a boundary, and what the boundary has in it besides the needs of the agent. */
export type BoundaryPlan = {
  programs: SandboxPrograms
  worktree: EnclosingWorktree
  /** The files of drover, which are hidden. */
  droverHome: string
  settings: SandboxSettings
}
