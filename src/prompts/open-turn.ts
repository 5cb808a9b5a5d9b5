/** One turn of a session: opened before the agent starts, finished when it has ended. */
import type { AgentCommand, AgentEvent, AgentRequest, Usage } from '../agents/adapter/agent.ts'
import { NO_USAGE } from '../agents/adapter/token-usage.ts'
import type { AgentResult } from '../agents/agent-result.ts'
import { isSessionId } from '../agents/build-command.ts'
import { cleanUpSession } from '../agents/clean-up.ts'
import { Fault } from '../kit/fault.ts'
import { sessionExpired, sessionMachineGone } from '../sessions/faults.ts'
import type { NewSession, SessionStore, TurnEnd } from '../sessions/session-store.ts'
import { ownerKey, visibleKeyId } from './caller.ts'
import { toSessionPolicy } from './continue-session.ts'
import type { PromptContext } from './prompt-context.ts'
import type { PromptRequest } from './prompt-request.ts'

export type OpenTurn = {
  /** Empty when no session is stored. */
  sessionId: string
  /** The usage of earlier turns, for agents that count whole sessions. */
  priorUsage?: Usage | undefined
  /** Stores the agent's own session id and model, which come with its first event. */
  noteEvent(event: AgentEvent): Promise<void>
  /** Stores how the turn ended. Returns warnings for the result. */
  finish(end: TurnEnd): Promise<string[]>
  isFinished(): boolean
}

const NO_SESSION: OpenTurn = {
  sessionId: '',
  noteEvent: async () => undefined,
  finish: async () => [],
  isFinished: () => true,
}

/** A prompt that is checked and can run. */
export type PreparedPrompt = {
  request: PromptRequest
  agentRequest: AgentRequest
  command: AgentCommand
  context: PromptContext
}

/** While the prompt waited, its session may have been deleted, or is no longer shared. Throws a Fault as for a missing one. */
export async function recheckSession({ request, context }: Pick<PreparedPrompt, 'request' | 'context'>): Promise<void> {
  const session = request.resumes ?? request.forks
  if (session === undefined || context.by.is === 'user') return
  const store = await context.openStore()
  await store.seenBy(visibleKeyId(context.by)).find(session.id)
}

/**
 * Creates the session of the prompt, or reopens the one that it resumes. If a new session cannot be stored, the prompt
 * runs without one, with a warning.
 */
export async function openTurn(prompt: PreparedPrompt): Promise<OpenTurn> {
  const { request, agentRequest, context } = prompt
  if (agentRequest.isEphemeral) return NO_SESSION
  const toWarnings = (error: unknown) => {
    if (!(error instanceof Fault)) throw error
    context.observer?.sessionFailed?.(error)
    // The reason may name a file of the server.
    const reason = context.by.is === 'client' ? '; the server log has the reason' : `: ${error.message}`
    return [`the session could not be saved${reason}`]
  }
  try {
    return await openStoredTurn(prompt, toWarnings)
  } catch (error) {
    if (request.resumes !== undefined || !(error instanceof Fault) || error.kind !== 'unavailable') throw error
    const warnings = toWarnings(error)
    return { ...NO_SESSION, finish: async () => warnings }
  }
}

async function openStoredTurn(prompt: PreparedPrompt, toWarnings: (error: unknown) => string[]): Promise<OpenTurn> {
  const store = await prompt.context.openStore()
  const { id, priorUsage, warnings } = await openSession(store, prompt)
  let isFinished = false
  let { resumeId } = prompt.agentRequest
  return {
    sessionId: id,
    priorUsage,
    isFinished: () => isFinished,
    async noteEvent(event) {
      if (event.type !== 'init') return
      const { backend_session_id: backendSessionId, model } = event.content
      resumeId = backendSessionId ?? resumeId
      const facts = {
        ...(backendSessionId !== undefined && { backendSessionId }),
        ...(model !== undefined && { model }),
      }
      // A failure does not matter here: the end of the turn stores the same facts.
      await store.recordAgentSession(id, facts).catch(toWarnings)
    },
    async finish(end) {
      isFinished = true
      await storeSession(id, store, { ...prompt.agentRequest, resumeId }).catch((error: unknown) =>
        prompt.context.observer?.sessionFailed?.(error),
      )
      return [...warnings, ...(await store.finishTurn(id, end).then(() => [], toWarnings))]
    },
  }
}

async function openSession(
  store: SessionStore,
  prompt: PreparedPrompt,
): Promise<{ id: string; priorUsage: Usage | undefined; warnings: string[] }> {
  const { request, agentRequest, context } = prompt
  const { observer, settings, by } = context
  const { resumes, metadata } = request
  if (resumes !== undefined) {
    const { session, threadUsage } = await store.reopen(resumes.id)
    const warnings = await fetchSession(session.id, store, agentRequest).catch(async (error: Error) => {
      await store.finishTurn(session.id, abortedTurn('interrupted', error.message))
      throw error
    })
    if (metadata !== undefined) await store.edit(session.id, { metadata })
    return { id: session.id, priorUsage: threadUsage, warnings }
  }
  const tags = [...settings.session.default_tags, ...(by.is === 'client' ? ['api'] : [])]
  const { id } = await store.create(newSession(prompt, tags))
  observer?.sessionCreated?.(agentRequest.backend)
  return { id, priorUsage: undefined, warnings: [] }
}

function newSession({ request, agentRequest, context }: PreparedPrompt, tags: readonly string[]): NewSession {
  const { backend, workdir, model, systemPrompt } = agentRequest
  const { prompt, metadata, forks, title, shared, newSessionId: id } = request
  const client = ownerKey(context.by)
  return {
    ...(id !== undefined && { id }),
    ...(client !== undefined && { keyId: client.id, api_key: client.name }),
    backend,
    working_dir: workdir,
    initial_prompt: prompt,
    tags: [...new Set([...(forks?.tags ?? []), ...tags])],
    metadata: metadata ?? forks?.metadata ?? {},
    policy: toSessionPolicy(agentRequest),
    ...(model !== undefined && { model }),
    ...(systemPrompt !== undefined && { system_prompt: systemPrompt }),
    ...(context.locate(backend)?.isDemo === true && { is_demo: true as const }),
    ...(title !== undefined && { title }),
    ...(shared === true && { shared }),
    ...(forks !== undefined && { parent_id: forks.id }),
  }
}

/** How a turn ended, as the session stores it. */
export function toTurnEnd(result: AgentResult): TurnEnd {
  const { error, ended, usage, threadUsage, sessionId, model } = result
  const outcome = ended !== 'itself' ? 'interrupted' : error === undefined ? 'completed' : 'error'
  return {
    outcome,
    usage,
    ...(error !== undefined && { errorMessage: error.message }),
    ...(threadUsage !== undefined && { threadUsage }),
    ...(sessionId !== undefined && { backendSessionId: sessionId }),
    ...(model !== undefined && { model }),
    ...(error?.code === sessionExpired.code && { isForgotten: true }),
  }
}

/** The end of a turn without a result: the agent could not be started, or the caller stopped reading events. */
export function abortedTurn(outcome: 'error' | 'interrupted', errorMessage: string): TurnEnd {
  return { outcome, errorMessage, usage: NO_USAGE }
}

/**
 * Brings the file of a session to this machine, if another one had the session. Returns warnings for the result. Throws a Fault if
 * the file is not stored: the agent would start over, or not at all.
 */
async function fetchSession(
  id: string,
  { files }: Pick<SessionStore, 'files'>,
  { agent, resumeId = '', ...request }: AgentRequest,
): Promise<string[]> {
  const moved = await files?.findMoved(id)
  if (files === undefined || moved === undefined) return []
  const { machine, file, missingTurns = 0 } = moved
  if (file === undefined || agent.sessionFile === undefined || !isSessionId(resumeId)) {
    throw sessionMachineGone({ id, machine })
  }
  await agent.sessionFile.write(resumeId, file, request)
  await files.noteHere(id)
  const restored = `the session was on ${machine} and is resumed here, from what is stored of it`
  return [missingTurns > 0 ? `${restored}; its last turn is not in it, because it was interrupted` : restored]
}

/** Stores the file of a session after a turn. If that fails, what is stored of it is known to be older. */
async function storeSession(
  id: string,
  { files }: Pick<SessionStore, 'files'>,
  { agent, resumeId, ...request }: AgentRequest,
): Promise<void> {
  if (files === undefined || agent.sessionFile === undefined || resumeId === undefined) return
  if (isSessionId(resumeId)) await files.save(id, await agent.sessionFile.read(resumeId, request))
}

/** A client may disconnect as soon as it has its answer. */
const NEVER = new AbortController().signal

/**
 * Deletes sessions that an agent stored although its prompt is ephemeral, when the answer is already out. Never throws. A
 * session that could not be deleted is reported.
 */
export async function deleteLeftovers(
  commands: readonly AgentCommand[],
  { agentRequest, context, signal }: Pick<PreparedPrompt, 'agentRequest' | 'context'> & { signal: AbortSignal },
): Promise<void> {
  const { backend, workdir } = agentRequest
  // The demo agent stores nothing.
  if (context.locate(backend)?.isDemo === true) return
  for (const command of commands) {
    // Ctrl-C on the command line ends this too.
    const until = context.by.is === 'user' ? signal : NEVER
    const reason = await cleanUpSession(command, { request: agentRequest, signal: until })
    if (reason === undefined) continue
    const words = [backend, ...command.argv.slice(agentRequest.program.length)].join(' ')
    context.observer?.sessionLeft?.(
      `${backend} stored a session although the prompt is ephemeral, and it could not be deleted (${reason}); run "${words}" in ${workdir}`,
      workdir,
    )
  }
}
