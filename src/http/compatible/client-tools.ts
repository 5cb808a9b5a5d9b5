/**
 * Agents use their own tools. A client that offers its own tools is refused, because it would wait for calls that never
 * come. Programs that always offer tools can be served with `server.client_tools: ignore`. Pure.
 */

import type { WireMessage } from '../../prompts/chat-messages.ts'
import { unsupportedFeature } from '../../prompts/faults.ts'

/** The setting `server.client_tools`. */
export type ClientTools = 'refuse' | 'ignore'

const ADVICE = 'agents use their own tools; send none, or ask the operator for server.client_tools: ignore'

/** `offered` has the lists of tools by the name of their field. Returns the names of those that are ignored. */
export function ignoreTools(
  offered: Readonly<Record<string, readonly unknown[] | null | undefined>>,
  clientTools: ClientTools,
): string[] {
  const places = Object.keys(offered).filter((place) => (offered[place] ?? []).length > 0)
  const [place] = places
  if (place !== undefined && clientTools === 'refuse')
    throw unsupportedFeature({ place, feature: 'tools', advice: ADVICE })
  return places
}

const TOOL_ROLES = ['tool', 'function']
/** `tool_use`, `server_tool_use`, `web_search_tool_result`, `redacted_thinking`, and the like. */
const TOOL_PART = /(?:^|_)(?:tool_use|tool_result|thinking)$/

/** What the client's tools were asked and have answered. The places are those in the request. */
export function ignoreToolCalls(
  messages: readonly WireMessage[],
  clientTools: ClientTools,
): { messages: readonly WireMessage[]; ignored: string[] } {
  if (clientTools === 'refuse') return { messages, ignored: [] }
  const ignored = new Set<string>()
  const kept = messages.map((message, at): WireMessage => {
    const { role, content, tool_calls: calls, ...rest } = message
    const place = `messages[${at}]`
    if (TOOL_ROLES.includes(role)) {
      ignored.add('tool results')
      return { ...rest, place, role: 'user', content: '' }
    }
    if (Array.isArray(calls) && calls.length > 0) ignored.add('tool calls')
    if (!Array.isArray(content)) return { ...rest, place, role, content: content ?? '' }
    const parts = content.filter(({ type }) => !TOOL_PART.test(type))
    for (const { type } of content) if (TOOL_PART.test(type)) ignored.add(type)
    return { ...rest, place, role, content: parts }
  })
  return { messages: kept, ignored: [...ignored] }
}
