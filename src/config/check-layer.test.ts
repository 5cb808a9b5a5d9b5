import { describe, expect, it } from 'vitest'
import { checkLayer } from './check-layer.ts'
import { CONFIG_KEYS, type ConfigPath } from './keys.ts'
import type { Origin } from './origin.ts'

const ORIGIN: Origin = { from: 'flag', flag: '--x' }

/** What is wrong with the value of one key: `place rule`. */
async function wrong(path: string, value: unknown): Promise<string[]> {
  const problems = await checkLayer({
    values: new Map([[path as ConfigPath, value]]),
    places: new Map([[path, ORIGIN]]),
  })
  expect(problems.filter(({ origin }) => origin !== ORIGIN)).toEqual([])
  return problems.map(({ key, rule }) => `${key} ${rule}`)
}

const integers = CONFIG_KEYS.flatMap(({ type, path, minimum = 0, maximum = 0 }) =>
  type === 'integer' ? [{ path, minimum, maximum }] : [],
)
const enums = CONFIG_KEYS.flatMap(({ path, allowed }) => (allowed === undefined ? [] : [{ path, allowed }]))

describe('checkLayer', () => {
  it.each(CONFIG_KEYS.map((key) => [key.path, key.default]))('takes the default of %s', async (path, fallback) => {
    expect(await wrong(String(path), fallback)).toEqual([])
  })

  it.each(integers)('takes $path from $minimum to $maximum and nothing beyond', async ({ path, minimum, maximum }) => {
    expect(await wrong(path, minimum)).toEqual([])
    expect(await wrong(path, maximum)).toEqual([])
    expect(await wrong(path, minimum - 1)).toEqual([`${path} must be at least ${minimum}`])
    expect(await wrong(path, maximum + 1)).toEqual([`${path} must be at most ${maximum}`])
    expect(await wrong(path, minimum + 0.5)).toEqual([`${path} must be an integer`])
    expect(await wrong(path, String(minimum))).toEqual([`${path} must be an integer`])
  })

  it.each(enums)('takes $allowed for $path and nothing else', async ({ path, allowed }) => {
    for (const value of allowed) expect(await wrong(path, value)).toEqual([])
    const listed = allowed.map((value) => JSON.stringify(value)).join(', ')
    expect(await wrong(path, 'readonly')).toEqual([`${path} must be one of ${listed}`])
  })

  it.each([
    ['server.request_timeout_secs', 0],
    ['server.max_request_body_bytes', 0],
    ['server.max_queued_runs', 0],
    ['session.retention_days', 0],
    ['server.read_timeout_secs', 1],
    ['server.write_timeout_secs', 1],
    ['server.idle_timeout_secs', 1],
    ['server.rate_limit_burst', 1],
    ['server.rate_limit_cleanup_secs', 1],
    ['server.max_concurrent_runs', 1],
    ['parallel.max_workers', 1],
  ])('has %s begin at %i', (path, minimum) => {
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
  ])('takes for %s what fits', async (path, values) => {
    for (const value of values) expect(await wrong(path, value)).toEqual([])
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
  ])('refuses for %s the value %j', async (path, value, problem) => {
    expect(await wrong(path, value)).toEqual([problem])
  })

  it('finds the problems of all values at once', async () => {
    const values = new Map<ConfigPath, unknown>([
      ['server.port', -1],
      ['server.host', '?'],
      ['output.format', 'xml'],
    ])
    const problems = await checkLayer({ values, places: new Map() })
    expect(problems.map(({ key }) => key).sort()).toEqual(['output.format', 'server.host', 'server.port'])
  })
})

describe('checkLayer on server.keys', () => {
  const sha256 = 'a'.repeat(64)
  const digest = 'must be the SHA-256 digest of the key in 64 hexadecimal digits, never the key itself'
  const plain =
    'is not supported: API keys are not written into the file as they are; set DROVER_API_KEYS, keep them in gopass (server.api_keys_gopass_path) or list their SHA-256 digests in server.keys'

  it.each([
    [[]],
    [[{ name: 'ci', sha256 }]],
    [[{ name: 'ci', sha256: `sha256:${sha256.toUpperCase()}`, rate_limit_rps: 1, rate_limit_burst: 1_000_000 }]],
  ])('takes %j', async (entries) => {
    expect(await wrong('server.keys', entries)).toEqual([])
  })

  it.each([
    [[{ name: 'ci', sha256: 'hunter2' }], [`server.keys[0].sha256 ${digest}`]],
    [[{ name: 'ci', sha256: `${sha256}a` }], [`server.keys[0].sha256 ${digest}`]],
    [[{ name: 'ci', sha256: sha256.slice(1) }], [`server.keys[0].sha256 ${digest}`]],
    [[{ name: 'ci' }], ['server.keys[0].sha256 is required']],
    [[{ sha256 }], ['server.keys[0].name is required']],
    [
      [{ name: '', sha256 }],
      ['server.keys[0].name must be a name of 1 to 64 letters, digits, dots, underscores or hyphens'],
    ],
    [[{ name: 'ci', sha256, rate_limit_rps: 0 }], ['server.keys[0].rate_limit_rps must be at least 1']],
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
  ])('refuses %j and does not repeat a key', async (entries, problems) => {
    const found = await wrong('server.keys', entries)
    expect(found).toEqual(problems)
    expect(found.join()).not.toContain('hunter2')
  })
})
