/** What the boundary of an agent consists of: what it may write is never more than what its caller may work in. */
import type { AgentEvent, AgentRequest, SandboxUse } from '../agents/adapter/agent.ts'
import type { BoundaryPlan } from '../agents/adapter/boundary-needs.ts'
import { isReadOnly } from '../agents/adapter/permission.ts'
import { rootsOf, userHome } from '../agents/adapter/surroundings.ts'
import { Fault, isFault } from '../kit/fault.ts'
import { findWorktree } from '../kit/git/find-worktree.ts'
import { BoundaryCounts, type BoundaryEvent } from '../sandbox/boundary-report.ts'
import { findRepositoriesIn, refuseGap, toSandboxSettings, type WorktreeDirectories } from '../sandbox/create-policy.ts'
import { sandboxUnavailable } from '../sandbox/faults.ts'
import { findSandboxPrograms, type SandboxPrograms } from '../sandbox/find-programs.ts'
import { isLimiting } from './ceilings.ts'
import type { PromptContext } from './prompt-context.ts'
import type { PromptRequest } from './prompt-request.ts'
import type { BoundaryReport } from './prompt-result.shape.ts'
import { blockedBelow, widestAllowed } from './workdir-policy.ts'

type Place = Pick<AgentRequest, 'workdir' | 'additionalDirectories'> & { extraFlags: readonly string[] }

/** Throws a Fault if a boundary is required and this machine has none. */
export function planBoundary(
  use: Exclude<SandboxUse, 'off'>,
  { sandboxAdditions, ownBranch: branch, extra = [] }: PromptRequest,
  { context, extraFlags, ...place }: Place & { context: PromptContext },
): Pick<AgentRequest, 'boundary' | 'missingBoundary'> {
  const programs = findPrograms(context)
  if (programs instanceof Fault) {
    if (use === 'required') throw programs
    return { missingBoundary: programs.message }
  }
  const found = findAllowed(place.workdir, context)
  const worktree = branch === undefined || !found.git ? found : { ...found, git: { ...found.git, branch } }
  const work = { worktree, added: place.additionalDirectories, isMadeByDrover: branch !== undefined }
  const { by, workdirs, sandbox, settings } = context
  const boundary: BoundaryPlan = {
    programs,
    worktree,
    isMadeByDrover: work.isMadeByDrover,
    repositories: findRepositoriesIn(work),
    needsAllRepositories: by.is === 'client' && (use === 'required' || isLimiting(by.ceilings)),
    arguments: by.is === 'user' ? [...extraFlags, ...extra] : extraFlags,
    droverHome: sandbox.droverHome,
    hidden: [...sandbox.hidden, ...blockedBelow(rootsOf({ ...place, workdir: worktree.root }), workdirs)],
    caches: settings.sandbox.caches,
    settings: toSandboxSettings(settings.sandbox, sandboxAdditions),
  }
  return { boundary }
}

/** The worktree, or what of it the caller may work in. That has no repository: git would show, and change, the rest. */
function findAllowed(workdir: string, { env, workdirs }: PromptContext): WorktreeDirectories {
  const found = findWorktree(workdir, userHome(env))
  const root = widestAllowed(workdir, found.root, workdirs)
  return root === found.root ? found : { root }
}

function findPrograms({ sandbox, env, cwd }: PromptContext): SandboxPrograms | Fault {
  try {
    return findSandboxPrograms({ env, cwd }, sandbox.forwarder)
  } catch (error) {
    if (isFault(error, sandboxUnavailable)) return error
    throw error
  }
}

/** A warning about repositories that the agent could change; none if there are none. Throws a Fault if that must not be. */
export function describeGap(request: AgentRequest): string[] {
  const { boundary } = request
  if (boundary?.repositories.gap === undefined || isReadOnly(request)) return []
  if (boundary.needsAllRepositories) refuseGap(boundary.repositories)
  return [`the sandbox may not protect all repositories below the working directory: ${boundary.repositories.gap}`]
}

/** What an agent inside of a boundary reached and was refused, during one prompt. */
export class BoundaryWatch {
  readonly #counts = new BoundaryCounts()
  #news: AgentEvent[] = []

  readonly add = (event: BoundaryEvent): void => {
    if (!this.#counts.add(event) || event.is === 'failed') return
    if (event.is === 'exceeded') {
      this.#news.push({ type: 'boundary', content: { is: event.is, limit: event.fault.details.exceeded } })
      return
    }
    const host = `${event.host}:${event.port}`
    const content = event.is === 'refused' ? { is: event.is, host, reason: event.reason } : { is: event.is, host }
    this.#news.push({ type: 'boundary', content })
  }

  /** What a tool printed may name paths that it could not write. */
  note(event: AgentEvent): void {
    if (event.type !== 'tool_result') return
    const { output = '', error_message: error = '' } = event.content
    for (const path of this.#counts.addPrinted(`${output}\n${error}`))
      this.#news.push({ type: 'boundary', content: { is: 'unwritable', path } })
  }

  /** What was reached or refused for the first time since the last call. */
  takeNews(): readonly AgentEvent[] {
    const news = this.#news
    this.#news = []
    return news
  }

  report(): BoundaryReport {
    return { enforced_by: 'bubblewrap', ...this.#counts.report() }
  }
}
