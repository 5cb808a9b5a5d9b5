import { describe, expect, it } from 'vitest'
import { pickAgent } from './pick-agent.ts'

describe('pickAgent', () => {
  it.each([
    ['claude', { backend: 'claude' }],
    ['codex', { backend: 'codex' }],
    ['gemini', { backend: 'gemini' }],
    ['claude-opus-4-5', { backend: 'claude', model: 'claude-opus-4-5' }],
    ['gpt-5', { backend: 'codex', model: 'gpt-5' }],
    ['gemini-2.5-pro', { backend: 'gemini', model: 'gemini-2.5-pro' }],
    ['o3', { backend: 'claude' }],
    // The order counts where several marks occur.
    ['claude-gpt-gemini', { backend: 'claude', model: 'claude-gpt-gemini' }],
    ['gemini-gpt', { backend: 'codex', model: 'gemini-gpt' }],
    // Only the marks count, not the name of the second agent.
    ['codex-mini', { backend: 'claude' }],
    // Case does not.
    ['CLAUDE', { backend: 'claude' }],
    ['Codex', { backend: 'codex' }],
    ['GPT-5', { backend: 'codex', model: 'GPT-5' }],
    ['models/Gemini-2.5', { backend: 'gemini', model: 'models/Gemini-2.5' }],
  ])('gives %s to the right agent', (name, picked) => {
    expect(pickAgent(name)).toEqual(picked)
  })
})
