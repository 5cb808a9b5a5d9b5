/** Parts of a command that all agents build in the same way. Pure. */
import type { AgentRequest, Backend } from './agent.ts'

/** A flag with its value. A value that starts with `-` is joined to its flag, so that it is not read as another flag. */
export function flag(name: string, value: string | undefined): string[] {
  if (value === undefined) return []
  return value.startsWith('-') ? [`${name}=${value}`] : [name, value]
}

/** For agents that cannot be given a system prompt separately. */
export function withSystemPrompt({ prompt, systemPrompt }: AgentRequest): string {
  return hasText(systemPrompt) ? `<system>\n${systemPrompt}\n</system>\n\n${prompt}` : prompt
}

export function hasText(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== ''
}

/** Empty when all tools are allowed. */
export function toolList({ allowedTools }: AgentRequest): string[] {
  return hasText(allowedTools) && allowedTools.trim() !== 'all' ? [allowedTools.trim()] : []
}

type Missing = { maxTurns?: boolean; verbose?: boolean }

/** Warns about options that the agent does not have. */
export function warnOfMissing(backend: Backend, request: AgentRequest, missing: Missing): string[] {
  const asked = [
    missing.maxTurns && request.maxTurns !== undefined && `max_turns is ignored: ${backend} has no flag for it`,
    missing.verbose && request.isVerbose && `verbose is ignored: ${backend} has no flag for it`,
    toolList(request).length > 0 && `allowed_tools is ignored: ${backend} has no flag for it`,
  ]
  return asked.filter((warning) => typeof warning === 'string')
}

/** Rows of a table that says what each flag takes. */
export function takes<const T>(what: T, ...flags: readonly string[]): Record<string, T> {
  return Object.fromEntries(flags.map((name) => [name, what]))
}
