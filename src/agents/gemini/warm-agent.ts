/** A gemini process that stays up. It speaks ACP then. */

import { randomIds } from '../../kit/ids.ts'
import { startConnected } from '../acp/run-acp-agent.ts'
import type { AcpProfile } from '../adapter/acp-profile.ts'
import type { AgentRequest } from '../adapter/agent.ts'
import { stricterPermission } from '../adapter/permission.ts'
import type { Launch, LongLivedAgent } from '../warm/long-lived-agent.ts'
import { toGeminiAcpCommand } from './command.ts'
import { countStoredTokens, deleteStoredSession } from './stored-session.ts'

const GEMINI_PROFILE: AcpProfile = {
  modes: { 'read-only': 'plan', ask: 'default', edit: 'autoEdit', everything: 'yolo' },
  asks: 'always',
  usage: 'meta',
  hasNoInput: true,
  login: 'gemini',
}

/** The session is stored as without the protocol, so that a separate process can continue it. */
const STORE = { remove: deleteStoredSession, count: countStoredTokens }

export async function startGemini(launch: Launch): Promise<LongLivedAgent> {
  const { request, scratchDirectory } = launch
  const sessionId = randomIds.uuid()
  const command = toGeminiAcpCommand({ ...request, scratchDirectory }, sessionId)
  const { env } = command
  const profile = request.ignoresProject ? { ...GEMINI_PROFILE, modes: {} } : GEMINI_PROFILE
  const options = { backend: 'gemini', profile, env, store: STORE }
  const agent = await startConnected(launch, { ...command, cancelSignal: 'SIGTERM' }, options)
  // Gemini begins a session when it starts, which no prompt ever gets.
  await deleteStoredSession(sessionId, request).catch(() => false)
  return agent
}

/**
 * What is fixed for the life of a process. A read-only prompt needs a separate process: over the protocol, gemini does
 * not report a tool call that its policy denies. So does one that begins with a slash, which gemini would run as a command, and
 * one with attachments, which gemini reads from files, or with additional directories, which it gets when it starts.
 */
export function geminiParts(request: AgentRequest): readonly string[] | undefined {
  const permission = stricterPermission(request) ?? 'ask'
  const isCommand = request.prompt.trimStart().startsWith('/')
  if ((request.attachments ?? []).length > 0 || (request.additionalDirectories ?? []).length > 0) return undefined
  if (request.extra.length > 0 || request.isVerbose || permission === 'read-only' || isCommand) return undefined
  // A process that ignores the project has got its instructions when it started.
  const { model = '', surroundings, allowedCommands = [] } = request
  return [permission, model, surroundings?.instructions ?? '', ...allowedCommands]
}
