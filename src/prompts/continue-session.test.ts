import { describe, expect, it } from 'vitest'
import type { Agent } from '../agents/adapter/agent.ts'
import { NO_USAGE } from '../agents/adapter/token-usage.ts'
import { claude } from '../agents/claude/agent.ts'
import { codex } from '../agents/codex/agent.ts'
import type { Session } from '../sessions/session.shape.ts'
import {
  checkResumption,
  describePolicyChanges,
  extraOfCaller,
  inheritSystemPrompt,
  settingsOfSession,
  toSessionPolicy,
} from './continue-session.ts'
import type { PromptRequest } from './prompt-request.ts'

const SESSION: Session = {
  id: '0123456789abcdef0123456789abcdef',
  backend: 'claude',
  status: 'completed',
  created_at: '2026-01-01T00:00:00.000Z',
  last_used: '2026-01-01T00:00:00.000Z',
  working_dir: '/project',
  backend_session_id: 'own-id',
  system_prompt: 'be brief',
  initial_prompt: 'hello',
  turn_count: 1,
  token_usage: NO_USAGE,
  tags: [],
  metadata: {},
  policy: { approval_mode: 'auto', sandbox_mode: 'default', model: 'm-1', extra: ['--stored'] },
}
const ASKED = { backend: 'claude', prompt: 'say more' }
const OWN = {
  model: 'm-2',
  model_aliases: {},
  approval_mode: 'none',
  sandbox_mode: 'full',
  system_prompt: 'config',
  allowed_tools: 'Bash',
  extra_flags: ['--operator'],
  silence_secs: -1,
} as const
const SHARED = {
  approval_mode: 'none',
  sandbox_mode: 'full',
  verbose: false,
  max_turns: 0,
  silence_secs: -1,
} as const

describe('settingsOfSession', () => {
  it('replaces the policy of the config by that of the session', () => {
    expect(settingsOfSession(SESSION, ASKED, { own: OWN, shared: SHARED })).toEqual({
      own: {
        ...OWN,
        model: 'm-1',
        approval_mode: '',
        sandbox_mode: '',
        system_prompt: '',
        allowed_tools: '',
        extra_flags: ['--stored'],
      },
      shared: { ...SHARED, approval_mode: 'auto', sandbox_mode: 'default' },
    })
  })

  it('keeps the flags of the operator when the request has its own', () => {
    const { own } = settingsOfSession(SESSION, { ...ASKED, extra: ['--mine'] }, { own: OWN, shared: SHARED })
    expect(own.extra_flags).toEqual(['--operator'])
  })
})

describe('extraOfCaller', () => {
  it.each([
    ['all of it while the operator adds nothing', ['--a'], [], ['--a']],
    ['the flags before those of the operator', ['--a', '--o', 'v'], ['--o', 'v'], ['--a']],
    ['nothing where all was of the operator', ['--o'], ['--o'], []],
    ['all of it when the operator has other flags now', ['--a', '--o'], ['--p'], ['--a', '--o']],
    ['all of it when the operator has more flags now', ['--a'], ['--o', '--a'], ['--a']],
  ])('is %s', (_name, extra, own, expected) => {
    const session = { ...SESSION, policy: { ...SESSION.policy, extra } }
    expect(extraOfCaller(session, { extra_flags: own })).toEqual(expected)
  })
})

describe('inheritSystemPrompt', () => {
  const systemPrompt = (over: Partial<PromptRequest>, agent: Agent) =>
    inheritSystemPrompt({ ...ASKED, ...over }, agent).system_prompt

  it('repeats it only for an agent that takes it as a flag', () => {
    expect(systemPrompt({ resumes: SESSION }, claude)).toBe('be brief')
    expect(systemPrompt({ resumes: SESSION }, codex)).toBeUndefined()
  })

  it('gives a fork the system prompt of its session, for every agent', () => {
    expect(systemPrompt({ forks: SESSION }, claude)).toBe('be brief')
    expect(systemPrompt({ forks: SESSION }, codex)).toBe('be brief')
  })

  it('prefers the system prompt of the request', () => {
    expect(systemPrompt({ resumes: SESSION, system_prompt: 'be long' }, claude)).toBe('be long')
  })
})

describe('checkResumption', () => {
  const { backend_session_id: _, ...unnamed } = SESSION

  it.each([
    ['a session that the agent never named', unnamed, {}, 'session_not_resumable'],
    ['an ephemeral turn', SESSION, { ephemeral: true }, 'resume_invalid'],
    ['another directory', SESSION, { workdir: '/elsewhere' }, 'resume_invalid'],
  ])('refuses %s', (_name, session, asked, code) => {
    expect(() => checkResumption(session, { ...ASKED, ...asked })).toThrow(expect.objectContaining({ code }))
  })

  it('allows the directory of the session', () => {
    expect(() => checkResumption(SESSION, { ...ASKED, workdir: '/project', ephemeral: false })).not.toThrow()
  })
})

describe('describePolicyChanges', () => {
  const stored = SESSION.policy
  const changes = (actual: object, today: object = {}) =>
    describePolicyChanges({ stored, actual: { ...stored, ...actual }, today: { ...stored, ...today } })

  it('returns nothing for an unchanged policy', () => {
    expect(changes({})).toEqual([])
  })

  it.each([
    [{ approval_mode: 'none' }, 'approval_mode is none for this turn; the session was started with auto'],
    [{ sandbox_mode: 'full' }, 'sandbox_mode is full for this turn; the session was started with default'],
    [{ model: 'm-9' }, 'model is m-9 for this turn; the session was started with m-1'],
    [{ allowed_tools: 'Bash' }, 'allowed_tools is Bash for this turn; the session was started with no value'],
    [{ extra: [] }, 'extra is no value for this turn; the session was started with --stored'],
  ])('reports that this turn has %j', (change, sentence) => {
    expect(changes(change)).toEqual([sentence])
    expect(changes(change, change)).toEqual([sentence])
  })

  it.each([
    [{ approval_mode: 'none' }, 'approval_mode is auto, as when the session was started; the settings now say none'],
    [
      { sandbox_mode: 'read-only' },
      'sandbox_mode is default, as when the session was started; the settings now say read-only',
    ],
    [{ model: undefined }, 'model is m-1, as when the session was started; the settings now have none'],
  ])('reports that a new session would have %j', (today, sentence) => {
    expect(changes({}, today)).toEqual([sentence])
  })
})

describe('toSessionPolicy', () => {
  it('takes the permissions from a request', () => {
    const request = {
      prompt: 'p',
      workdir: '/',
      approvalMode: 'auto',
      sandboxMode: 'full',
      isVerbose: false,
      isEphemeral: false,
      wantsDeltas: false,
      extra: ['--x'],
      allowedTools: 'Bash',
      model: 'm',
    } as const
    expect(toSessionPolicy(request)).toEqual({
      approval_mode: 'auto',
      sandbox_mode: 'full',
      model: 'm',
      allowed_tools: 'Bash',
      extra: ['--x'],
    })
  })
})
