import { describe, expect, it } from 'vitest'
import { recordedTurn, recordedTurns, replayTurn } from '../../../test/support/acp-recordings.ts'
import type { AgentEvent } from '../adapter/agent.ts'
import { KNOWN_AGENTS } from './known-agents.ts'

const profiles = new Map(KNOWN_AGENTS.map(({ name, profile }) => [name, profile]))

/** About when the limits were recorded, in UTC. */
const NOW = new Date('2026-11-17T21:00:00Z')

function replay(agent: string, turn: string) {
  const profile = profiles.get(agent)
  if (profile === undefined) throw new Error(`there is no profile of ${agent}`)
  return replayTurn(agent, recordedTurn(agent, turn), profile, NOW)
}

describe.each([...profiles.keys()])('%s', (agent) => {
  it('answers', () => {
    const { events, result } = replay(agent, 'plain')
    expect(result).toMatchObject({ text: 'Hello from the fake model.', sessionId: 's' })
    expect(result.error).toBeUndefined()
    const said = events.filter((event) => event.type === 'message').map((event) => event.content.text)
    expect(said.join('')).toBe('Hello from the fake model.')
  })

  it('thinks', () => {
    const { events, result } = replay(agent, 'thinking')
    const thoughts = events.filter((event) => event.type === 'thinking').map((event) => event.content.text)
    expect(thoughts.join('')).toMatch(/\S/)
    expect(result.text).toBe('Thought about it.')
  })

  it('uses a tool, and reports its call and its result once', () => {
    const { events, result } = replay(agent, 'exit 3')
    expect(toolEvents(events).map(({ type }) => type)).toEqual(['tool_use', 'tool_result'])
    expect(JSON.stringify(toolEvents(events)[0])).toContain('echo on-stderr >&2; exit 3')
    expect(result.text).toBe('It failed with 3.')
  })

  it('never says success when the model service has failed', () => {
    const failed = recordedTurns(agent).filter(({ turn }) => /^(?:e401|e429|e500|empty)$/.test(turn))
    const outcomes = failed.map((turn) => replayTurn(agent, turn, profiles.get(agent) ?? unknown()).result)
    const successes = outcomes.filter(({ error }) => error === undefined)
    // Copilot asks again after an empty reply.
    expect(successes.map(({ text }) => text)).toEqual(agent === 'copilot' ? ['Hello from the fake model.'] : [])
  })
})

function toolEvents(events: readonly AgentEvent[]) {
  return events.filter(({ type }) => type === 'tool_use' || type === 'tool_result')
}

function unknown(): never {
  throw new Error('there is no profile')
}

describe('a command that exits with 3', () => {
  it.each([
    ...['opencode', 'kilo', 'qwen', 'kimi', 'goose', 'grok', 'pi', 'copilot', 'cline', 'claude-acp', 'codex-acp'].map(
      (agent) => [agent, 'exit code 3'] as const,
    ),
    // It reports the code nowhere.
    ['vibe', undefined],
  ] as const)('is reported by %s as %s', (agent, message) => {
    const [, result] = toolEvents(replay(agent, 'exit 3').events)
    expect(result?.content).toMatchObject({ ...(message && { is_error: true, error_message: message }) })
  })
})

describe('token counts of a turn with two model requests of 1000 in and 50 out', () => {
  it.each([
    ['claude-acp', 2000, 100, undefined],
    ['codex-acp', 2000, 100, undefined],
    ['grok', 2000, 100, undefined],
    ['qwen', 2000, 100, undefined],
    ['opencode', 1000, 50, 'opencode counts only the tokens of its last model request'],
    ['kilo', 1000, 50, 'kilo counts only the tokens of its last model request'],
    ['goose', 1000, 50, 'goose counts only the tokens of its last model request'],
    ['kimi', 0, 0, 'kimi reports no token usage'],
    ['pi', 0, 0, 'pi reports no token usage'],
    ['cline', 0, 0, 'cline reports no token usage'],
  ])('are, by %s, %i and %i', (agent, input, output, warning) => {
    const { usage, warnings } = replay(agent, 'exit 3').result
    expect([usage.input_tokens, usage.output_tokens]).toEqual([input, output])
    expect(warnings).toEqual(warning === undefined ? undefined : [warning])
  })
})

describe('a failure of the model service', () => {
  it.each([
    ['opencode', 'e401', 'agent_failed'],
    ['kilo', 'e401', 'agent_failed'],
    ['kilo', 'e429', 'agent_failed'],
    ['kilo', 'e500', 'agent_ended_early'],
    ['kilo', 'cut', 'agent_unreachable'],
    ['kilo', 'empty', 'agent_ended_early'],
    ['qwen', 'e401', 'agent_auth_failed'],
    ['kimi', 'e401', 'agent_auth_failed'],
    ['kimi', 'e429', 'agent_ended_early'],
    ['goose', 'e401', 'agent_auth_failed'],
    ['goose', 'e429', 'agent_rate_limited'],
    ['goose', 'e500', 'agent_service_failed'],
    ['goose', 'cut', 'agent_unreachable'],
    ['goose', 'empty', 'agent_ended_early'],
    ['grok', 'e401', 'agent_auth_failed'],
    ['grok', 'e429', 'agent_rate_limited'],
    ['vibe', 'e401', 'agent_auth_failed'],
    ['pi', 'e401', 'agent_ended_early'],
    ['pi', 'e500', 'agent_ended_early'],
    ['copilot', 'e401', 'agent_auth_failed'],
    ['copilot', 'e429', 'agent_rate_limited'],
    ['copilot', 'e500', 'agent_service_failed'],
    ['copilot', 'cut', 'agent_failed'],
    ['cline', 'e401', 'agent_ended_early'],
    ['cline', 'e429', 'agent_ended_early'],
    ['claude-acp', 'e401', 'agent_auth_failed'],
    ['claude-acp', 'e429', 'agent_rate_limited'],
    ['claude-acp', 'e500', 'agent_service_failed'],
    ['claude-acp', 'cut', 'agent_unreachable'],
    ['codex-acp', 'e401', 'agent_auth_failed'],
    ['codex-acp', 'e429', 'agent_rate_limited'],
    ['codex-acp', 'e500', 'agent_service_failed'],
    ['codex-acp', 'cut', 'agent_unreachable'],
  ])('is, by %s after %s, %s', (agent, turn, code) => {
    expect(replay(agent, turn).result.error?.code).toBe(code)
  })

  it.each([
    ['goose', 'usage', 'agent_usage_limited', undefined],
    ['goose', 'credit', 'agent_out_of_credit', undefined],
    ['goose', 'rate', 'agent_rate_limited', 20],
    ['goose', 'overload', 'agent_overloaded', undefined],
    ['grok', 'usage', 'agent_usage_limited', undefined],
    ['grok', 'credit', 'agent_out_of_credit', undefined],
    ['grok', 'rate', 'agent_rate_limited', 20],
    ['copilot', 'usage', 'agent_usage_limited', undefined],
    ['copilot', 'credit', 'agent_out_of_credit', undefined],
    ['copilot', 'overload', 'agent_overloaded', undefined],
    ['cline', 'usage', 'agent_usage_limited', undefined],
    ['cline', 'credit', 'agent_out_of_credit', undefined],
    ['claude-acp', 'usage of a subscription', 'agent_usage_limited', 4 * 3600],
    // With a key, claude tells nothing about a plan.
    ['claude-acp', 'usage', 'agent_rate_limited', undefined],
    ['claude-acp', 'credit', 'agent_out_of_credit', undefined],
    // These two give no reason at all.
    ['pi', 'usage', 'agent_ended_early', undefined],
    ['pi', 'credit', 'agent_ended_early', undefined],
    ['pi', 'rate', 'agent_ended_early', undefined],
    ['pi', 'overload', 'agent_ended_early', undefined],
    ['kimi', 'credit', 'agent_ended_early', undefined],
  ])('that is a limit is, by %s after %s, %s, and over in %s s', (agent, turn, code, seconds) => {
    const { error } = replay(agent, turn).result
    expect([error?.code, error?.retryAfterSecs]).toEqual([code, seconds])
  })

  it('that is a missing login is said so', () => {
    expect(replay('kimi', 'e401').result.error?.message).toBe('kimi is not logged in')
  })
})

describe('what an agent says besides its answer', () => {
  it('is the reason of a retry, by grok', () => {
    const message = expect.stringContaining('usage_limit_reached: The usage limit has been reached')
    expect(replay('grok', 'usage').events).toContainEqual({ type: 'progress', content: { stage: 'retry', message } })
  })

  it.each([
    ['pi', 'plain', 'pi v0.87.1\n---'],
    ['copilot', 'new file', 'Info: /workspace/made.txt'],
  ])('is progress: %s, %s', (agent, turn, message) => {
    const { events, result } = replay(agent, turn)
    expect(events).toContainEqual({ type: 'progress', content: { stage: 'notice', message } })
    expect(result.text).not.toContain(message)
  })
})
