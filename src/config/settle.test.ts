import { describe, expect, it } from 'vitest'
import { adviseOn } from './advice.ts'
import type { ConfigPath } from './keys.ts'
import type { Layer } from './layer.ts'
import { settle } from './settle.ts'

function layer(values: Partial<Record<ConfigPath, unknown>>, flag = '--x'): Layer {
  const entries = Object.entries(values) as [ConfigPath, unknown][]
  return { values: new Map(entries), places: new Map(entries.map(([path]) => [path, { from: 'flag', flag }])) }
}

const settled = (values: Partial<Record<ConfigPath, unknown>>) => settle([layer(values)])

const broken = (values: Partial<Record<ConfigPath, unknown>>) =>
  settled(values).problems.map(({ key, rule }) => `${key} ${rule}`)

describe('settle', () => {
  it('gives the defaults and names them as the origin', () => {
    const { config, origins, problems } = settle([])
    expect(config.server.port).toBe(8080)
    expect(config.backends.gemini.command).toBe('gemini')
    expect(origins['server.port']).toEqual({ from: 'default' })
    expect(problems).toEqual([])
  })

  it('takes each key from the first layer that has it', () => {
    const { config, origins } = settle([
      layer({ 'server.port': 1 }, '--a'),
      layer({ 'server.port': 2, 'server.host': '::' }, '--b'),
    ])
    expect([config.server.port, config.server.host]).toEqual([1, '::'])
    expect([origins['server.port'], origins['server.host']]).toEqual([
      { from: 'flag', flag: '--a' },
      { from: 'flag', flag: '--b' },
    ])
  })

  it('adds blocked directories to the built-in ones, each once', () => {
    const { server } = settled({ 'server.blocked_workdir_prefixes': ['/srv/secret', '/etc'] }).config
    expect(server.blocked_workdir_prefixes).toEqual([
      ...settle([]).config.server.blocked_workdir_prefixes,
      '/srv/secret',
    ])
  })

  it('replaces the default of other lists', () => {
    const { server } = settled({ 'server.cors_allowed_origins': ['https://a.com'] }).config
    expect(server.cors_allowed_origins).toEqual(['https://a.com'])
  })

  it('puts model aliases over the built-in ones by name', () => {
    const { model_aliases } = settled({ 'backends.claude.model_aliases': { fast: 'x', mine: 'y' } }).config.backends
      .claude
    expect({ ...model_aliases }).toEqual({
      fast: 'x',
      quick: 'haiku',
      balanced: 'sonnet',
      default: 'sonnet',
      best: 'opus',
      powerful: 'opus',
      mine: 'y',
    })
  })

  it('has no aliases that nobody defined', () => {
    for (const { config } of [settle([]), settled({ 'backends.claude.model_aliases': {} })]) {
      expect(config.backends.claude.model_aliases['constructor']).toBeUndefined()
    }
  })

  it('spells digests in one way', () => {
    const keys = [
      { name: 'a', sha256: 'AB'.repeat(32) },
      { name: 'b', sha256: `sha256:${'cd'.repeat(32)}` },
    ]
    expect(settled({ 'server.keys': keys }).config.server.keys.map(({ sha256 }) => sha256)).toEqual([
      `sha256:${'ab'.repeat(32)}`,
      `sha256:${'cd'.repeat(32)}`,
    ])
  })

  it('gives a configuration that nobody can change', () => {
    const { config } = settled({ 'server.keys': [{ name: 'a', sha256: 'ab'.repeat(32) }] })
    const parts = [config, config.server, config.server.keys, config.server.keys[0], config.server.trusted_proxies]
    expect([...parts, config.backends.codex.model_aliases].every(Object.isFrozen)).toBe(true)
  })
})

describe('the rules for values together', () => {
  const key = (name: string, digest: string) => ({ name, sha256: digest.repeat(32) })

  it.each<[Partial<Record<ConfigPath, unknown>>, string[]]>([
    [{ 'server.rate_limit_enabled': true, 'server.rate_limit_rps': 1 }, []],
    [{ 'server.rate_limit_enabled': false, 'server.rate_limit_rps': 0 }, []],
    [
      { 'server.rate_limit_enabled': true, 'server.rate_limit_rps': 0 },
      ['server.rate_limit_rps must be at least 1 when server.rate_limit_enabled is true'],
    ],
    [{ 'server.cors_allowed_origins': ['*'] }, []],
    [{ 'server.cors_allow_credentials': true }, []],
    [{ 'server.cors_allow_credentials': true, 'server.cors_allowed_origins': ['https://*.a.com'] }, []],
    [
      { 'server.cors_allow_credentials': true, 'server.cors_allowed_origins': ['https://a.com', '*'] },
      ['server.cors_allowed_origins must not hold * when server.cors_allow_credentials is true; list the origins'],
    ],
    [{ 'server.keys': [key('a', 'aa'), key('b', 'bb')] }, []],
    [{ 'server.keys': [key('a', 'aa'), key('a', 'bb')] }, ['server.keys[1].name is the same as that of another key']],
    [{ 'server.keys': [key('a', 'aa'), key('b', 'AA')] }, ['server.keys[1].sha256 is the same as that of another key']],
    [
      { 'server.keys': [{ name: 'a', sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' }] },
      ['server.keys[0].sha256 is the digest of an empty key'],
    ],
  ])('judge %j', (values, problems) => {
    expect(broken(values)).toEqual(problems)
  })

  it('blame the layer that set the value', () => {
    const layers = [
      layer({ 'server.rate_limit_enabled': true }, '--limit'),
      layer({ 'server.rate_limit_rps': 0 }, '--rate'),
    ]
    expect(settle(layers).problems[0]?.origin).toEqual({ from: 'flag', flag: '--rate' })
  })
})

describe('adviseOn', () => {
  it.each<[Partial<Record<ConfigPath, unknown>>, string[]]>([
    [{}, []],
    [{ default_backend: 'codex', 'backends.claude.enabled': false }, []],
    [
      { 'backends.claude.enabled': false },
      ['default_backend is claude, but backends.claude.enabled is false; prompts must name another backend'],
    ],
    [{ 'backends.claude.allowed_tools': 'Read' }, []],
    [
      { 'backends.gemini.allowed_tools': 'Read' },
      ['backends.gemini.allowed_tools has no effect; only Claude Code takes a list of tools'],
    ],
    [{ 'server.allowed_workdir_prefixes': ['/srv', '/etcetera', '/'] }, []],
    [
      { 'server.allowed_workdir_prefixes': ['/root/work', '/proc'] },
      [
        'server.allowed_workdir_prefixes holds /root/work, but /root is blocked and wins',
        'server.allowed_workdir_prefixes holds /proc, but /proc is blocked and wins',
      ],
    ],
    [
      { 'server.allowed_workdir_prefixes': ['/srv/..hidden'], 'server.blocked_workdir_prefixes': ['/srv'] },
      ['server.allowed_workdir_prefixes holds /srv/..hidden, but /srv is blocked and wins'],
    ],
  ])('says of %j what is seldom meant', (values, advice) => {
    expect(adviseOn(settled(values).config)).toEqual(advice)
  })
})
