/** The token counts of `gemini -o json`. */
import type { DemoUsage } from '../../src/demo/demo-answer.ts'

export type Tally = { requests: number; toolCalls: number; toolFailures: number }

const NO_DECISIONS = { accept: 0, reject: 0, modify: 0, auto_accept: 0 }

export function toSummaryStats(facts: { model: string; elapsedMs: number }, usage: DemoUsage, tally: Tally): object {
  const tokens = {
    input: Math.max(0, usage.input - usage.cached),
    prompt: usage.input,
    candidates: usage.output,
    total: usage.input + usage.output + usage.reasoning,
    cached: usage.cached,
    thoughts: usage.reasoning,
    tool: 0,
  }
  const api = { totalRequests: tally.requests, totalErrors: 0, totalLatencyMs: facts.elapsedMs }
  const models = {
    [facts.model]: { api: { ...api, errorsByType: {} }, tokens, roles: { main: { ...api, tokens } } },
  }
  return { models, tools: toToolStats(tally), files: { totalLinesAdded: 0, totalLinesRemoved: 0 } }
}

function toToolStats({ toolCalls, toolFailures }: Tally): object {
  const success = toolCalls - toolFailures
  const decisions = { ...NO_DECISIONS, accept: success }
  const shell = { count: toolCalls, success, fail: toolFailures, durationMs: 0, decisions }
  return {
    totalCalls: toolCalls,
    totalSuccess: success,
    totalFail: toolFailures,
    totalDurationMs: 0,
    totalDecisions: decisions,
    byName: toolCalls === 0 ? {} : { run_shell_command: shell },
  }
}
