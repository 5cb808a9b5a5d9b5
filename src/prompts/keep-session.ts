/** The session of a prompt, from its first event to its last. */
import type { AgentEvent, Usage } from '../agents/agent.ts'
import type { AgentResult } from '../agents/settle-result.ts'
import { NO_USAGE } from '../agents/usage.ts'
import { Fault } from '../kit/fault.ts'
import { sessionExpired } from '../sessions/faults.ts'
import type { NewSession, SessionStore, TurnEnd } from '../sessions/session-store.ts'
import { policyOf } from './continue-session.ts'
import type { PreparedPrompt, PromptTask } from './prepare-prompt.ts'
import type { PromptContext } from './prompt-context.ts'

export type KeptSession = {
  /** Empty when nothing is kept. */
  id: string
  /** What earlier turns have used, for agents that count whole sessions. */
  priorUsage?: Usage | undefined
  /** Notes what the agent said of itself. */
  learn(event: AgentEvent): Promise<void>
  /** Ends the turn; gives the warnings that belong into the result. */
  settle(end: TurnEnd): Promise<string[]>
  isSettled(): boolean
}

const NOT_KEPT: KeptSession = {
  id: '',
  learn: async () => undefined,
  settle: async () => [],
  isSettled: () => true,
}

export async function keepSession(
  task: PromptTask,
  prepared: PreparedPrompt,
  context: PromptContext,
): Promise<KeptSession> {
  if (prepared.order.request.isEphemeral) return NOT_KEPT
  const { observer } = context
  const store = await context.openStore()
  const { id, priorUsage } = await open(store, { task, prepared, context })
  const warn = (error: unknown) => {
    if (!(error instanceof Fault)) throw error
    observer?.sessionFailed?.(error)
    return [`the session could not be saved: ${error.message}`]
  }
  let isSettled = false
  return {
    id,
    priorUsage,
    isSettled: () => isSettled,
    async learn(event) {
      if (event.type !== 'init') return
      const { backend_session_id: backendSessionId, model } = event.content
      const fact = {
        ...(backendSessionId !== undefined && { backendSessionId }),
        ...(model !== undefined && { model }),
      }
      // What cannot be noted now is noted at the end.
      await store.recordAgentSession(id, fact).catch(warn)
    },
    async settle(end) {
      isSettled = true
      return await store.finishTurn(id, end).then(() => [], warn)
    },
  }
}

async function open(
  store: SessionStore,
  { task, prepared, context }: { task: PromptTask; prepared: PreparedPrompt; context: PromptContext },
): Promise<{ id: string; priorUsage: Usage | undefined }> {
  const { observer, settings, caller } = context
  if (task.resumes !== undefined) {
    const { session, threadUsage } = await store.reopen(task.resumes.id)
    const { metadata } = task.request
    if (metadata !== undefined) await store.edit(session.id, { metadata })
    return { id: session.id, priorUsage: threadUsage }
  }
  const tags = [...settings.session.default_tags, ...(caller === 'client' ? ['api'] : [])]
  const { id } = await store.create(newSession(task, prepared, tags))
  observer?.sessionCreated?.(prepared.backend)
  return { id, priorUsage: undefined }
}

function newSession({ request, forks }: PromptTask, { backend, order }: PreparedPrompt, tags: string[]): NewSession {
  const { workdir, model, systemPrompt } = order.request
  return {
    backend,
    working_dir: workdir,
    initial_prompt: request.prompt,
    tags: [...new Set([...(forks?.tags ?? []), ...tags])],
    metadata: request.metadata ?? forks?.metadata ?? {},
    policy: policyOf(order.request),
    ...(model !== undefined && { model }),
    ...(systemPrompt !== undefined && { system_prompt: systemPrompt }),
    ...(forks !== undefined && { parent_id: forks.id }),
  }
}

/** How a turn ended, as the session sees it. */
export function turnEndOf(result: AgentResult): TurnEnd {
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

/** For a turn whose agent could not be started, or of which nobody waited for the end. */
export function brokenOff(outcome: 'error' | 'interrupted', errorMessage: string): TurnEnd {
  return { outcome, errorMessage, usage: NO_USAGE }
}
