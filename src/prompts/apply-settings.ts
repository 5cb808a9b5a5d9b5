/** Fills in what a request leaves open: first from the agent's own settings, then from those for all agents. Pure. */
import type { AgentRequest, ApprovalMode, SandboxMode } from '../agents/adapter/agent.ts'
import { type Ceilings, isLimiting, lowerModes } from './ceilings.ts'
import type { PromptRequest } from './prompt-request.ts'

/** The section of one backend in the config; an empty text means that the shared setting applies. */
export type AgentSettings = {
  model: string
  model_aliases: Readonly<Record<string, string>>
  approval_mode: ApprovalMode | ''
  sandbox_mode: SandboxMode | ''
  system_prompt: string
  allowed_tools: string
  extra_flags: readonly string[]
  /** -1: the shared setting applies. */
  silence_secs: number
}

export type SharedSettings = {
  approval_mode: ApprovalMode
  sandbox_mode: SandboxMode
  verbose: boolean
  max_turns: number
  /** 0: no limit. -1: the agent's own. */
  silence_secs: number
}

export type Settings = {
  own: AgentSettings
  shared: SharedSettings
  /** Undefined: the caller may use every mode. */
  ceilings?: Ceilings | undefined
}

/** The part of an agent's request that settings decide; the rest depends on the machine. */
type FilledIn = Omit<
  AgentRequest,
  | 'agent'
  | 'backend'
  | 'workdir'
  | 'ignoresProject'
  | 'isLimited'
  | 'knownGitSettings'
  | 'closedFiles'
  | 'surroundings'
  | 'program'
  | 'shownAs'
  | 'env'
  | 'trace'
  | 'isRoot'
  | 'boundary'
  | 'missingBoundary'
  | 'timeoutMs'
  | 'silenceMs'
  | 'isDryRun'
  | 'scratchDirectory'
>

export function applySettings(request: PromptRequest, { own, shared, ceilings }: Settings): FilledIn {
  const maxTurns = request.max_turns ?? (shared.max_turns > 0 ? shared.max_turns : undefined)
  const systemPrompt = request.system_prompt ?? (own.system_prompt || undefined)
  const modes = {
    approvalMode: firstChoice([request.approval_mode, own.approval_mode, shared.approval_mode]),
    sandboxMode: firstChoice([request.sandbox_mode, own.sandbox_mode, shared.sandbox_mode]),
  }
  return {
    prompt: request.prompt,
    ...(ceilings === undefined ? modes : lowerModes(modes, ceilings)),
    // A request cannot turn off the operator's `verbose: true`.
    isVerbose: request.verbose === true || shared.verbose,
    isEphemeral: request.ephemeral ?? false,
    wantsDeltas: request.wantsDeltas ?? false,
    extra: [...(request.extra ?? []), ...own.extra_flags],
    model: chooseModel(request.model, own),
    maxTurns,
    systemPrompt,
    outputSchema: request.output_schema,
    withoutTools: request.agent_tools === 'none' || ceilings?.tools !== undefined,
    // The agent may use them without asking, whatever its modes.
    allowedTools: isLimiting(ceilings) ? undefined : own.allowed_tools || undefined,
    resumeId: request.resumes?.backend_session_id,
  }
}

/** How long the agent may print nothing; null: for ever. */
export function silenceLimit(settings: Settings, agent: Pick<AgentRequest['agent'], 'silenceMs'>): number | null {
  const { own, shared } = settings
  const seconds = own.silence_secs >= 0 ? own.silence_secs : shared.silence_secs
  if (seconds < 0) return agent.silenceMs
  return seconds === 0 ? null : seconds * 1000
}

/** `default` and an empty text pass the choice to the next. */
function firstChoice<Mode extends string>(modes: readonly (Mode | 'default' | '' | undefined)[]): Mode | 'default' {
  return modes.find((mode): mode is Mode => mode !== undefined && mode !== '' && mode !== 'default') ?? 'default'
}

/** `asked`: the model of the request. */
export function chooseModel(
  asked: string | undefined,
  { model: own, model_aliases: aliases }: Pick<AgentSettings, 'model' | 'model_aliases'>,
): string | undefined {
  const model = asked ?? (own || undefined)
  // Own entries only: a model may be called `constructor`.
  return model !== undefined && Object.hasOwn(aliases, model) ? aliases[model] : model
}
