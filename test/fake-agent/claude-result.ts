/** The result event of claude, which is also all that its `json` format prints. Its fields depend on how the turn went. */
import type { DemoUsage } from '../../src/demo/demo-answer.ts'
import type { Facts } from './dialect.ts'
import { NO_USAGE } from './usage.ts'

/** What happened in a turn so far. */
export type Progress = { text: string; requests: number; denials: object[] }

export function toSuccess(facts: Facts, progress: Progress, usage: DemoUsage): object {
  const elapsedMs = facts.elapsedMs()
  return {
    type: 'result',
    subtype: 'success',
    is_error: false,
    api_error_status: null,
    duration_ms: elapsedMs,
    duration_api_ms: elapsedMs,
    ttft_ms: elapsedMs,
    ttft_stream_ms: elapsedMs,
    time_to_request_ms: 0,
    num_turns: progress.requests,
    result: progress.text,
    ...(facts.invocation.hasSchema && structuredOutput(progress.text)),
    stop_reason: 'end_turn',
    ...toAccount(facts.sessionId, usage),
    modelUsage: { [facts.model]: toModelUsage(usage) },
    permission_denials: progress.denials,
    terminal_reason: 'completed',
    fast_mode_state: 'off',
    uuid: facts.newId(),
  }
}

/** Claude checks the output itself; the fake one only reads it. Plain text is a success without a structured output. */
function structuredOutput(text: string): object {
  try {
    return { structured_output: JSON.parse(text) }
  } catch {
    return {}
  }
}

/** A turn that the API ended with an error has the subtype `success` too. */
export function toFailure(facts: Facts, failure: { status: number; text: string }): object {
  return {
    type: 'result',
    subtype: 'success',
    is_error: true,
    api_error_status: failure.status,
    duration_ms: facts.elapsedMs(),
    duration_api_ms: 0,
    num_turns: 1,
    result: failure.text,
    stop_reason: 'stop_sequence',
    ...toAccount(facts.sessionId, NO_USAGE),
    permission_denials: [],
    terminal_reason: 'completed',
    fast_mode_state: 'off',
    uuid: facts.newId(),
  }
}

export function toInterrupted(facts: Facts, progress: Progress): object {
  return {
    ...toAborted(facts.sessionId, { durationMs: facts.elapsedMs(), error: 'the turn was interrupted' }),
    num_turns: progress.requests + 1,
    permission_denials: progress.denials,
    terminal_reason: 'aborted_streaming',
    fast_mode_state: 'off',
    uuid: facts.newId(),
  }
}

export function toMissingSession(sessionId: string, ids: { error: string; uuid: string }): object {
  return { ...toAborted(sessionId, { durationMs: 0, error: ids.error }), uuid: ids.uuid }
}

function toAborted(sessionId: string, { durationMs, error }: { durationMs: number; error: string }): object {
  return {
    type: 'result',
    subtype: 'error_during_execution',
    duration_ms: durationMs,
    duration_api_ms: 0,
    is_error: true,
    num_turns: 0,
    stop_reason: null,
    ...toAccount(sessionId, NO_USAGE),
    permission_denials: [],
    errors: [error],
  }
}

function toAccount(sessionId: string, usage: DemoUsage): object {
  return {
    session_id: sessionId,
    total_cost_usd: 0,
    usage: {
      ...toCounts(usage),
      server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
      service_tier: 'standard',
      cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
      inference_geo: '',
      iterations: [],
      speed: 'standard',
    },
    modelUsage: {},
  }
}

/** Claude counts cached tokens apart from the input. */
export function toCounts(usage: DemoUsage) {
  return {
    input_tokens: Math.max(0, usage.input - usage.cached),
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: usage.cached,
    output_tokens: usage.output,
  }
}

function toModelUsage(usage: DemoUsage): object {
  return {
    inputTokens: Math.max(0, usage.input - usage.cached),
    outputTokens: usage.output,
    cacheReadInputTokens: usage.cached,
    cacheCreationInputTokens: 0,
    webSearchRequests: 0,
    costUSD: 0,
    contextWindow: 200_000,
    maxOutputTokens: 32_000,
  }
}
