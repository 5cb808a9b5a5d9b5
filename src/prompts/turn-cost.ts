/** What a turn has used and cost. */
import type { AgentRequest, Usage } from '../agents/adapter/agent.ts'
import type { AgentResult } from '../agents/agent-result.ts'
import { chooseModel } from './apply-settings.ts'
import { type Billing, type Cost, decideCost } from './decide-cost.ts'
import type { PromptContext } from './prompt-context.ts'
import { countTokens } from './tokens.ts'

type Settings = Pick<PromptContext, 'settings' | 'locate'>

export function billingOf({ backend, agent }: Pick<AgentRequest, 'backend' | 'agent'>, context: Settings): Billing {
  const { settings, locate } = context
  return {
    prices: settings.prices,
    isPlan: settings.backends[backend]?.plan ?? false,
    isDemo: locate(backend)?.isDemo ?? false,
    agent,
  }
}

/** The model of a prompt that asks for `asked`, as far as it is known before the agent starts. */
export function modelBefore(
  { backend, agent }: Pick<AgentRequest, 'backend' | 'agent'>,
  asked: string | undefined,
  { settings, env }: Pick<PromptContext, 'env'> & { settings: Pick<PromptContext['settings'], 'backends'> },
): string | undefined {
  const own = settings.backends[backend]
  if (own === undefined) return asked
  return chooseModel(asked, own) ?? agent.configuredModel?.({ extra: own.extra_flags, env })
}

type Turn = { readonly request: AgentRequest; readonly context: Settings; readonly seen: Usage | undefined }

export function costOfTurn<R extends AgentResult>(ended: R, { request, context, seen }: Turn): R & { cost: Cost } {
  const usage = usageOf(ended, seen, request.backend)
  const cost = decideCost({ usage, model: ended.model, reportedUsd: ended.costUsd }, billingOf(request, context))
  return { ...ended, usage, cost }
}

/** A turn that was ended has no counts at its end, or they miss its last request: then those that were seen count. */
function usageOf({ usage, error }: AgentResult, seen: Usage | undefined, backend: string): Usage {
  if (seen === undefined || error === undefined) return usage
  return countTokens(seen, backend) > countTokens(usage, backend) ? seen : usage
}
