import { beforeAll, describe, expect, it } from 'vitest'
import { findAcpAgent } from '../../agents/acp/agent.ts'
import type { Agent } from '../../agents/adapter/agent.ts'
import type { AgentLocation } from '../../agents/locate-agents.ts'
import { NATIVE_AGENTS } from '../../agents/registry.ts'
import type { Config } from '../../config/config.shape.ts'
import { mergeLayers } from '../../config/layers.ts'
import type { ConfigPath } from '../../config/setting-keys.ts'
import { type SecurityFacts, securityWarnings } from './security-warnings.ts'

const configWith = (values: Partial<Record<ConfigPath, unknown>> = {}): Config => {
  const origins = new Map()
  return mergeLayers([{ values: new Map(Object.entries(values)) as Map<ConfigPath, unknown>, origins }]).config
}

const at = (address: string, host = address) => ({ host, address, port: 1 })

let safe: SecurityFacts
beforeAll(() => {
  safe = {
    config: configWith(),
    bound: at('127.0.0.1'),
    hasKeys: false,
    hasShortKey: false,
    isRoot: false,
    missingDirectories: [],
    isWorker: true,
    agents: [],
    readableSecrets: [],
  }
})

const warningsOf = (facts: Partial<SecurityFacts>) =>
  securityWarnings({ ...safe, ...facts }).map(({ warning }) => warning.split(':')[0])

const LISTED = configWith({ 'server.allowed_workdir_prefixes': ['/srv'] })
const LIMITED = configWith({ 'server.allowed_workdir_prefixes': ['/srv'], 'server.rate_limit_enabled': true })

describe('securityWarnings', () => {
  it('finds nothing wrong with the defaults', () => {
    expect(warningsOf({})).toEqual([])
  })

  it.each(['0.0.0.0', '::'])('warns about the public bind address %s without keys', (address) => {
    expect(warningsOf({ bound: at(address), config: LISTED })).toEqual(['public bind address without API key auth'])
  })

  it.each([at('192.168.1.5'), at('10.0.0.1', 'box.localhost'), at('2001:db8::1')])(
    'warns about the network address $address without keys',
    (bound) => {
      expect(warningsOf({ bound, config: LISTED })).toEqual(['network bind address without API key auth'])
    },
  )

  it.each([
    at('127.0.0.1', 'localhost'),
    at('127.0.0.1', 'box.example'),
    at('::1', '0::1'),
    at('::ffff:127.0.0.1'),
    at('127.1.2.3'),
    { socket: '/run/x' },
  ])('accepts %j without keys', (bound) => {
    expect(warningsOf({ bound })).toEqual([])
  })

  it('accepts a public address with keys, a rate limit and allowed directories', () => {
    expect(warningsOf({ bound: at('0.0.0.0'), hasKeys: true, config: LIMITED })).toEqual([])
  })

  it('warns about a short key on a network address', () => {
    const facts = { hasKeys: true, hasShortKey: true, config: LIMITED }
    expect(warningsOf({ ...facts, bound: at('0.0.0.0') })).toEqual(['an API key has fewer than 16 characters'])
    expect(warningsOf(facts)).toEqual([])
  })

  it('warns about a network address with keys and without a rate limit', () => {
    expect(warningsOf({ bound: at('0.0.0.0'), hasKeys: true, config: LISTED })).toEqual(['no rate limit'])
    expect(warningsOf({ hasKeys: true, config: LISTED })).toEqual([])
  })

  it('warns about a network address without allowed directories, with or without keys', () => {
    const config = configWith({ 'server.rate_limit_enabled': true })
    expect(warningsOf({ bound: at('0.0.0.0'), hasKeys: true, config })).toEqual(['no allowed working directories'])
  })

  it('warns about allowed directories that do not exist, unless other machines run the agents', () => {
    const missingDirectories = ['/srv/a', '/srv/b']
    const warning = 'allowed working directories do not exist: prompts in /srv/a, /srv/b are refused'
    expect(securityWarnings({ ...safe, missingDirectories })).toMatchObject([{ warning }])
    expect(warningsOf({ missingDirectories, isWorker: false })).toEqual([])
  })

  it('warns about a server on this machine as about one on the network if it has a trusted proxy', () => {
    const proxied = { 'server.trusted_proxies': ['127.0.0.1'] } as const
    const facts = { hasKeys: true, hasShortKey: true, config: configWith(proxied) }
    expect(warningsOf(facts)).toEqual([
      ...['an API key has fewer than 16 characters', 'no rate limit', 'no allowed working directories'],
    ])
  })

  it('warns about wildcard CORS only without keys', () => {
    const config = configWith({ 'server.cors_allowed_origins': ['*'] })
    expect(warningsOf({ config })).toEqual(['auth disabled together with wildcard CORS'])
    expect(warningsOf({ config, hasKeys: true })).toEqual([])
  })

  it('warns about CORS for every port only without keys', () => {
    const config = configWith({ 'server.cors_allowed_origins': ['http://localhost:*'] })
    expect(warningsOf({ config })).toEqual(['auth disabled together with CORS for every port'])
    expect(warningsOf({ config, hasKeys: true })).toEqual([])
    const named = configWith({ 'server.cors_allowed_origins': ['http://localhost:3000'] })
    expect(warningsOf({ config: named })).toEqual([])
  })

  it('warns about credentials for a wildcard origin', () => {
    const config = configWith({
      'server.cors_allow_credentials': true,
      'server.cors_allowed_origins': ['https://*.example'],
    })
    expect(warningsOf({ config })).toEqual(['CORS credentials allowed for a wildcard origin'])
    const named = configWith({
      'server.cors_allow_credentials': true,
      'server.cors_allowed_origins': ['https://a.example'],
    })
    expect(warningsOf({ config: named })).toEqual([])
  })

  it.each<ConfigPath>(['unified_flags.approval_mode', 'backends.codex.approval_mode'])(
    'warns about %s: none',
    (key) => {
      expect(warningsOf({ config: configWith({ [key]: 'none' }) })).toEqual(['approval mode "none"'])
    },
  )

  it('warns about unsafe extra arguments', () => {
    expect(warningsOf({ config: configWith({ 'server.allow_unsafe_extra': true }) })).toEqual([
      'unsafe extra arguments allowed',
    ])
  })

  it('warns about neither where a ceiling limits both', () => {
    const config = configWith({
      'server.allow_unsafe_extra': true,
      'server.max_approval_mode': 'none',
      'server.max_sandbox_mode': 'workspace',
      'unified_flags.approval_mode': 'none',
    })
    expect(warningsOf({ config })).toEqual([])
  })

  it.each<[Partial<Record<ConfigPath, unknown>>, Partial<SecurityFacts>, string[]]>([
    [{ 'server.max_approval_mode': 'auto' }, {}, ['configured modes are lowered']],
    [{ 'server.max_approval_mode': 'none' }, {}, []],
    [{ 'server.max_sandbox_mode': 'workspace' }, {}, ['configured modes are lowered']],
    [{ 'server.max_sandbox_mode': 'full' }, {}, []],
    [{}, { bound: at('10.0.0.1') }, ['network bind address without API key auth', 'configured modes are lowered']],
    [{}, { bound: { socket: '/run/x' } }, []],
  ])('warns that configured modes are lowered by %j', (server, facts, warnings) => {
    const allowed = { 'server.allowed_workdir_prefixes': ['/srv'] }
    const config = configWith({ 'backends.codex.sandbox_mode': 'full', ...allowed, ...server })
    expect(warningsOf({ ...facts, config })).toEqual(warnings)
  })

  it('warns that configured flags are left out where a ceiling applies', () => {
    const flags = {
      'backends.claude.extra_flags': ['--effort=low', '--permission-mode', 'bypassPermissions'],
      'backends.claude.allowed_tools': 'Bash',
    }
    expect(warningsOf({ config: configWith(flags) })).toEqual([])
    const config = configWith({ ...flags, 'server.max_approval_mode': 'auto' })
    expect(securityWarnings({ ...safe, config }).map(({ warning }) => warning)).toEqual([
      'extra flags and allowed tools are left out, because they would override the ceilings: --permission-mode bypassPermissions allowed_tools: Bash',
    ])
  })

  describe('says what the system does not enforce', () => {
    const located = (agent: Agent, over: Partial<AgentLocation> = {}): AgentLocation => {
      const { backend } = agent
      const found = { isEnabled: true, program: ['/bin/agent'], isDemo: false, wanted: backend } as const
      return { agent, backend, ...found, ...over }
    }
    const acp = (name: string) => findAcpAgent(name, { enabled: true, protocol: 'acp', command: [name], env: {} })
    const { claude, codex, gemini } = NATIVE_AGENTS
    const agents = [located(claude), located(codex), located(gemini, { program: undefined }), located(acp('mine'))]
    const CEILING = configWith({ 'server.max_sandbox_mode': 'workspace' })
    const ofKey = configWith({ 'server.keys': [{ name: 'ci', sha256: 'a'.repeat(64), max_sandbox_mode: 'read-only' }] })
    const text = (facts: Partial<SecurityFacts>) => securityWarnings({ ...safe, agents, ...facts })[0]?.warning

    it('unless a sandbox is required', () => {
      const settings = { 'server.max_sandbox_mode': 'workspace', 'sandbox.mode': 'required' } as const
      expect(text({ config: configWith(settings) })).toBeUndefined()
    })

    it.each([
      ['a ceiling', { config: CEILING }],
      ['a ceiling of a key', { config: ofKey, hasKeys: true }],
    ])('with %s', (_name, facts) => {
      expect(text(facts)).toBe(
        'ceilings that the system does not enforce: claude, mine follow them by their own rules, and mine can read what drover keeps of all callers and use its local socket as an admin',
      )
    })

    it('with keys that have none, also where the agents run on other machines', () => {
      expect(text({ hasKeys: true, agents: [], isWorker: false })).toContain('keys without ceilings')
      expect(text({ hasKeys: true })).toContain('keys without ceilings: their agents can read what drover keeps')
    })

    it('and nothing about codex alone, about demo agents, or without keys and ceilings', () => {
      expect(text({ config: CEILING, agents: [located(codex), located(claude, { isDemo: true })] })).toBeUndefined()
      expect(text({ hasKeys: true, agents: [located(claude, { isDemo: true })] })).toBeUndefined()
      expect(text({})).toBeUndefined()
    })
  })

  it('warns about running as root', () => {
    expect(warningsOf({ isRoot: true })).toEqual(['running as root'])
  })

  it('warns about secrets that agents can read', () => {
    const readableSecrets = ['PGPASSWORD of this process', 'DROVER_API_KEYS of the process 7, which has started drover']
    expect(securityWarnings({ ...safe, readableSecrets }).map(({ warning }) => warning)).toEqual([
      `agents can read secrets in the environment of a process: ${readableSecrets.join('; ')}`,
    ])
  })

  it('has a suggestion for every warning', () => {
    const worst = configWith({
      'server.cors_allowed_origins': ['*'],
      'server.allow_unsafe_extra': true,
      'server.max_sandbox_mode': 'full',
      'unified_flags.approval_mode': 'none',
    })
    const found = securityWarnings({
      config: worst,
      bound: at('::'),
      hasKeys: false,
      hasShortKey: false,
      isRoot: true,
      missingDirectories: ['/srv/a'],
      isWorker: true,
      agents: [],
      readableSecrets: [],
    })
    expect(found).toHaveLength(7)
    for (const { suggestion } of found) expect(suggestion).not.toBe('')
  })
})
