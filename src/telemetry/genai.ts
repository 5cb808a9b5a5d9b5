/** The attributes of the GenAI conventions of OpenTelemetry. Pure. */
import type { Usage } from '../agents/adapter/agent.ts'
import { isNothing } from '../agents/adapter/token-usage.ts'
import type { Attributes } from './telemetry.ts'

/** The providers that the conventions name. For other agents it is the name of the agent. */
const PROVIDERS: Readonly<Record<string, string>> = {
  claude: 'anthropic',
  codex: 'openai',
  gemini: 'gcp.gemini',
  grok: 'x_ai',
  kimi: 'moonshot_ai',
  vibe: 'mistral_ai',
}

type Called = { readonly backend: string; readonly model?: string | undefined }

export function providerOf(backend: string): string {
  const known = PROVIDERS[backend.replace(/-acp$/, '')]
  return known ?? backend
}

export function agentAttributes(called: Called): Attributes {
  return { ...callAttributes(called), 'gen_ai.agent.name': called.backend }
}

/** What tokens and costs are counted by. */
export function callAttributes({ backend, model }: Called): Attributes {
  return {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.provider.name': providerOf(backend),
    'gen_ai.request.model': model,
  }
}

/** The name of a tool is a label of a metric, so its length is limited. */
export function toolAttributes({ backend, tool }: { readonly backend: string; readonly tool: string }): Attributes {
  return {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.provider.name': providerOf(backend),
    'gen_ai.agent.name': backend,
    'gen_ai.tool.name': tool.slice(0, 100),
  }
}

export function workflowAttributes(): Attributes {
  return {
    'gen_ai.operation.name': 'invoke_workflow',
    'gen_ai.provider.name': 'drover',
    'gen_ai.workflow.name': 'drive',
  }
}

/** The conventions count cached tokens as input, and thinking as output. Undefined if the agent reported nothing. */
export function billedTokens(usage: Usage, countsApart: { readonly cache: boolean; readonly reasoning: boolean }) {
  if (isNothing(usage)) return undefined
  const {
    input_tokens,
    output_tokens,
    cached_tokens: cached,
    reasoning_tokens,
    cache_write_tokens: written = 0,
  } = usage
  const input = input_tokens + (countsApart.cache ? cached + written : 0)
  const output = output_tokens + (countsApart.reasoning ? reasoning_tokens : 0)
  const attributes: Attributes = {
    'gen_ai.usage.input_tokens': input,
    'gen_ai.usage.output_tokens': output,
    'gen_ai.usage.cache_read.input_tokens': cached,
    'gen_ai.usage.cache_creation.input_tokens': written,
  }
  return { attributes, counts: [['input', input] as const, ['output', output] as const] }
}

/** A code of drover. Everything else could have any number of values. */
export function errorTypeOf(code: string | undefined, message: string | undefined): string | undefined {
  if (code === undefined) return message === undefined ? undefined : '_OTHER'
  return /^[a-z][a-z0-9_-]{0,60}$/.test(code) ? code : '_OTHER'
}

export function messagesOf(role: 'user' | 'assistant', content: string): string {
  return JSON.stringify([{ role, parts: [{ type: 'text', content }] }])
}
