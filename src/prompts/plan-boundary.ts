/** Finds what the boundary of an agent consists of. */
import type { AgentRequest, SandboxUse } from '../agents/adapter/agent.ts'
import type { BoundaryPlan } from '../agents/adapter/boundary-plan.ts'
import { userHome } from '../agents/adapter/surroundings.ts'
import { Fault, isFault } from '../kit/fault.ts'
import { findWorktree } from '../kit/git/find-worktree.ts'
import { sandboxUnavailable } from '../sandbox/faults.ts'
import { findSandboxPrograms, type SandboxPrograms } from '../sandbox/find-programs.ts'
import { toSandboxSettings } from '../sandbox/to-sandbox-settings.ts'
import type { PromptContext } from './prompt-context.ts'
import type { PromptRequest } from './prompt-request.ts'

/** Throws a Fault if a boundary is required and this machine has none. */
export function planBoundary(
  use: Exclude<SandboxUse, 'off'>,
  { sandboxAdditions, ownBranch: branch }: PromptRequest,
  { context, workdir }: Pick<AgentRequest, 'workdir'> & { context: PromptContext },
): Pick<AgentRequest, 'boundary' | 'missingBoundary'> {
  const programs = findPrograms(context)
  if (programs instanceof Fault) {
    if (use === 'required') throw programs
    return { missingBoundary: programs.message }
  }
  const { root, git } = findWorktree(workdir, userHome(context.env))
  const own = branch === undefined ? git : git && { ...git, branch }
  const boundary: BoundaryPlan = {
    programs,
    worktree: { root, ...(own !== undefined && { git: own }) },
    droverHome: context.sandbox.droverHome,
    hidden: context.sandbox.hidden,
    caches: context.settings.sandbox.caches,
    settings: toSandboxSettings(context.settings.sandbox, sandboxAdditions),
  }
  return { boundary }
}

function findPrograms({ sandbox, env, cwd }: PromptContext): SandboxPrograms | Fault {
  try {
    return findSandboxPrograms({ env, cwd }, sandbox.forwarder)
  } catch (error) {
    if (isFault(error, sandboxUnavailable)) return error
    throw error
  }
}
