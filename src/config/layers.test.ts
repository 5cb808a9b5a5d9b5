import { describe, expect, it } from 'vitest'
import { checkLayer, type Layer, mergeLayers } from './layers.ts'
import type { Origin } from './origin.ts'
import { CONFIG_KEYS, type ConfigPath } from './setting-keys.ts'

const ORIGIN: Origin = { from: 'flag', flag: '--x' }

/** The problems of one key with one value: `path rule`. */
async function problemsOf(path: string, value: unknown): Promise<string[]> {
  const problems = await checkLayer({
    values: new Map([[path as ConfigPath, value]]),
    origins: new Map([[path, ORIGIN]]),
  })
  expect(problems.filter(({ origin }) => origin !== ORIGIN)).toEqual([])
  return problems.map(({ key, rule }) => `${key} ${rule}`)
}

const integers = CONFIG_KEYS.flatMap(({ type, path, minimum = 0, maximum = 0 }) =>
  type === 'integer' ? [{ path, minimum, maximum }] : [],
)
const enums = CONFIG_KEYS.flatMap(({ path, allowed }) => (allowed === undefined ? [] : [{ path, allowed }]))

describe('checkLayer', () => {
  it.each(CONFIG_KEYS.map((key) => [key.path, key.default]))('accepts the default of %s', async (path, fallback) => {
    expect(await problemsOf(String(path), fallback)).toEqual([])
  })

  it.each(integers)('accepts $path from $minimum to $maximum only', async ({ path, minimum, maximum }) => {
    expect(await problemsOf(path, minimum)).toEqual([])
    expect(await problemsOf(path, maximum)).toEqual([])
    expect(await problemsOf(path, minimum - 1)).toEqual([`${path} must be at least ${minimum}`])
    expect(await problemsOf(path, maximum + 1)).toEqual([`${path} must be at most ${maximum}`])
    expect(await problemsOf(path, minimum + 0.5)).toEqual([`${path} must be an integer`])
    expect(await problemsOf(path, String(minimum))).toEqual([`${path} must be an integer`])
  })

  it.each(enums)('accepts only $allowed for $path', async ({ path, allowed }) => {
    for (const value of allowed) expect(await problemsOf(path, value)).toEqual([])
    const listed = allowed.map((value) => JSON.stringify(value)).join(', ')
    expect(await problemsOf(path, 'readonly')).toEqual([`${path} must be one of ${listed}`])
  })

  it.each([
    ['server.request_timeout_secs', 0],
    ['server.max_request_body_bytes', 0],
    ['server.max_queued_runs', 0],
    ['session.retention_days', 0],
    ['server.read_timeout_secs', 0],
    ['server.write_timeout_secs', 0],
    ['server.idle_timeout_secs', 0],
    ['server.rate_limit_burst', 0],
    ['server.rate_limit_cleanup_secs', 0],
    ['server.max_concurrent_runs', 1],
    ['parallel.max_workers', 1],
  ])('has the minimum of %s at %i', (path, minimum) => {
    expect(integers.find((key) => key.path === path)?.minimum).toBe(minimum)
  })

  it.each([
    ['server.host', ['localhost', '0.0.0.0', '::', '::1', 'fe80::1', 'agents.example.com', 'a', 'x'.repeat(253)]],
    ['server.errors_base', ['https://example.com/errors', 'http://e']],
    ['server.api_keys_gopass_path', ['', 'team/drover_keys.v-1']],
    ['server.trusted_proxies', [['10.0.0.1', '10.0.0.0/8', '0.0.0.0/0', '1.2.3.4/32', '::1', 'fd00::/8', '::/128']]],
    [
      'server.cors_allowed_origins',
      [['*', 'https://app.example.com', 'https://*.example.com', 'http://localhost:*'], []],
    ],
    ['server.allowed_workdir_prefixes', [['/', '/srv/a b', '/srv/']]],
    ['session.default_tags', [['a', '0_-', 'x'.repeat(32)]]],
    ['backends.codex.model', ['', 'gpt-5.2', 'org/model:tag']],
    ['backends.codex.command', ['codex', '/opt/codex', 'codex 2']],
    ['backends.codex.extra_flags', [['-c', 'a="b,c"']]],
    ['backends.codex.system_prompt', ['two\nlines', 'ä'.repeat(32_768)]],
    ['backends.codex.model_aliases', [{}, { 'odd name': 'x' }]],
  ])('accepts valid values of %s', async (path, values) => {
    for (const value of values) expect(await problemsOf(path, value)).toEqual([])
  })

  const host = 'must be an IP address or a host name'
  const range = 'must be an IP address or a CIDR range'
  const origin = 'must be an origin such as https://app.example.com, with at most one * in it, or * alone'
  const model = 'must be a model name, without control characters and not starting with -'
  const tag = 'must be a tag of 1 to 32 lowercase letters, digits, underscores or hyphens'
  const base = 'must be an http or https address without a / at its end'
  const gopass = 'must be a gopass path of letters, digits, /, _, . and -, not starting with -'

  it.each([
    ['server.host', '', `server.host ${host}`],
    ['server.host', '[::1]', `server.host ${host}`],
    ['server.host', '300.1.1.1', `server.host ${host}`],
    ['server.host', 'a b', `server.host ${host}`],
    ['server.host', '-a', `server.host ${host}`],
    ['server.host', 'x'.repeat(254), 'server.host must have at most 253 characters'],
    ['server.errors_base', 'https://example.com/', `server.errors_base ${base}`],
    ['server.errors_base', 'example.com', `server.errors_base ${base}`],
    ['server.errors_base', 'https://example.com/e?x', `server.errors_base ${base}`],
    ['server.api_keys_gopass_path', '-o', `server.api_keys_gopass_path ${gopass}`],
    ['server.api_keys_gopass_path', 'a;b', `server.api_keys_gopass_path ${gopass}`],
    ['server.trusted_proxies', ['10.0.0.1', 'proxy'], `server.trusted_proxies[1] ${range}`],
    ['server.trusted_proxies', ['10.0.0.0/33'], `server.trusted_proxies[0] ${range}`],
    ['server.trusted_proxies', ['::/129'], `server.trusted_proxies[0] ${range}`],
    ['server.trusted_proxies', ['10.0.0.0/'], `server.trusted_proxies[0] ${range}`],
    ['server.trusted_proxies', ['10.0.0.0/8/8'], `server.trusted_proxies[0] ${range}`],
    ['server.trusted_proxies', [1], 'server.trusted_proxies[0] must be a string'],
    ['server.trusted_proxies', '10.0.0.1', 'server.trusted_proxies must be an array'],
    ['server.cors_allowed_origins', ['https://a.com/'], `server.cors_allowed_origins[0] ${origin}`],
    ['server.cors_allowed_origins', ['https://*.*.com'], `server.cors_allowed_origins[0] ${origin}`],
    ['server.cors_allowed_origins', ['https://'], `server.cors_allowed_origins[0] ${origin}`],
    ['server.cors_allowed_origins', ['localhost'], `server.cors_allowed_origins[0] ${origin}`],
    ['server.allowed_workdir_prefixes', ['/a', 'b'], 'server.allowed_workdir_prefixes[1] must be an absolute path'],
    ['server.blocked_workdir_prefixes', ['~/x'], 'server.blocked_workdir_prefixes[0] must be an absolute path'],
    ['session.default_tags', ['Work'], `session.default_tags[0] ${tag}`],
    ['session.default_tags', ['x'.repeat(33)], `session.default_tags[0] ${tag}`],
    ['backends.codex.model', '-m', `backends.codex.model ${model}`],
    ['backends.codex.model', 'a\nb', `backends.codex.model ${model}`],
    ['backends.codex.command', '', 'backends.codex.command must not be empty'],
    ['backends.codex.command', './codex', 'backends.codex.command must be the name of a program or an absolute path'],
    ['backends.codex.command', 'a\0', 'backends.codex.command must be text without NUL characters'],
    ['backends.codex.extra_flags', [''], 'backends.codex.extra_flags[0] must not be empty'],
    [
      'backends.codex.system_prompt',
      `${'ä'.repeat(32_768)}x`,
      'backends.codex.system_prompt must have at most 65536 bytes in UTF-8',
    ],
    ['backends.codex.model_aliases', { fast: '' }, 'backends.codex.model_aliases.fast must not be empty'],
    ['backends.codex.model_aliases', { 'a b': 1 }, 'backends.codex.model_aliases["a b"] must be a string'],
    ['output.color', 'true', 'output.color must be a boolean'],
  ])('refuses %s = %j', async (path, value, problem) => {
    expect(await problemsOf(path, value)).toEqual([problem])
  })

  it('reports the problems of all values', async () => {
    const values = new Map<ConfigPath, unknown>([
      ['server.port', -1],
      ['server.host', '?'],
      ['output.format', 'xml'],
    ])
    const problems = await checkLayer({ values, origins: new Map() })
    expect(problems.map(({ key }) => key).sort()).toEqual(['output.format', 'server.host', 'server.port'])
  })
})

describe('checkLayer on server.keys', () => {
  const sha256 = 'a'.repeat(64)
  const digest = 'must be the SHA-256 digest of the key in 64 hexadecimal digits, never the key itself'
  const plain =
    'is not supported: the file may not contain API keys; set DROVER_API_KEYS, keep them in gopass (server.api_keys_gopass_path) or list their SHA-256 digests in server.keys'

  it.each([
    [[]],
    [[{ name: 'ci', sha256 }]],
    [[{ name: 'ci', sha256: `sha256:${sha256.toUpperCase()}`, rate_limit_rps: 1, rate_limit_burst: 1_000_000 }]],
  ])('accepts %j', async (entries) => {
    expect(await problemsOf('server.keys', entries)).toEqual([])
  })

  it.each([
    [[{ name: 'ci', sha256: 'hunter2' }], [`server.keys[0].sha256 ${digest}`]],
    [[{ name: 'ci', sha256: `${sha256}a` }], [`server.keys[0].sha256 ${digest}`]],
    [[{ name: 'ci', sha256: sha256.slice(1) }], [`server.keys[0].sha256 ${digest}`]],
    [[{ name: 'ci' }], ['server.keys[0].sha256 is required']],
    [[{ sha256 }], ['server.keys[0].name is required']],
    [[{ name: 'ci', sha256, role: 'root' }], ['server.keys[0].role must be one of "client", "operator", "admin"']],
    [
      [{ name: '', sha256 }],
      ['server.keys[0].name must be a name of 1 to 64 letters, digits, dots, underscores or hyphens'],
    ],
    [[{ name: 'ci', sha256, rate_limit_rps: 0 }], ['server.keys[0].rate_limit_rps must be at least 1']],
    [[{ name: 'ci', sha256, directories: [] }], ['server.keys[0].directories must have at least 1 item']],
    [[{ name: 'ci', sha256, directories: ['srv'] }], ['server.keys[0].directories[0] must be an absolute path']],
    [
      [{ name: 'ci', sha256, rate_limit_burst: 1_000_001 }],
      ['server.keys[0].rate_limit_burst must be at most 1000000'],
    ],
    [
      [{ name: 'ci', sha256, rate_limit: 1 }],
      [expect.stringContaining('server.keys[0].rate_limit is not a known field')],
    ],
    [['hunter2'], [`server.keys[0] ${plain}`]],
    [[{ name: 'ci', sha256, key: 'hunter2' }], [`server.keys[0].key ${plain}`]],
    [[{ name: 'ci', sha256, secret: 'hunter2' }], [`server.keys[0].secret ${plain}`]],
    [[null], ['server.keys[0] must be an object']],
    ['hunter2', ['server.keys must be an array']],
  ])('refuses %j without repeating the key', async (entries, problems) => {
    const found = await problemsOf('server.keys', entries)
    expect(found).toEqual(problems)
    expect(found.join()).not.toContain('hunter2')
  })
})

function layer(values: Partial<Record<ConfigPath, unknown>>, flag = '--x'): Layer {
  const entries = Object.entries(values) as [ConfigPath, unknown][]
  return { values: new Map(entries), origins: new Map(entries.map(([path]) => [path, { from: 'flag', flag }])) }
}

const merged = (values: Partial<Record<ConfigPath, unknown>>) => mergeLayers([layer(values)])

const broken = (values: Partial<Record<ConfigPath, unknown>>) =>
  merged(values).problems.map(({ key, rule }) => `${key} ${rule}`)

describe('mergeLayers', () => {
  it('returns the defaults, with `default` as their origin', () => {
    const { config, origins, problems } = mergeLayers([])
    expect(config.server.port).toBe(8080)
    expect(config.backends.gemini.command).toBe('gemini')
    expect(origins['server.port']).toEqual({ from: 'default' })
    expect(problems).toEqual([])
  })

  it('takes each key from the first layer that sets it', () => {
    const { config, origins } = mergeLayers([
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
    const { server } = merged({ 'server.blocked_workdir_prefixes': ['/srv/secret', '/etc'] }).config
    expect(server.blocked_workdir_prefixes).toEqual([
      ...mergeLayers([]).config.server.blocked_workdir_prefixes,
      '/srv/secret',
    ])
  })

  it('takes 0 as the default of a timeout, and as twice the rate of a burst', () => {
    const zeros = ['read_timeout_secs', 'write_timeout_secs', 'idle_timeout_secs', 'rate_limit_cleanup_secs'] as const
    const layer = Object.fromEntries(zeros.map((name) => [`server.${name}`, 0]))
    const { server } = merged({ ...layer, 'server.rate_limit_rps': 7, 'server.rate_limit_burst': 0 }).config
    const defaults = mergeLayers([]).config.server
    for (const name of zeros) expect(server[name]).toBe(defaults[name])
    expect(server.rate_limit_burst).toBe(14)
  })

  it('replaces the default of other lists', () => {
    const { server } = merged({ 'server.cors_allowed_origins': ['https://a.com'] }).config
    expect(server.cors_allowed_origins).toEqual(['https://a.com'])
  })

  it('merges model aliases with the built-in ones by name', () => {
    const { model_aliases } = merged({ 'backends.claude.model_aliases': { fast: 'x', mine: 'y' } }).config.backends
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

  it('has no aliases from the object prototype', () => {
    for (const { config } of [mergeLayers([]), merged({ 'backends.claude.model_aliases': {} })]) {
      expect(config.backends.claude.model_aliases['constructor']).toBeUndefined()
    }
  })

  it('normalizes digests', () => {
    const keys = [
      { name: 'a', sha256: 'AB'.repeat(32) },
      { name: 'b', sha256: `sha256:${'cd'.repeat(32)}` },
    ]
    expect(merged({ 'server.keys': keys }).config.server.keys.map(({ sha256 }) => sha256)).toEqual([
      `sha256:${'ab'.repeat(32)}`,
      `sha256:${'cd'.repeat(32)}`,
    ])
  })

  it('freezes the configuration', () => {
    const { config } = merged({ 'server.keys': [{ name: 'a', sha256: 'ab'.repeat(32) }] })
    const parts = [config, config.server, config.server.keys, config.server.keys[0], config.server.trusted_proxies]
    expect([...parts, config.backends.codex.model_aliases].every(Object.isFrozen)).toBe(true)
  })
})

describe('the rules across keys', () => {
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
      ['server.cors_allowed_origins must not contain * when server.cors_allow_credentials is true; list the origins'],
    ],
    [{ 'server.keys': [key('a', 'aa'), key('b', 'bb')] }, []],
    [{ 'server.keys': [key('a', 'aa'), key('a', 'bb')] }, ['server.keys[1].name is already used by another key']],
    [{ 'server.keys': [key('a', 'aa'), key('b', 'AA')] }, ['server.keys[1].sha256 is already used by another key']],
    [
      { 'server.keys': [key('a', 'aa'), key('b', 'bb')].map((each) => ({ ...each, id: `key_${'0'.repeat(24)}` })) },
      ['server.keys[1].id is already used by another key'],
    ],
    [
      { 'server.keys': [{ name: 'a', sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' }] },
      ['server.keys[0].sha256 is the digest of an empty key'],
    ],
  ])('check %j', (values, problems) => {
    expect(broken(values)).toEqual(problems)
  })

  it('report the layer that set the value', () => {
    const layers = [
      layer({ 'server.rate_limit_enabled': true }, '--limit'),
      layer({ 'server.rate_limit_rps': 0 }, '--rate'),
    ]
    expect(mergeLayers(layers).problems[0]?.origin).toEqual({ from: 'flag', flag: '--rate' })
  })
})
