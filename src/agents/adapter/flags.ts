/** Parts of a command that are made in the same way for every agent. Pure. */
import type { AgentRequest, Backend } from './agent.ts'

/** A flag with its value. A value that starts with `-` would be read as a flag, unless the two are one argument. */
export function flag(name: string, value: string | undefined): string[] {
  if (value === undefined) return []
  return value.startsWith('-') ? [`${name}=${value}`] : [name, value]
}

/** For agents that have no place of its own for a system prompt. */
export function withSystemPrompt({ prompt, systemPrompt }: AgentRequest): string {
  return hasText(systemPrompt) ? `<system>\n${systemPrompt}\n</system>\n\n${prompt}` : prompt
}

export function hasText(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== ''
}

/** A list that lists everything is none. */
export function toolList({ allowedTools }: AgentRequest): string[] {
  return hasText(allowedTools) && allowedTools.trim() !== 'all' ? [allowedTools.trim()] : []
}

type Missing = { maxTurns?: boolean; verbose?: boolean }

/** What was asked for and the agent has no means for. */
export function warnOfMissing(backend: Backend, request: AgentRequest, missing: Missing): string[] {
  const asked = [
    missing.maxTurns && request.maxTurns !== undefined && `max_turns: ${backend} cannot be given a limit of turns`,
    missing.verbose && request.isVerbose && `verbose: ${backend} has no such mode`,
    toolList(request).length > 0 && `allowed_tools: ${backend} has no such list`,
  ]
  return asked.filter((warning) => typeof warning === 'string')
}
