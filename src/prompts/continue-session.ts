/** What a resumed session goes on with: its own policy instead of today's settings, unless the request says otherwise. Pure. */
import type { Agent, AgentRequest } from '../agents/adapter/agent.ts'
import { sessionNotResumable } from '../sessions/faults.ts'
import type { Session, SessionPolicy } from '../sessions/session.shape.ts'
import type { AgentSettings, Settings } from './apply-settings.ts'
import { resumeInvalid } from './faults.ts'
import type { PromptRequest } from './prompt-request.ts'

/** The settings under which the session was started, in place of those that hold now. */
export function settingsOfSession({ policy }: Session, asked: PromptRequest, now: Settings): Settings {
  return {
    own: {
      ...now.own,
      model: policy.model ?? '',
      approval_mode: '',
      sandbox_mode: '',
      allowed_tools: policy.allowed_tools ?? '',
      system_prompt: '',
      extra_flags: asked.extra === undefined ? policy.extra : now.own.extra_flags,
    },
    shared: { ...now.shared, approval_mode: policy.approval_mode, sandbox_mode: policy.sandbox_mode },
  }
}

/** What a session has of its caller, to be judged anew: all but what the operator adds to every call anyway. */
export function extraOfCaller(
  { policy }: Session,
  { extra_flags: own }: Pick<AgentSettings, 'extra_flags'>,
): readonly string[] {
  const start = policy.extra.length - own.length
  const endsInOwn = start >= 0 && own.every((flag, at) => policy.extra[start + at] === flag)
  return endsInOwn ? policy.extra.slice(0, start) : policy.extra
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

/** Refuses what a session that exists cannot have. */
export function checkResumption(session: Session, asked: PromptRequest): void {
  if (session.backend_session_id === undefined) throw sessionNotResumable(session)
  if (asked.ephemeral === true) {
    throw resumeInvalid({ problem: 'a session cannot be resumed as an ephemeral one; leave ephemeral out' })
  }
  if (asked.workdir !== undefined && asked.workdir !== session.working_dir) {
    throw resumeInvalid({
      problem: `the session belongs to ${session.working_dir} and cannot go on in ${asked.workdir}; leave the working directory out`,
    })
  }
}

type PolicyParts = Pick<AgentRequest, 'approvalMode' | 'sandboxMode' | 'allowedTools' | 'extra' | 'model'>

export function policyOf({ approvalMode, sandboxMode, allowedTools, extra, model }: PolicyParts): SessionPolicy {
  return {
    approval_mode: approvalMode,
    sandbox_mode: sandboxMode,
    ...(model !== undefined && { model }),
    ...(allowedTools !== undefined && { allowed_tools: allowedTools }),
    extra,
  }
}

type Policies = {
  /** Of the session that is resumed or forked. */
  stored: SessionPolicy
  /** Of this turn. */
  actual: SessionPolicy
  /** Of a new session that asked for the same. */
  today: SessionPolicy
}

const POLICY_FIELDS = ['approval_mode', 'sandbox_mode', 'model', 'allowed_tools', 'extra'] as const

/** One sentence for each way in which a session goes on otherwise than it began, or than the settings now say. */
export function describePolicyChanges({ stored, actual, today }: Policies): string[] {
  return POLICY_FIELDS.flatMap((name) => {
    const [began, is, now] = [stored, actual, today].map((policy) => describeValue(policy[name]))
    if (is !== began) return [`${name} is ${is} for this turn; the session was started with ${began}`]
    if (now !== began) return [`${name} is ${began}, as the session was started; the settings now say ${now}`]
    return []
  })
}

function describeValue(value: string | readonly string[] | undefined): string {
  if (value === undefined || value.length === 0) return 'none given'
  return typeof value === 'string' ? value : value.join(' ')
}
