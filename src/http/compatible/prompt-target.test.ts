import { describe, expect, it } from 'vitest'
import { CONFIG_KEYS } from '../../config/setting-keys.ts'
import { chooseBackend } from './prompt-target.ts'

const names = ['claude', 'codex', 'gemini', 'opencode', 'claude-acp']

const DEFAULT_RULES = CONFIG_KEYS.find(({ path }) => path === 'server.model_rules')?.default as string[]
const none = { names, rules: [], isAlias: () => false }

describe('chooseBackend', () => {
  it.each([
    ['claude', { backend: 'claude' }],
    ['codex', { backend: 'codex' }],
    ['gemini', { backend: 'gemini' }],
    ['claude-opus-4-5', { backend: 'claude', model: 'claude-opus-4-5' }],
    ['gpt-5', { backend: 'codex', model: 'gpt-5' }],
    ['gemini-2.5-pro', { backend: 'gemini', model: 'gemini-2.5-pro' }],
    // The order counts where several marks occur.
    ['claude-gpt-gemini', { backend: 'claude', model: 'claude-gpt-gemini' }],
    ['gemini-gpt', { backend: 'codex', model: 'gemini-gpt' }],
    // Case does not.
    ['CLAUDE', { backend: 'claude' }],
    ['Codex', { backend: 'codex' }],
    ['GPT-5', { backend: 'codex', model: 'GPT-5' }],
    // A backend of the config answers for its name, and for any model after its name.
    ['opencode', { backend: 'opencode' }],
    ['OpenCode', { backend: 'opencode' }],
    ['opencode/anthropic/claude-sonnet-4', { backend: 'opencode', model: 'anthropic/claude-sonnet-4' }],
    ['claude-acp', { backend: 'claude-acp' }],
    ['claude-acp/opus', { backend: 'claude-acp', model: 'opus' }],
    ['opencode/', { backend: 'claude', isDefault: true }],
    ['opencode/-x', { backend: 'claude', isDefault: true }],
    ['vendor/opencode', { backend: 'opencode' }],
    // At the end it switches the tools of the agent off.
    ['claude:model', { backend: 'claude', isPlain: true }],
    ['openai/gpt-5:model', { backend: 'codex', model: 'gpt-5', isPlain: true }],
    ['opencode/x/y:model', { backend: 'opencode', model: 'x/y', isPlain: true }],
    ['mistral:model', { backend: 'claude', isDefault: true, isPlain: true }],
    [':model', { backend: 'claude', isDefault: true }],
    ['claude:models', { backend: 'claude', model: 'claude:models' }],
    // A vendor is no part of the model.
    ['openai/gpt-5', { backend: 'codex', model: 'gpt-5' }],
    ['models/Gemini-2.5', { backend: 'gemini', model: 'Gemini-2.5' }],
    ['openrouter/anthropic/claude-sonnet-4', { backend: 'claude', model: 'claude-sonnet-4' }],
    ['anthropic/claude', { backend: 'claude' }],
    ['openai/codex', { backend: 'codex' }],
    ['acme/Gemini', { backend: 'gemini' }],
    // The marks count in the vendor too.
    ['gemini/gpt', { backend: 'codex', model: 'gpt' }],
    ['claude/x', { backend: 'claude', model: 'x' }],
    // What would become an argument or nothing is not split off.
    ['openai/--yolo-gpt', { backend: 'codex', model: 'openai/--yolo-gpt' }],
    ['gpt/', { backend: 'codex', model: 'gpt/' }],
    ['o3', { backend: 'claude', isDefault: true }],
    ['codex-mini', { backend: 'claude', isDefault: true }],
    ['mistral/large', { backend: 'claude', isDefault: true }],
  ])('picks the backend for %s without rules of the configuration', (name, choice) => {
    expect(chooseBackend(name, none)).toEqual(choice)
  })

  it.each([
    ['codex-mini-latest', { backend: 'codex', model: 'codex-mini-latest' }],
    ['openai/codex-mini-latest', { backend: 'codex', model: 'codex-mini-latest' }],
    ['o1', { backend: 'codex', model: 'o1' }],
    ['o3', { backend: 'codex', model: 'o3' }],
    ['openai/o3', { backend: 'codex', model: 'o3' }],
    ['O4-mini', { backend: 'codex', model: 'O4-mini' }],
    ['opus', { backend: 'claude', model: 'opus' }],
    ['anthropic/Sonnet', { backend: 'claude', model: 'Sonnet' }],
    ['haiku', { backend: 'claude', model: 'haiku' }],
    // What the specification maps comes first.
    ['claude-codex', { backend: 'claude', model: 'claude-codex' }],
    ['gemini-o3', { backend: 'gemini', model: 'gemini-o3' }],
    ['o30', { backend: 'claude', isDefault: true }],
    ['pro3', { backend: 'claude', isDefault: true }],
    ['opus-maximus', { backend: 'claude', isDefault: true }],
    ['llama-3', { backend: 'claude', isDefault: true }],
  ])('picks the backend for %s with the default rules', (name, choice) => {
    expect(chooseBackend(name, { ...none, rules: DEFAULT_RULES })).toEqual(choice)
  })

  it.each([
    ['a*b*c', 'a-b-c', true],
    ['a*b*c', 'abc', true],
    ['a*b*c', 'a-c-b', false],
    ['a*a', 'a', false],
    ['*', 'anything', true],
    ['**', 'x', true],
    ['a.c', 'abc', false],
    ['A*', 'abc', true],
  ])('compares the pattern %s with %s', (pattern, name, isMatch) => {
    const choice = chooseBackend(name, { ...none, rules: [`${pattern}=gemini`] })
    expect(choice.backend === 'gemini').toBe(isMatch)
  })

  it('takes the first rule that matches', () => {
    expect(chooseBackend('x1', { ...none, rules: ['y*=codex', 'x*=gemini', 'x1=codex'] }).backend).toBe('gemini')
  })

  it('keeps the vendor in a name that is an alias of the backend', () => {
    const isAlias = (backend: string, name: string) => backend === 'codex' && name === 'openai/gpt-5'
    expect(chooseBackend('openai/gpt-5', { names, rules: [], isAlias })).toEqual({
      backend: 'codex',
      model: 'openai/gpt-5',
    })
    expect(chooseBackend('openai/gpt-6', { names, rules: [], isAlias })).toEqual({ backend: 'codex', model: 'gpt-6' })
  })
})
