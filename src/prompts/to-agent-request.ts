/** Turns a caller's request into the request for an agent: applies settings, resolves directory, program and limits. */
import { type AgentRequest, BACKENDS, type Backend, type Program } from '../agents/adapter/agent.ts'
import { withoutModeFlags } from '../agents/extra-flags.ts'
import { requireProgram } from '../agents/locate-agents.ts'
import { AGENTS } from '../agents/registry.ts'
import { newScratchDirectory } from '../agents/scratch-files.ts'
import { checkMetadata } from '../sessions/session-rules.ts'
import { applySettings, type Settings } from './apply-settings.ts'
import { checkPermissions } from './check-permissions.ts'
import {
  checkResumption,
  checkSameAgent,
  extraOfCaller,
  inheritSystemPrompt,
  settingsOfSession,
} from './continue-session.ts'
import { backendNotFound } from './faults.ts'
import type { PromptContext } from './prompt-context.ts'
import type { PromptRequest } from './prompt-request.ts'
import { resolveWorkdir, resolveWorkdirCached } from './workdir-policy.ts'

/** Throws a Fault for a request that cannot be run. */
export function toAgentRequest(request: PromptRequest, context: PromptContext): AgentRequest {
  const backend = knownBackend(request.backend)
  const agent = AGENTS[backend]
  const { resumes, forks, history } = request
  const origin = resumes ?? forks
  if (resumes !== undefined) {
    checkResumption(resumes, request)
    checkSameAgent(resumes, context.locate(backend))
  }
  if (forks !== undefined && history !== undefined) checkSameAgent(forks, context.locate(backend))
  const ofSameAgent = origin?.backend === backend ? origin : undefined
  const extra = request.extra ?? (ofSameAgent && extraOfCaller(ofSameAgent, context.settings.backends[backend])) ?? []
  checkPermissions({ ...request, extra }, context)
  checkMetadata(request.metadata ?? {})
  const now = settingsFor(backend, context)
  const settings = origin === undefined ? now : settingsOfSession(origin, request, now)
  const filledIn = applySettings(inheritSystemPrompt(request, agent), settings)
  const isDryRun = request.dry_run === true || context.settings.unified_flags.dry_run
  return {
    backend,
    workdir: workdirOf(request.workdir ?? origin?.working_dir ?? context.cwd, context),
    ...filledIn,
    ...(history !== undefined && { prompt: history.text + request.prompt }),
    extra: context.ceilings === undefined ? filledIn.extra : withoutModeFlags(filledIn.extra, agent).kept,
    // The beginning of an answer is only seen if the agent prints it in pieces.
    ...(hasFirstEventLimit(context) && { wantsDeltas: true }),
    program: programFor(backend, context, isDryRun),
    shownAs: context.caller === 'client' ? agent.executable : undefined,
    env: context.env,
    trace: context.trace,
    isRoot: context.isRoot,
    timeoutMs: timeoutOf(request, context),
    firstEventTimeoutMs: context.firstEventTimeoutMs,
    isDryRun,
    scratchDirectory: newScratchDirectory(),
  }
}

/** Today's settings for a backend, and the ceilings of the caller. */
export function settingsFor(backend: Backend, { settings, ceilings }: PromptContext): Settings {
  return { own: settings.backends[backend], shared: settings.unified_flags, ceilings }
}

function hasFirstEventLimit({ firstEventTimeoutMs = null }: PromptContext): boolean {
  return firstEventTimeoutMs !== null
}

function knownBackend(name: string): Backend {
  const backend = BACKENDS.find((known) => known === name)
  if (backend === undefined) throw backendNotFound({ backend: name })
  return backend
}

function workdirOf(workdir: string, { workdirs: policy }: PromptContext): string {
  return policy === undefined ? resolveWorkdir(workdir, policy) : resolveWorkdirCached(workdir, policy)
}

/** The operator may try a dry run before the agent is installed. */
function programFor(backend: Backend, context: PromptContext, isDryRun: boolean): Program {
  const located = context.locate(backend)
  const isOnlyShown = isDryRun && context.caller === 'operator' && located.isEnabled && located.program === undefined
  // A client must not learn which command the operator configured.
  const wanted = context.caller === 'client' ? AGENTS[backend].executable : located.wanted
  return isOnlyShown ? [located.wanted] : requireProgram(located, wanted)
}

function timeoutOf({ timeout_secs: asked }: PromptRequest, { settings, longestRunMs }: PromptContext): number | null {
  const seconds = asked ?? settings.unified_flags.command_timeout_secs
  const wanted = seconds === 0 ? null : seconds * 1000
  if (wanted === null || longestRunMs === null) return wanted ?? longestRunMs
  return Math.min(wanted, longestRunMs)
}
