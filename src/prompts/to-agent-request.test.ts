import { describe, expect, it } from 'vitest'
import { type AgentSettings, type PromptOptions, type SharedSettings, toAgentRequest } from './to-agent-request.ts'

const ASKED: PromptOptions = { prompt: 'say hello', workdir: '/project', wantsDeltas: false }
const OWN: AgentSettings = {
  model: '',
  model_aliases: { fast: 'small-1' },
  approval_mode: '',
  sandbox_mode: '',
  system_prompt: '',
  allowed_tools: '',
  extra_flags: [],
}
const SHARED: SharedSettings = { approval_mode: 'default', sandbox_mode: 'default', verbose: false, max_turns: 0 }

const LEAST = {
  prompt: 'say hello',
  workdir: '/project',
  approvalMode: 'default',
  sandboxMode: 'default',
  isVerbose: false,
  isEphemeral: false,
  wantsDeltas: false,
  extra: [],
}

describe('toAgentRequest', () => {
  it('asks for nothing that nobody said', () => {
    expect(toAgentRequest(ASKED, OWN, SHARED)).toEqual(LEAST)
  })

  it.each<[string, Partial<PromptOptions>, Partial<AgentSettings>, Partial<SharedSettings>, object]>([
    ['the request over the agent', { approvalMode: 'none' }, { approval_mode: 'auto' }, {}, { approvalMode: 'none' }],
    ['the agent over all agents', {}, { approval_mode: 'auto' }, { approval_mode: 'none' }, { approvalMode: 'auto' }],
    ['all agents over nothing', {}, {}, { approval_mode: 'none' }, { approvalMode: 'none' }],
    ['`default` as nothing', { sandboxMode: 'default' }, { sandbox_mode: 'full' }, {}, { sandboxMode: 'full' }],
    ['a model of the request', { model: 'm-1' }, { model: 'm-2' }, {}, { model: 'm-1' }],
    ['a model of the agent', {}, { model: 'm-2' }, {}, { model: 'm-2' }],
    ['an alias', { model: 'fast' }, {}, {}, { model: 'small-1' }],
    ['a name that only looks like an alias', { model: 'constructor' }, {}, {}, { model: 'constructor' }],
    ['the turns of the request', { maxTurns: 2 }, {}, { max_turns: 5 }, { maxTurns: 2 }],
    ['the turns of all agents', {}, {}, { max_turns: 5 }, { maxTurns: 5 }],
    ['the system prompt of the request', { systemPrompt: 'a' }, { system_prompt: 'b' }, {}, { systemPrompt: 'a' }],
    ['the system prompt of the agent', {}, { system_prompt: 'b' }, {}, { systemPrompt: 'b' }],
    [
      'the flags of both, the operator last',
      { extra: ['--a'] },
      { extra_flags: ['--b'] },
      {},
      { extra: ['--a', '--b'] },
    ],
    ['the tools of the agent', {}, { allowed_tools: 'Bash' }, {}, { allowedTools: 'Bash' }],
    ['verbose by the request', { isVerbose: true }, {}, {}, { isVerbose: true }],
    ['verbose by all agents', {}, {}, { verbose: true }, { isVerbose: true }],
    ['a session to continue', { resumeId: 'id' }, {}, {}, { resumeId: 'id' }],
  ])('takes %s', (_name, asked, own, shared, expected) => {
    const request = toAgentRequest({ ...ASKED, ...asked }, { ...OWN, ...own }, { ...SHARED, ...shared })
    expect(request).toEqual({ ...LEAST, ...expected })
  })
})
