/** Reports one run of an agent, and each of its tool calls, to OpenTelemetry. Loaded only if telemetry is on. */
import type { AgentRequest, TraceContext } from '../agents/adapter/agent.ts'
import { Fault } from '../kit/fault.ts'
import { redactSecrets } from '../kit/redact.ts'
import {
  agentAttributes,
  billedTokens,
  callAttributes,
  errorTypeOf,
  messagesOf,
  toolAttributes,
} from '../telemetry/genai.ts'
import type { Attributes, Telemetry, TelemetrySpan } from '../telemetry/telemetry.ts'
import type { PromptStream, PromptTelemetry } from './prompt-context.ts'
import type { PromptEvent } from './prompt-event.ts'
import type { PromptRequest } from './prompt-request.ts'
import type { PromptResult } from './prompt-result.ts'

export type TracedPrompt = {
  readonly agentRequest: AgentRequest
  readonly request: PromptRequest
  readonly telemetry: PromptTelemetry
  readonly executionId: string | undefined
}

export async function* tracePrompt(
  { agentRequest, request, telemetry: source, executionId }: TracedPrompt,
  start: (trace: TraceContext) => PromptStream,
): PromptStream {
  const telemetry = await source.open()
  const { backend, model, prompt, trace: parent } = agentRequest
  const runId = request.metadata?.['drover_run']
  const common = agentAttributes({ backend, model })
  const span = telemetry.start({
    name: `invoke_agent ${backend}`,
    parent,
    attributes: {
      ...common,
      'gen_ai.agent.version': source.versionOf(backend),
      'gen_ai.conversation.id': request.resumes?.id,
      'drover.execution.id': executionId,
      'drover.run.id': typeof runId === 'string' ? runId : undefined,
      ...(telemetry.hasContents && { 'gen_ai.input.messages': messagesOf('user', redactSecrets(prompt)) }),
    },
  })
  const startedAt = performance.now()
  const tools = new ToolSpans(telemetry, { backend, parent: span.trace })
  const run = start(span.trace)
  let problem: string | undefined = 'canceled'
  try {
    let next = await run.next()
    for (; next.done !== true; next = await run.next()) {
      tools.note(next.value)
      if (next.value.type === 'init') span.set({ 'gen_ai.conversation.id': next.value.session_id || undefined })
      yield next.value
    }
    problem = errorTypeOf(next.value.error_code, next.value.error)
    reportResult(telemetry, next.value, { span, agentRequest })
    return next.value
  } catch (error) {
    problem = error instanceof Fault ? error.code : errorTypeOf(undefined, String(error))
    throw error
  } finally {
    tools.end()
    span.end(problem)
    const seconds = (performance.now() - startedAt) / 1000
    telemetry.measure('gen_ai.invoke_agent.duration', seconds, { ...common, 'error.type': problem })
    await run.return(undefined as never)
  }
}

type Reported = { readonly span: TelemetrySpan; readonly agentRequest: AgentRequest }

function reportResult(telemetry: Telemetry, result: PromptResult, { span, agentRequest }: Reported): void {
  const { agent, backend, model = result.model } = agentRequest
  const tokens = billedTokens(result.token_usage, agent.countsApart)
  const attributes = callAttributes({ backend, model })
  span.set({
    'gen_ai.request.model': model,
    'gen_ai.response.model': result.model,
    'gen_ai.conversation.id': result.session_id || undefined,
    ...tokens?.attributes,
    'drover.cost_usd': result.cost_usd,
    ...(telemetry.hasContents && { 'gen_ai.output.messages': messagesOf('assistant', redactSecrets(result.output)) }),
  })
  for (const [type, count] of tokens?.counts ?? []) {
    telemetry.measure('gen_ai.client.token.usage', count, { ...attributes, 'gen_ai.token.type': type })
  }
  if (result.cost_usd !== undefined) telemetry.measure('drover.cost_usd', result.cost_usd, attributes)
}

type OpenCall = { readonly span: TelemetrySpan; readonly startedAt: number; readonly attributes: Attributes }

/** A tool call lasts from the event that announces it to its result. */
class ToolSpans {
  readonly #telemetry: Telemetry
  readonly #backend: string
  readonly #parent: TraceContext
  readonly #open = new Map<string, OpenCall>()

  constructor(telemetry: Telemetry, { backend, parent }: { backend: string; parent: TraceContext }) {
    this.#telemetry = telemetry
    this.#backend = backend
    this.#parent = parent
  }

  note({ type, content }: PromptEvent): void {
    if (type === 'tool_use') this.#begin(content)
    if (type === 'tool_result') this.#finish(content)
  }

  /** The agent has ended: no more results will come. */
  end(): void {
    for (const [key] of this.#open) this.#close(key, 'no_result')
  }

  #begin({ tool_id: id, tool_name: tool, input }: Extract<PromptEvent, { type: 'tool_use' }>['content']): void {
    const key = id ?? tool
    // Some agents announce a call twice.
    if (this.#open.has(key)) return
    const attributes = toolAttributes({ backend: this.#backend, tool })
    const span = this.#telemetry.start({
      name: `execute_tool ${tool}`,
      parent: this.#parent,
      attributes: {
        ...attributes,
        'gen_ai.tool.call.id': id,
        ...(this.#telemetry.hasContents && {
          'gen_ai.tool.call.arguments': redactSecrets(JSON.stringify(input) ?? ''),
        }),
      },
    })
    this.#open.set(key, { span, startedAt: performance.now(), attributes })
  }

  #finish(content: Extract<PromptEvent, { type: 'tool_result' }>['content']): void {
    const { tool_id: id, tool_name: tool, is_error: isError, output } = content
    const key = id ?? tool
    if (this.#telemetry.hasContents && output !== undefined) {
      this.#open.get(key)?.span.set({ 'gen_ai.tool.call.result': redactSecrets(output) })
    }
    this.#close(key, isError === true ? 'tool_error' : undefined)
  }

  #close(key: string, problem: string | undefined): void {
    const call = this.#open.get(key)
    if (call === undefined) return
    this.#open.delete(key)
    call.span.end(problem)
    const seconds = (performance.now() - call.startedAt) / 1000
    this.#telemetry.measure('gen_ai.execute_tool.duration', seconds, { ...call.attributes, 'error.type': problem })
  }
}
