/** What a resumed session goes on with: its own policy instead of today's settings, unless the request says otherwise. Pure. */
import type { Agent, AgentRequest } from '../agents/agent.ts'
import { sessionNotResumable } from '../sessions/faults.ts'
import type { Session, SessionPolicy } from '../sessions/session.ts'
import { resumeInvalid } from './faults.ts'
import type { PromptRequest } from './prompt-request.shape.ts'
import type { AgentSettings, SharedSettings } from './to-agent-request.ts'

type Settings = { own: AgentSettings; shared: SharedSettings }

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

/** An agent that gets it in front of the prompt has read it already. */
export function systemPromptOf(session: Session, agent: Agent): string | undefined {
  return agent.abilities.system_prompt === 'flag' ? session.system_prompt : undefined
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

export function policyOf({ approvalMode, sandboxMode, allowedTools, extra, model }: AgentRequest): SessionPolicy {
  return {
    approval_mode: approvalMode,
    sandbox_mode: sandboxMode,
    ...(model !== undefined && { model }),
    ...(allowedTools !== undefined && { allowed_tools: allowedTools }),
    extra,
  }
}

/** One sentence for each way in which this turn is allowed something else than the session was. */
export function sayPolicyChanges(before: SessionPolicy, after: SessionPolicy): string[] {
  return (['approval_mode', 'sandbox_mode', 'allowed_tools', 'extra'] as const)
    .map((name) => ({ name, was: sayValue(before[name]), is: sayValue(after[name]) }))
    .filter(({ was, is }) => was !== is)
    .map(({ name, was, is }) => `${name} is ${is} for this turn; the session was started with ${was}`)
}

function sayValue(value: string | readonly string[] | undefined): string {
  if (value === undefined || value.length === 0) return 'none given'
  return typeof value === 'string' ? value : value.join(' ')
}
