/** A resumed or forked session keeps its own policy instead of today's settings, unless the request overrides it. Pure. */
import type { Agent, AgentEvent, AgentRequest } from '../agents/adapter/agent.ts'
import type { AgentResult } from '../agents/agent-result.ts'
import type { AgentLocation } from '../agents/locate-agents.ts'
import { sessionExpired, sessionNotResumable, sessionOfOtherAgent } from '../sessions/faults.ts'
import type { Session, SessionPolicy } from '../sessions/session.shape.ts'
import type { AgentSettings, Settings } from './apply-settings.ts'
import { resumeInvalid } from './faults.ts'
import type { PromptRequest } from './prompt-request.ts'

/**
 * Today's settings, with the policy that the session was started with. On another backend only the permissions are kept:
 * models, tools and arguments have other names there.
 */
export function settingsOfSession({ policy, backend }: Session, asked: PromptRequest, now: Settings): Settings {
  const shared = { ...now.shared, approval_mode: policy.approval_mode, sandbox_mode: policy.sandbox_mode }
  const modes = { approval_mode: '', sandbox_mode: '' } as const
  if (backend !== asked.backend) return { ...now, own: { ...now.own, ...modes, system_prompt: '' }, shared }
  return {
    ...now,
    own: {
      ...now.own,
      model: policy.model ?? '',
      ...modes,
      allowed_tools: policy.allowed_tools ?? '',
      system_prompt: '',
      extra_flags: asked.extra === undefined ? policy.extra : now.own.extra_flags,
    },
    shared,
  }
}

/** The extra arguments that the caller gave, to be checked again; the operator adds `extra_flags` to every call. */
export function extraOfCaller(
  { policy }: Session,
  { extra_flags: own }: Pick<AgentSettings, 'extra_flags'>,
): readonly string[] {
  const start = policy.extra.length - own.length
  const endsWithOwn = start >= 0 && own.every((flag, at) => policy.extra[start + at] === flag)
  return endsWithOwn ? policy.extra.slice(0, start) : policy.extra
}

/**
 * A fork gets the system prompt of its session. A resumed session gets it only where the agent takes it as a flag: in
 * front of the prompt, the agent has read it already.
 */
export function inheritSystemPrompt(request: PromptRequest, agent: Agent): PromptRequest {
  const { resumes, forks, system_prompt: asked } = request
  const session = resumes ?? forks
  const isKnownAlready = resumes !== undefined && agent.abilities.system_prompt !== 'flag'
  if (asked !== undefined || session?.system_prompt === undefined || isKnownAlready) return request
  return { ...request, system_prompt: session.system_prompt }
}

/** Throws a Fault for a request that contradicts the session it resumes. */
export function checkResumption(session: Session, asked: PromptRequest): void {
  if (session.backend_session_id === undefined) throw sessionNotResumable(session)
  if (asked.ephemeral === true) {
    throw resumeInvalid({ problem: 'a resumed session cannot be ephemeral; remove ephemeral from the request' })
  }
  if (asked.shared !== undefined) {
    throw resumeInvalid({ problem: 'shared is for a new session; change the session itself instead' })
  }
  if (asked.workdir !== undefined && asked.workdir !== session.working_dir) {
    throw resumeInvalid({
      problem: `the session works in ${session.working_dir}, not in ${asked.workdir}; remove the working directory from the request`,
    })
  }
}

/** Throws a Fault if the demo agent would continue the conversation of a real agent, or the reverse. */
export function checkSameAgent(session: Session, agent: AgentLocation): void {
  const { id, backend: of, is_demo: wasDemo = false } = session
  if (wasDemo === agent.isDemo) return
  const isInstalled = agent.program !== undefined && !agent.isDemo
  throw sessionOfOtherAgent({ id, of, continuedBy: agent.backend, isDemo: wasDemo, isInstalled })
}

type PolicyParts = Pick<
  AgentRequest,
  'approvalMode' | 'sandboxMode' | 'allowedTools' | 'extra' | 'model' | 'boundary' | 'additionalDirectories'
>

export function toSessionPolicy(parts: PolicyParts): SessionPolicy {
  const { approvalMode, sandboxMode, allowedTools, extra, model, boundary, additionalDirectories = [] } = parts
  return {
    approval_mode: approvalMode,
    sandbox_mode: sandboxMode,
    ...(boundary !== undefined && { sandbox: 'required' }),
    ...(model !== undefined && { model }),
    ...(allowedTools !== undefined && { allowed_tools: allowedTools }),
    ...(additionalDirectories.length > 0 && { additional_directories: additionalDirectories }),
    extra,
  }
}

type Policies = {
  /** The policy of the session that is resumed or forked. */
  stored: SessionPolicy
  /** The policy of this turn. */
  actual: SessionPolicy
  /** The policy that a new session would have. */
  today: SessionPolicy
}

const POLICY_FIELDS = ['approval_mode', 'sandbox_mode', 'sandbox', 'model', 'allowed_tools', 'extra'] as const

/** On another backend only the permissions can be compared. */
export function onlyPermissions({ approval_mode, sandbox_mode }: SessionPolicy, others: SessionPolicy): SessionPolicy {
  return { ...others, approval_mode, sandbox_mode }
}

const NONE = 'no value'

/** One sentence for each difference between the policy of the session, of this turn and of today's settings. */
export function describePolicyChanges({ stored, actual, today }: Policies): string[] {
  return POLICY_FIELDS.flatMap((name) => {
    const [before, turn, now] = [stored, actual, today].map((policy) => describeValue(policy[name]))
    if (turn !== before) return [`${name} is ${turn} for this turn; the session was started with ${before}`]
    const setting = now === NONE ? 'have none' : `say ${now}`
    if (now !== before) return [`${name} is ${before}, as when the session was started; the settings now ${setting}`]
    return []
  })
}

function describeValue(value: string | readonly string[] | undefined): string {
  if (value === undefined || value.length === 0) return NONE
  return typeof value === 'string' ? value : value.join(' ')
}

export function explainEvent(event: AgentEvent, request: PromptRequest): AgentEvent {
  return event.type === 'error' ? { type: 'error', content: explainMissingSession(event.content, request) } : event
}

export function explainResult(result: AgentResult, request: PromptRequest): AgentResult {
  return result.error === undefined ? result : { ...result, error: explainMissingSession(result.error, request) }
}

/** The agent may have deleted a session that drover still has: the message then offers a new one. */
function explainMissingSession<T extends { code?: string; message: string }>(error: T, { resumes }: PromptRequest): T {
  if (resumes === undefined || error.code !== 'agent_session_missing') return error
  const { code, message } = sessionExpired(resumes)
  return { ...error, code, message }
}
