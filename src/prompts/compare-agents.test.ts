import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createPromptFixture } from '../../test/support/prompt-fixture.ts'
import { compareAgents } from './compare-agents.ts'

const never = new AbortController().signal

describe('compareAgents', () => {
  it('returns the answers in the order of the request, with their usage', async () => {
    const { context } = await createPromptFixture({
      claude: { text: ['one'], usage: { input: 7, output: 2 } },
      codex: { text: ['three'] },
      gemini: { text: ['two'] },
    })
    const request = { prompt: 'who are you?', backends: ['gemini', 'claude', 'codex'], model: 'm-1' }
    const result = await compareAgents(request, context, { signal: never })
    expect(result).toMatchObject({ prompt: 'who are you?', backends: ['gemini', 'claude', 'codex'] })
    expect(result.results.map(({ backend, output, exit_code: code }) => [backend, output, code])).toEqual([
      ['gemini', 'two', 0],
      ['claude', 'one', 0],
      ['codex', 'three', 0],
    ])
    for (const { model } of result.results) expect(model).toBe('m-1')
    expect(result.results[1]?.token_usage).toMatchObject({ input_tokens: 7, output_tokens: 2 })
  })

  it('reports a missing or failing agent in its own row only', async () => {
    const { context, directory } = await createPromptFixture({ gemini: { fail: 429 } })
    rmSync(join(directory, 'codex'))
    const request = { prompt: 'x', backends: ['codex', 'gemini', 'claude', 'clod'] }
    const { results } = await compareAgents(request, context, { signal: never })
    expect(results.map(({ error_code: code }) => code)).toEqual([
      'backend_unavailable',
      'agent_rate_limited',
      undefined,
      'backend_not_found',
    ])
  })

  it.each([
    [true, 1],
    [false, 3],
  ])('with sequential %s runs at most %i at once', async (sequential, most) => {
    const { context } = await createPromptFixture({
      claude: { delayMs: 300 },
      codex: { delayMs: 300 },
      gemini: { delayMs: 300 },
    })
    let seen = 0
    const look = () => {
      seen = Math.max(seen, context.slots.load().running)
    }
    const watcher = { started: () => void setImmediate(look), event: look }
    await compareAgents({ prompt: 'x', backends: ['claude', 'codex', 'gemini'], sequential }, context, {
      signal: never,
      watcher,
    })
    expect(seen).toBe(most)
  })

  it('after a cancellation has the versions of agents that had begun', async () => {
    const { context } = await createPromptFixture({ claude: { hangAfter: 'init' } })
    const canceling = new AbortController()
    const watcher = { event: () => canceling.abort() }
    const { results } = await compareAgents(
      { prompt: 'x', backends: ['claude', 'codex'], sequential: true },
      { ...context, askVersion: async () => '1.2.3' },
      { signal: canceling.signal, watcher },
    )
    expect(results.map(({ backend, error_code, agent_version }) => [backend, error_code, agent_version])).toEqual([
      ['claude', 'agent_cancelled', '1.2.3'],
      ['codex', 'canceled', undefined],
    ])
  })

  it('supports dry runs', async () => {
    const { context } = await createPromptFixture()
    const { results } = await compareAgents({ prompt: 'x', backends: ['claude'], dry_run: true }, context, {
      signal: never,
    })
    expect(results[0]?.output).toContain('Would execute')
  })
})
