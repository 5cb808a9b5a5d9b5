import { describe, expect, it } from 'vitest'
import { OTHER_VARIABLES } from './read-config.ts'
import { CONFIG_KEYS, type ConfigKey, findKey, isSection, isWithin, pathUnder, suggestKey } from './setting-keys.ts'

const BLOCKED =
  '/etc /var/run /var/lock /root /sys /proc /dev /usr/bin /usr/sbin /bin /sbin /boot /lib /lib64 /usr/lib /usr/lib64'

/** Every key, its type and its default. */
const KEYS: readonly [string, string, unknown][] = [
  ['default_backend', 'string', 'claude'],
  ['budgets', 'entries', []],
  ['prices', 'entries', []],
  ['mcp_servers', 'entries', []],
  ['unified_flags.approval_mode', 'enum', 'default'],
  ['unified_flags.sandbox_mode', 'enum', 'default'],
  ['unified_flags.verbose', 'boolean', false],
  ['unified_flags.dry_run', 'boolean', false],
  ['unified_flags.max_turns', 'integer', 0],
  ['unified_flags.max_tokens', 'integer', 0],
  ['unified_flags.command_timeout_secs', 'integer', 0],
  ['unified_flags.silence_secs', 'integer', -1],
  ...['claude', 'codex', 'gemini'].flatMap((name): [string, string, unknown][] => [
    [`backends.${name}.model`, 'string', ''],
    [`backends.${name}.allowed_tools`, 'string', ''],
    [`backends.${name}.approval_mode`, 'enum', ''],
    [`backends.${name}.sandbox_mode`, 'enum', ''],
    [`backends.${name}.silence_secs`, 'integer', -1],
    [`backends.${name}.extra_flags`, 'list', []],
    [`backends.${name}.enabled`, 'boolean', true],
    [`backends.${name}.plan`, 'boolean', false],
    [`backends.${name}.system_prompt`, 'string', ''],
    [`backends.${name}.command`, 'string', name],
    [`backends.${name}.model_aliases`, 'map', aliasesOf(name)],
  ]),
  ['agents.project_settings', 'enum', 'trusted'],
  ['session.retention_days', 'integer', 30],
  ['session.store_token_usage', 'boolean', true],
  ['session.default_tags', 'list', []],
  ['executions.keep', 'enum', 'auto'],
  ['executions.keep_days', 'integer', 7],
  ['executions.max_mb', 'integer', 512],
  ['output.format', 'enum', 'json'],
  ['output.show_tokens', 'boolean', false],
  ['output.show_timing', 'boolean', false],
  ['output.color', 'boolean', true],
  ['parallel.max_workers', 'integer', 3],
  ['parallel.fail_fast', 'boolean', false],
  ['parallel.aggregate_output', 'boolean', true],
  ['drive.actions', 'integer', 8],
  ['drive.max_tokens', 'integer', 0],
  ['drive.max_cost_usd', 'integer', 0],
  ['drive.checks', 'list', []],
  ['drive.require_checks', 'boolean', false],
  ['drive.setup', 'list', []],
  ['drive.copy', 'list', []],
  ['drive.share', 'list', []],
  ['drive.setup_timeout_secs', 'integer', 900],
  ['drive.template_max_bytes', 'integer', 10 * 1024 ** 3],
  ['drive.baseline', 'enum', 'note'],
  ['drive.check_timeout_secs', 'integer', 600],
  ['drive.attempts', 'integer', 3],
  ['drive.rounds', 'integer', 2],
  ['drive.approval_mode', 'enum', 'default'],
  ['drive.sandbox', 'enum', 'on'],
  ['drive.stall_secs', 'integer', 600],
  ['drive.deliver', 'enum', 'branch'],
  ['drive.follow', 'boolean', false],
  ['drive.follow_rounds', 'integer', 10],
  ['drive.follow_poll_secs', 'integer', 60],
  ['drive.reviewers', 'list', []],
  ['drive.ready', 'boolean', false],
  ['drive.on_flags', 'enum', 'deliver'],
  ['drive.on_limit', 'enum', 'ask'],
  ['drive.max_wait_secs', 'integer', 21_600],
  ['drive.fallback', 'list', []],
  ['drive.repositories', 'list', []],
  ['drive.max_runs', 'integer', 4],
  ['drive.move_after_secs', 'integer', 0],
  ['drive.parallel', 'integer', 1],
  ['drive.watch', 'entries', []],
  ['drive.watch_secs', 'integer', 60],
  ['drive.mention', 'string', 'drover'],
  ['sandbox.mode', 'enum', 'off'],
  ['sandbox.hosts', 'list', []],
  ['sandbox.check_hosts', 'list', ['npm', 'pypi', 'crates', 'go', 'debian']],
  ['sandbox.env', 'list', []],
  ['sandbox.read', 'list', []],
  ['sandbox.write', 'list', []],
  [
    'sandbox.caches',
    'list',
    [
      ...['.npm', '.cache', '.cargo/registry', '.cargo/git', 'go/pkg', '.gradle', '.m2/repository'],
      ...['.bun/install/cache', '.nuget/packages'],
    ],
  ],
  ['sandbox.max_processes', 'integer', 4096],
  ['sandbox.max_memory_mb', 'integer', 0],
  ['sandbox.max_total_memory_mb', 'integer', 0],
  ['sandbox.max_file_mb', 'integer', 8192],
  ['sandbox.max_disk_mb', 'integer', 8192],
  ['server.host', 'string', '127.0.0.1'],
  ['server.port', 'integer', 8080],
  ['server.local_socket', 'boolean', true],
  ['server.console', 'boolean', true],
  ['server.request_timeout_secs', 'integer', 300],
  ['server.first_event_timeout_secs', 'integer', 0],
  ['server.read_timeout_secs', 'integer', 30],
  ['server.write_timeout_secs', 'integer', 300],
  ['server.idle_timeout_secs', 'integer', 120],
  ['server.max_connections', 'integer', 0],
  ['server.max_connections_per_address', 'integer', 0],
  ['server.max_open_requests_per_key', 'integer', 256],
  ['server.api_keys_gopass_path', 'string', ''],
  ['server.rate_limit_enabled', 'boolean', false],
  ['server.rate_limit_rps', 'integer', 10],
  ['server.rate_limit_burst', 'integer', 20],
  ['server.rate_limit_cleanup_secs', 'integer', 180],
  ['server.trusted_proxies', 'list', []],
  ['server.max_request_body_bytes', 'integer', 10_485_760],
  ['server.cors_allowed_origins', 'list', []],
  ['server.cors_allow_credentials', 'boolean', false],
  ['server.cors_max_age', 'integer', 300],
  ['server.allowed_workdir_prefixes', 'list', []],
  ['server.blocked_workdir_prefixes', 'list', BLOCKED.split(' ')],
  ['server.metrics_enabled', 'boolean', false],
  ['server.metrics_public', 'boolean', false],
  ['server.errors_base', 'string', 'https://drover.dev/errors'],
  ['server.vendor_errors', 'boolean', false],
  ['server.require_api_version', 'boolean', true],
  [
    'server.model_rules',
    'list',
    [
      ...['*codex*=codex', 'o1=codex', 'o1-*=codex', 'o3=codex', 'o3-*=codex', 'o4=codex', 'o4-*=codex'],
      ...['opus=claude', 'sonnet=claude', 'haiku=claude'],
    ],
  ],
  ['server.unknown_models', 'enum', 'answer'],
  ['server.fallback_rules', 'list', []],
  ['server.fetch_images', 'boolean', false],
  ['server.fetch_private_hosts', 'list', []],
  ['server.client_tools', 'enum', 'bridge'],
  ['server.tool_wait_secs', 'integer', 600],
  ['server.max_waiting_turns', 'integer', 16],
  ['server.max_concurrent_runs', 'integer', 8],
  ['server.max_queued_runs', 'integer', 256],
  ['server.mcp_wait_secs', 'integer', 45],
  ['server.max_nesting', 'integer', 1],
  ['server.allow_unsafe_extra', 'boolean', false],
  ['server.max_approval_mode', 'enum', ''],
  ['server.max_sandbox_mode', 'enum', ''],
  ['server.public_url', 'string', ''],
  ['server.webhook_secret_file', 'string', ''],
  ['server.keys', 'entries', []],
  ['warm.enabled', 'boolean', true],
  ['warm.max_processes', 'integer', 4],
  ['warm.idle_secs', 'integer', 300],
  ['warm.max_turns', 'integer', 50],
  ['warm.max_age_secs', 'integer', 3600],
  ['warm.max_rss_mb', 'integer', 1500],
  ['warm.spares', 'integer', 1],
  ['warm.spare_after', 'integer', 2],
  ['warm.background_idle_secs', 'integer', 1800],
  ['warm.approval_timeout_secs', 'integer', 300],
  ['store.url', 'string', 'sqlite:'],
  ['store.schema', 'string', 'drover'],
  ['store.migrate', 'boolean', false],
  ['store.machine', 'string', ''],
  ['store.dead_after_secs', 'integer', 20],
  ['store.statement_timeout_secs', 'integer', 15],
  ['work.repositories', 'list', []],
  ['work.labels', 'list', []],
  ['work.required_labels', 'list', []],
  ['work.drain_secs', 'integer', 30],
  ['work.max_per_key', 'integer', 0],
  ['work.max_per_backend', 'integer', 0],
  ['telemetry.otlp_endpoint', 'string', ''],
  ['telemetry.contents', 'boolean', false],
  ['notify.targets', 'entries', []],
  [
    'notify.push_hosts',
    'list',
    [
      ...['fcm.googleapis.com', 'updates.push.services.mozilla.com', 'web.push.apple.com'],
      ...['*.push.apple.com', '*.notify.windows.com'],
    ],
  ],
]

function aliasesOf(backend: string): Record<string, string> {
  const models: Record<string, readonly [string, string, string]> = {
    claude: ['haiku', 'sonnet', 'opus'],
    codex: ['gpt-4.1-mini', 'gpt-5.2', 'gpt-5-codex'],
    gemini: ['gemini-2.5-flash', 'gemini-2.5-pro', 'gemini-2.5-pro'],
  }
  const [fast, balanced, best] = models[backend] ?? ['', '', '']
  return { fast, quick: fast, balanced, default: balanced, best, powerful: best }
}

describe('the table of keys', () => {
  it('has these keys in this order and no others', () => {
    expect(CONFIG_KEYS.map(({ path }) => path)).toEqual(KEYS.map(([path]) => path))
  })

  it.each(KEYS)('has %s as %s with the default %j', (path, type, fallback) => {
    expect(findKey(path)).toMatchObject({ type, default: fallback })
  })

  it('gives every integer a range that includes its default', () => {
    const integers = CONFIG_KEYS.filter(({ type }) => type === 'integer')
    expect(integers.filter((key) => !isInRange(key)).map(({ path }) => path)).toEqual([])
  })

  it('describes every key', () => {
    expect(CONFIG_KEYS.filter(({ description }) => !/^[\w`].*\.$/.test(description)).map(({ path }) => path)).toEqual(
      [],
    )
  })
})

function isInRange({ minimum = Number.NaN, maximum = Number.NaN, default: fallback }: ConfigKey): boolean {
  return minimum <= Number(fallback) && Number(fallback) <= maximum
}

describe('the variables', () => {
  it.each([
    ['default_backend', ['DROVER_DEFAULT_BACKEND', 'DROVER_BACKEND']],
    ['backends.claude.model', ['DROVER_BACKENDS_CLAUDE_MODEL', 'DROVER_CLAUDE_MODEL']],
    ['backends.codex.model', ['DROVER_BACKENDS_CODEX_MODEL', 'DROVER_CODEX_MODEL']],
    ['backends.gemini.model', ['DROVER_BACKENDS_GEMINI_MODEL', 'DROVER_GEMINI_MODEL']],
    ['server.api_keys_gopass_path', ['DROVER_SERVER_API_KEYS_GOPASS_PATH', 'DROVER_API_KEYS_GOPASS_PATH']],
    ['unified_flags.command_timeout_secs', ['DROVER_UNIFIED_FLAGS_COMMAND_TIMEOUT_SECS', 'DROVER_TIMEOUT']],
    ['server.port', ['DROVER_SERVER_PORT']],
    ['server.trusted_proxies', ['DROVER_SERVER_TRUSTED_PROXIES']],
    ['backends.codex.extra_flags', []],
    ['backends.codex.model_aliases', []],
    ['server.keys', []],
  ])('of %s are %j', (path, variables) => {
    expect(findKey(path)?.variables).toEqual(variables)
  })

  it('exist for every key with a single value', () => {
    const scalars = CONFIG_KEYS.filter(({ type }) => ['string', 'integer', 'boolean', 'enum'].includes(type))
    expect(scalars.filter(({ variables }) => variables.length === 0)).toEqual([])
  })

  it('are unique', () => {
    const all = [...CONFIG_KEYS.flatMap(({ variables }) => variables), ...OTHER_VARIABLES.map(({ name }) => name)]
    expect(all.filter((name, index) => all.indexOf(name) !== index)).toEqual([])
  })
})

describe('suggestKey', () => {
  it.each([
    ['server.prot', 'server.port'],
    ['sever', 'server'],
    ['defualt_backend', 'default_backend'],
    ['["default-backend"]', 'default_backend'],
    ['port', 'server.port'],
    ['prot', 'server.port'],
    ['output.retention_days', 'session.retention_days'],
    ['elephants', undefined],
    ['server.mode', 'sandbox.mode'],
    ['server.secs', undefined],
    ['drive.enabled', undefined],
    ['mode', 'sandbox.mode'],
    ['secs', undefined],
    ['max_turns', 'unified_flags.max_turns'],
    ['servr.prot', 'server.port'],
    [`${'x'.repeat(95)}.port`, 'server.port'],
    [`${'x'.repeat(96)}.port`, undefined],
  ])('suggests for %s: %s', (given, meant) => {
    expect(suggestKey(given)).toBe(meant)
  })
})

describe('paths', () => {
  it.each([
    ['server.trusted_proxies[1]', 'server.trusted_proxies', true],
    ['server.trusted_proxies', 'server.trusted_proxies', true],
    ['backends.codex.model_aliases.fast', 'backends.codex.model_aliases', true],
    ['backends.codex.model_aliases', 'backends.codex.model', false],
    ['server', 'server.port', false],
  ])('isWithin: %s in %s is %s', (place, outer, isInside) => {
    expect(isWithin(place, outer)).toBe(isInside)
  })

  it('quote a name with a dot', () => {
    expect([pathUnder('', 'server.port'), pathUnder('server', 'port'), pathUnder('', 'server')]).toEqual([
      '["server.port"]',
      'server.port',
      'server',
    ])
  })

  it('are sections only if they contain keys', () => {
    expect(['server', 'backends', 'backends.codex', 'server.port', 'serve'].map(isSection)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ])
  })
})
