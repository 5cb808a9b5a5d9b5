/** What is really asked of an agent: the request, then the agent's own settings, then those for all agents. Pure. */
import type { AgentRequest, ApprovalMode, SandboxMode } from '../agents/agent.ts'

/** What a caller may say; what is left out falls to the settings. */
export type PromptOptions = {
  prompt: string
  workdir: string
  model?: string | undefined
  approvalMode?: ApprovalMode | undefined
  sandboxMode?: SandboxMode | undefined
  maxTurns?: number | undefined
  systemPrompt?: string | undefined
  isVerbose?: boolean | undefined
  isEphemeral?: boolean | undefined
  wantsDeltas: boolean
  extra?: readonly string[] | undefined
  resumeId?: string | undefined
}

/** The section of one backend in the config, where an empty text leaves the matter open. */
export type AgentSettings = {
  model: string
  model_aliases: Readonly<Record<string, string>>
  approval_mode: ApprovalMode | ''
  sandbox_mode: SandboxMode | ''
  system_prompt: string
  allowed_tools: string
  extra_flags: readonly string[]
}

export type SharedSettings = {
  approval_mode: ApprovalMode
  sandbox_mode: SandboxMode
  verbose: boolean
  max_turns: number
}

export function toAgentRequest(options: PromptOptions, own: AgentSettings, shared: SharedSettings): AgentRequest {
  const model = options.model ?? (own.model || undefined)
  const maxTurns = options.maxTurns ?? (shared.max_turns > 0 ? shared.max_turns : undefined)
  const systemPrompt = options.systemPrompt ?? (own.system_prompt || undefined)
  return {
    prompt: options.prompt,
    workdir: options.workdir,
    approvalMode: chosen([options.approvalMode, own.approval_mode, shared.approval_mode]),
    sandboxMode: chosen([options.sandboxMode, own.sandbox_mode, shared.sandbox_mode]),
    isVerbose: options.isVerbose ?? shared.verbose,
    isEphemeral: options.isEphemeral ?? false,
    wantsDeltas: options.wantsDeltas,
    extra: [...(options.extra ?? []), ...own.extra_flags],
    ...(model !== undefined && { model: aliasOf(model, own.model_aliases) }),
    ...(maxTurns !== undefined && { maxTurns }),
    ...(systemPrompt !== undefined && { systemPrompt }),
    ...(own.allowed_tools !== '' && { allowedTools: own.allowed_tools }),
    ...(options.resumeId !== undefined && { resumeId: options.resumeId }),
  }
}

/** The first that says something; `default` and nothing leave it to the next. */
function chosen<Mode extends string>(modes: readonly (Mode | 'default' | '' | undefined)[]): Mode | 'default' {
  return modes.find((mode): mode is Mode => mode !== undefined && mode !== '' && mode !== 'default') ?? 'default'
}

/** Own entries only: a model may be called `constructor`. */
function aliasOf(model: string, aliases: Readonly<Record<string, string>>): string {
  return Object.hasOwn(aliases, model) ? (aliases[model] ?? model) : model
}
