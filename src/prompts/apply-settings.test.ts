import { describe, expect, it } from 'vitest'
import type { Session } from '../sessions/session.shape.ts'
import { type AgentSettings, applySettings, type SharedSettings, silenceLimit } from './apply-settings.ts'
import type { PromptRequest } from './prompt-request.ts'

const ASKED: PromptRequest = { backend: 'claude', prompt: 'say hello' }
const SESSION = { backend_session_id: 'id' } as Session
const OWN: AgentSettings = {
  model: '',
  model_aliases: { fast: 'small-1' },
  approval_mode: '',
  sandbox_mode: '',
  system_prompt: '',
  allowed_tools: '',
  extra_flags: [],
  silence_secs: -1,
}
const SHARED: SharedSettings = {
  approval_mode: 'default',
  sandbox_mode: 'default',
  verbose: false,
  max_turns: 0,
  silence_secs: -1,
}

const LEAST = {
  prompt: 'say hello',
  approvalMode: 'default',
  sandboxMode: 'default',
  isVerbose: false,
  withoutTools: false,
  isEphemeral: false,
  wantsDeltas: false,
  extra: [],
}

describe('applySettings', () => {
  it('sets only defaults for a bare request', () => {
    expect(applySettings(ASKED, { own: OWN, shared: SHARED })).toEqual(LEAST)
  })

  it.each<[string, Partial<PromptRequest>, Partial<AgentSettings>, Partial<SharedSettings>, object]>([
    ['the request over the agent', { approval_mode: 'none' }, { approval_mode: 'auto' }, {}, { approvalMode: 'none' }],
    ['the agent over all agents', {}, { approval_mode: 'auto' }, { approval_mode: 'none' }, { approvalMode: 'auto' }],
    ['all agents over nothing', {}, {}, { approval_mode: 'none' }, { approvalMode: 'none' }],
    ['`default` as nothing', { sandbox_mode: 'default' }, { sandbox_mode: 'full' }, {}, { sandboxMode: 'full' }],
    ['a model of the request', { model: 'm-1' }, { model: 'm-2' }, {}, { model: 'm-1' }],
    ['a model of the agent', {}, { model: 'm-2' }, {}, { model: 'm-2' }],
    ['an alias', { model: 'fast' }, {}, {}, { model: 'small-1' }],
    ['a name that only looks like an alias', { model: 'constructor' }, {}, {}, { model: 'constructor' }],
    ['the turns of the request', { max_turns: 2 }, {}, { max_turns: 5 }, { maxTurns: 2 }],
    ['the turns of all agents', {}, {}, { max_turns: 5 }, { maxTurns: 5 }],
    ['the system prompt of the request', { system_prompt: 'a' }, { system_prompt: 'b' }, {}, { systemPrompt: 'a' }],
    ['the system prompt of the agent', {}, { system_prompt: 'b' }, {}, { systemPrompt: 'b' }],
    [
      'the flags of both, the operator last',
      { extra: ['--a'] },
      { extra_flags: ['--b'] },
      {},
      { extra: ['--a', '--b'] },
    ],
    ['the tools of the agent', {}, { allowed_tools: 'Bash' }, {}, { allowedTools: 'Bash' }],
    ['verbose by the request', { verbose: true }, {}, {}, { isVerbose: true }],
    ['verbose by all agents', {}, {}, { verbose: true }, { isVerbose: true }],
    ['a session to continue', { resumes: SESSION }, {}, {}, { resumeId: 'id' }],
  ])('takes %s', (_name, asked, own, shared, expected) => {
    const request = applySettings({ ...ASKED, ...asked }, { own: { ...OWN, ...own }, shared: { ...SHARED, ...shared } })
    expect(request).toEqual({ ...LEAST, ...expected })
  })

  it.each([
    ['without a ceiling', undefined, 'Bash'],
    ['below a ceiling that allows everything', { approval: { mode: 'none', setting: 'a' } }, 'Bash'],
    ['below a ceiling of approvals', { approval: { mode: 'auto', setting: 'a' } }, undefined],
    ['below a ceiling of sandboxes', { sandbox: { mode: 'workspace', setting: 'a' } }, undefined],
  ] as const)('takes the tools of the agent %s: %j', (_name, ceilings, allowedTools) => {
    const settings = { own: { ...OWN, allowed_tools: 'Bash' }, shared: SHARED, ceilings }
    expect(applySettings(ASKED, settings).allowedTools).toBe(allowedTools)
  })
})

describe('silenceLimit', () => {
  it.each([
    ['of the agent, if no setting has one', -1, -1, 7000],
    ['of all agents', -1, 5, 5000],
    ['of the backend', 3, 5, 3000],
    ['of the backend, if it has none', 0, 5, null],
    ['of all agents, if they have none', -1, 0, null],
  ])('is the limit %s', (_name, own, shared, expected) => {
    const settings = {
      own: { ...OWN, silence_secs: own },
      shared: { ...SHARED, silence_secs: shared },
    }
    expect(silenceLimit(settings, { silenceMs: 7000 })).toBe(expected)
  })
})
