import { describe, expect, it } from 'vitest'
import type { AgentLocation } from '../../agents/locate-agents.ts'
import type { PromptContext } from '../../prompts/prompt-context.ts'
import type { Options } from '../record/recorded-options.shape.ts'
import { chooseSandbox, completeOptions, type DriveSettings, type GivenOptions } from './drive-options.ts'

const SETTINGS = {
  default_backend: 'claude',
  backends: { claude: {}, codex: {}, gemini: {} },
  sandbox: { mode: 'off' },
  drive: { approval_mode: 'auto', checks: [], setup: [], copy: [], share: [], reviewers: [] },
} as unknown as DriveSettings

const MCP_SERVERS = [
  { name: 'docs', command: 'docs', read_only: true },
  { name: 'tracker', command: 'tracker' },
]

/** What is seen of the login of each installed agent. Undefined: it cannot be seen. */
type Logins = Readonly<Record<string, boolean | undefined>>

type Prompts = Pick<PromptContext, 'locate' | 'by' | 'env' | 'settings'>

function promptsWith(logins: Logins): Prompts {
  const locate = (backend: string): AgentLocation | undefined => {
    const hasLogin = logins[backend] === undefined ? {} : { hasLogin: () => logins[backend] }
    const agent = { reports: { tokens: true, cost: true }, ...hasLogin }
    const program = backend in logins ? [backend] : undefined
    return { backend, agent, isEnabled: true, program, isDemo: false, wanted: backend } as unknown as AgentLocation
  }
  return {
    locate,
    by: { is: 'user' },
    env: {},
    settings: { ...SETTINGS, prices: [], mcp_servers: MCP_SERVERS },
  } as unknown as Prompts
}

describe('the limits of a run', () => {
  const settings = { ...SETTINGS, drive: { ...SETTINGS.drive, max_tokens: 500, max_cost_usd: 3 } }
  const capsOf = (given: Parameters<typeof completeOptions>[0], before?: Options) => {
    const chosen = completeOptions(given, before, { settings, prompts: promptsWith({ claude: true }), isDemo: false })
    return [chosen.max_tokens, chosen.max_cost_microusd]
  }

  it('are those of the settings unless it names its own, and stay when it continues', () => {
    expect(capsOf({})).toEqual([500, 3_000_000])
    expect(capsOf({ max_tokens: 900 })).toEqual([900, 3_000_000])
    const before = { backend: 'claude', review_backend: 'claude', max_tokens: 7 } as Options
    expect(capsOf({}, before)).toEqual([7, undefined])
    expect(capsOf({ max_cost_microusd: 1 }, before)).toEqual([7, 1])
  })
})

describe('the reviewer of a run', () => {
  it.each<[string, Logins, string]>([
    ['another agent that is installed', { claude: true, codex: true }, 'codex'],
    ['another agent whose login cannot be seen', { claude: true, codex: undefined }, 'codex'],
    ['not an agent without a login', { claude: true, codex: false, gemini: true }, 'gemini'],
    ['the agent that works, if no other has a login', { claude: true, codex: false }, 'claude'],
    ['another one, if nothing is seen of any login', { claude: false, codex: false }, 'codex'],
    ['the only agent', { claude: true }, 'claude'],
  ])('is %s', (_, logins, reviewer) => {
    const chosen = completeOptions({}, undefined, { settings: SETTINGS, prompts: promptsWith(logins), isDemo: false })
    expect(chosen.review_backend).toBe(reviewer)
  })

  it('is an agent that the caller may use, as the fallbacks of the settings are', () => {
    const { by: _, ...prompts } = promptsWith({ claude: true, codex: true, gemini: true })
    const chosenBy = (names: string[]) => {
      const by = { is: 'client' as const, role: 'client' as const, ceilings: { backends: { names, setting: 'a key' } } }
      const settings = { ...SETTINGS, drive: { ...SETTINGS.drive, fallback: ['codex', 'gemini'] } }
      return completeOptions({}, undefined, { settings, prompts: { ...prompts, by }, isDemo: false })
    }
    expect(chosenBy(['claude', 'gemini'])).toMatchObject({ review_backend: 'gemini', fallback: ['gemini'] })
    expect(chosenBy(['claude'])).toMatchObject({ review_backend: 'claude', fallback: [] })
  })

  it('is whom the caller names, logged in or not', () => {
    const sources = { settings: SETTINGS, prompts: promptsWith({ claude: true, codex: false }), isDemo: false }
    expect(completeOptions({ review_backend: 'codex' }, undefined, sources).review_backend).toBe('codex')
  })
})

describe('an agent whose cost is not known under a limit of costs', () => {
  const choose = (given: GivenOptions, models: Readonly<Record<string, string>>, plan?: string) => {
    const { locate, ...prompts } = promptsWith({ claude: true, codex: true, gemini: true })
    const agents: Prompts['locate'] = (backend) => {
      const located = locate(backend)
      const reports = { tokens: true, cost: backend === 'claude' }
      const own = backend === 'codex' && { configuredModel: () => models['codex_config'] }
      return located && ({ ...located, agent: { ...located.agent, backend, reports, ...own } } as AgentLocation)
    }
    const section = (name: string) => ({ model: models[name] ?? '', model_aliases: {}, plan: name === plan })
    const backends = { claude: section('claude'), codex: section('codex'), gemini: section('gemini') }
    const settings = { ...prompts.settings, backends } as unknown as Prompts['settings']
    const sources = { settings: SETTINGS, prompts: { ...prompts, locate: agents, settings }, isDemo: false }
    return completeOptions({ max_cost_microusd: 1, ...given }, undefined, sources)
  }

  it.each([
    ['no model is known', {}, { review_backend: 'claude', unpriced_reviewer: 'codex' }],
    ['its config names a model without a price', { codex_config: 'mine' }, { review_backend: 'claude' }],
    ['its config names one with a price', { codex_config: 'gpt-5.5' }, { review_backend: 'codex' }],
    ['the settings name one with a price', { codex: 'gpt-5.5', codex_config: 'mine' }, { review_backend: 'codex' }],
    [
      'the cost of the next one is known',
      { gemini: 'gemini-2.5-pro' },
      { review_backend: 'gemini', unpriced_reviewer: 'codex' },
    ],
  ])('is not chosen as the reviewer: %s', (_, models, expected) => {
    const chosen = choose({}, models)
    expect(chosen).toMatchObject(expected)
    expect('unpriced_reviewer' in chosen).toBe(chosen.review_backend !== 'codex')
  })

  it('is refused if it is named, unless it may name its model later', () => {
    const refusal = (model: string) =>
      expect.objectContaining({
        code: 'drive_cap_unsupported',
        message: expect.stringContaining(`the model ${model} of codex has no price; add one to the setting prices`),
      })
    expect(() => choose({ backend: 'codex' }, { codex_config: 'mine' })).toThrow(refusal('mine'))
    expect(() => choose({ review_backend: 'codex' }, { codex: 'other' })).toThrow(refusal('other'))
    expect(() => choose({ review_backend: 'codex' }, {}, 'codex')).toThrow('backends.codex.plan is true; limit its')
    expect(choose({ review_backend: 'codex' }, {}).review_backend).toBe('codex')
  })
})

describe('the MCP servers of a run', () => {
  const chosen = (asked?: string[], before?: object, ceilings?: object) => {
    const prompts = promptsWith({ claude: true })
    const sources = {
      settings: SETTINGS,
      prompts: { ...prompts, by: { is: 'user' as const, ceilings } },
      isDemo: false,
    }
    return completeOptions({ mcp_servers: asked }, before as Options | undefined, sources as never).mcp_servers
  }

  it('are those that the caller names, else as before, else all', () => {
    expect(chosen(['docs'])).toEqual(['docs'])
    expect(chosen(undefined, { mcp_servers: ['tracker'] })).toEqual(['tracker'])
    expect(chosen()).toEqual(['docs', 'tracker'])
    expect(chosen([])).toBeUndefined()
  })

  it('are known, and the caller may use them', () => {
    expect(() => chosen(['doc'])).toThrow('no MCP server "doc"; use docs, tracker; did you mean docs?')
    const ceilings = { mcpServers: { names: ['docs'], setting: 'mcp_servers of the key ci' } }
    expect(chosen(undefined, undefined, ceilings)).toEqual(['docs'])
    expect(() => chosen(['tracker'], undefined, ceilings)).toThrow('mcp_servers of the key ci does not have it')
  })
})

describe('the sandbox of a run', () => {
  const settings = (drive: 'on' | 'off' | 'required', mode: 'on' | 'off' | 'required') => ({
    drive: { sandbox: drive },
    sandbox: { mode },
  })
  const KEY = { ceilings: { boundary: { setting: 'requires_sandbox of the key ci' } } }

  it.each([
    ['as the setting says', undefined, settings('on', 'off'), {}, 'on'],
    ['as the caller says', 'off', settings('on', 'off'), {}, 'off'],
    ['as the caller says, or as before', 'required', settings('off', 'off'), {}, 'required'],
    ['required by drive.sandbox', undefined, settings('required', 'off'), {}, 'required'],
    ['required by sandbox.mode', 'on', settings('off', 'required'), {}, 'required'],
    ['required by the key', undefined, settings('off', 'off'), KEY, 'required'],
  ] as const)('is %s', (_, wanted, given, by, expected) => {
    expect(chooseSandbox(wanted, given, by)).toBe(expected)
  })

  it.each([
    ['drive.sandbox', settings('required', 'off'), {}],
    ['sandbox.mode', settings('on', 'required'), {}],
    ['requires_sandbox of the key ci', settings('on', 'off'), KEY],
  ] as const)('cannot be left if %s requires it', (by, given, caller) => {
    expect(() => chooseSandbox('off', given, caller)).toThrow(
      expect.objectContaining({ code: 'drive_sandbox_required', message: expect.stringContaining(by) }),
    )
  })
})
