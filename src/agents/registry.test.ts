import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { BACKENDS } from './adapter/agent.ts'
import { AGENTS, pickAgent } from './registry.ts'

describe('AGENTS', () => {
  it('contains every backend in order, under its own name', () => {
    expect(Object.values(AGENTS).map(({ backend }) => backend)).toEqual(BACKENDS)
    expect(Object.keys(AGENTS)).toEqual(BACKENDS)
  })

  it('matches the table of extra flags in docs/agents.md', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/agents.md'), 'utf8')
    const section = page.split('## `extra`')[1]?.split('\n## ')[0] ?? ''
    const rows = BACKENDS.map((backend) => {
      const row = new RegExp(`^\\| ${backend} \\| (.+) \\|$`, 'm').exec(section)?.[1] ?? ''
      return [...row.matchAll(/`([^`]+)`/g)].map(([, flag]) => flag)
    })
    expect(rows).toEqual(BACKENDS.map((backend) => Object.keys(AGENTS[backend].extraFlags)))
  })
})

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
  ])('picks the agent for %s', (name, picked) => {
    expect(pickAgent(name)).toEqual(picked)
  })
})
