import { describe, expect, it } from 'vitest'
import type { AgentLocation } from '../../agents/locate-agents.ts'
import { NATIVE_AGENTS } from '../../agents/registry.ts'
import { mergeLayers } from '../../config/layers.ts'
import type { ConfigPath } from '../../config/setting-keys.ts'
import { type BannerFacts, startupBanner } from './startup-banner.ts'

const configWith = (values: Partial<Record<ConfigPath, unknown>> = {}) =>
  mergeLayers([{ values: new Map(Object.entries(values)) as Map<ConfigPath, unknown>, origins: new Map() }]).config

const installed: AgentLocation = {
  agent: NATIVE_AGENTS.claude,
  backend: 'claude',
  isEnabled: true,
  program: ['/bin/claude'],
  isDemo: false,
  wanted: 'claude',
}
const demo: AgentLocation = {
  agent: NATIVE_AGENTS.codex,
  backend: 'codex',
  isEnabled: true,
  program: ['/bin/node'],
  isDemo: true,
  wanted: 'codex',
}
const absent: AgentLocation = {
  agent: NATIVE_AGENTS.gemini,
  backend: 'gemini',
  isEnabled: true,
  program: undefined,
  isDemo: false,
  wanted: 'gemini',
}

const FACTS: BannerFacts = {
  version: '1.2.3',
  isWorker: true,
  config: configWith(),
  bound: { host: '127.0.0.1', address: '127.0.0.1', port: 8080 },
  hasKeys: false,
  hasShortKey: false,
  keySources: [],
  isRoot: false,
  missingDirectories: [],
  readableSecrets: [],
  agents: [installed, demo, absent],
  endpoints: [
    { method: 'GET', path: '/health' },
    { method: 'GET', path: '/docs/:asset' },
    { method: 'POST', path: '/api/v1/prompt' },
    { method: 'DELETE', path: '/api/v1/sessions/:id' },
    { method: 'POST', path: '/openai/v1/chat/completions' },
    { method: 'POST', path: '/anthropic/v1/messages' },
  ],
}

describe('startupBanner', () => {
  it('shows the address, the security status, the agents, the endpoints and an example', () => {
    expect(startupBanner(FACTS)).toBe(`drover 1.2.3 listens on http://127.0.0.1:8080

Security status
  auth             disabled
  rate limit       disabled
  metrics          disabled
  trusted proxies  disabled
  bind host        127.0.0.1
  cors origins     none
  workdirs         all except the blocked ones
  ceilings         none

Agents
  claude   /bin/claude
  codex    DEMO AGENT; install it with "npm install --global @openai/codex"
  gemini   not installed (no program "gemini"); install it with "npm install --global @google/gemini-cli"
  ! codex: not installed. The built-in demo agent answers with canned text instead.

Endpoints
  Native
    POST   /api/v1/prompt
    DELETE /api/v1/sessions/{id}
  Chat completions
    POST   /openai/v1/chat/completions
  Messages
    POST   /anthropic/v1/messages
  Server
    GET    /health

Try it
  curl http://127.0.0.1:8080/api/v1/prompt \\
    -H 'Content-Type: application/json' -d '{"backend": "claude", "prompt": "say hello"}'

Press Ctrl-C to stop
`)
  })

  it.each<[string, Partial<BannerFacts>, string]>([
    [
      'both ceilings',
      { config: configWith({ 'server.max_approval_mode': 'auto', 'server.max_sandbox_mode': 'workspace' }) },
      'approval auto, sandbox workspace',
    ],
    ['no ceiling at the top of a scale', { config: configWith({ 'server.max_sandbox_mode': 'full' }) }, 'none'],
    [
      'the ceiling of a server that others can reach without a key',
      { bound: { host: '0.0.0.0', address: '0.0.0.0', port: 1 } },
      'sandbox read-only (server.max_sandbox_mode is not set, and others can reach this server without a key)',
    ],
    [
      'keys with their own ceilings',
      {
        config: configWith({ 'server.keys': [{ name: 'ci', sha256: 'a'.repeat(64), max_sandbox_mode: 'full' }] }),
        hasKeys: true,
      },
      'none; separate ones for ci',
    ],
  ])('shows %s', (_name, facts, text) => {
    expect(startupBanner({ ...FACTS, ...facts })).toContain(`  ceilings         ${text}\n`)
  })

  it('shows which features are enabled, and the security warnings', () => {
    const config = configWith({
      'server.rate_limit_enabled': true,
      'server.metrics_enabled': true,
      'server.trusted_proxies': ['10.0.0.0/8'],
      'server.cors_allowed_origins': [],
      'server.allowed_workdir_prefixes': ['/srv/a', '/srv/b'],
      'server.allow_unsafe_extra': true,
    })
    const facts: BannerFacts = {
      ...FACTS,
      config,
      bound: { host: '::', address: '::', port: 9000 },
      hasKeys: true,
      keySources: ['server.keys', 'gopass a/b'],
      agents: [
        { ...installed, isEnabled: false },
        { ...demo, isDemo: false },
      ],
      endpoints: [],
    }
    expect(startupBanner(facts)).toBe(`drover 1.2.3 listens on http://[::]:9000

Security status
  auth             enabled (server.keys, gopass a/b)
  rate limit       enabled (10 per second, burst of 20)
  metrics          enabled
  trusted proxies  enabled (10.0.0.0/8)
  bind host        ::
  cors origins     none
  workdirs         /srv/a, /srv/b
  ceilings         none

Security warnings
  ! keys without ceilings: their agents can read what drover keeps of all callers, and its config
    suggestion: set server.max_sandbox_mode to workspace or read-only, or max_sandbox_mode of single keys
  ! unsafe extra arguments allowed: a request can disable the approval and sandbox of its agent
    suggestion: set server.allow_unsafe_extra to false

Agents
  codex    /bin/node

Endpoints

Try it
  curl -H "X-Api-Key: $KEY" http://[::1]:9000/api/v1/prompt \\
    -H 'Content-Type: application/json' -d '{"backend": "codex", "prompt": "say hello"}'

Press Ctrl-C to stop
`)
  })

  it('says what to do if no agent is installed', () => {
    const missing = { ...demo, isDemo: false, program: undefined }
    const warning =
      '! No agent is installed, so no prompt can run. Install one, or start with --demo to try the server.'
    expect(startupBanner({ ...FACTS, agents: [missing] })).toContain(warning)
    expect(startupBanner({ ...FACTS, agents: [missing], isWorker: false })).not.toContain(warning)
    expect(startupBanner({ ...FACTS, agents: [{ ...installed, isEnabled: false }, missing] })).toContain(warning)
    expect(startupBanner({ ...FACTS, agents: [installed, missing] })).not.toContain(warning)
  })

  it('shows the path of a Unix socket', () => {
    const text = startupBanner({ ...FACTS, bound: { socket: '/run/drover.sock' } })
    expect(text).toContain('drover 1.2.3 listens on the Unix socket /run/drover.sock\n')
    expect(text).toContain('bind host        none (Unix socket)\n')
    expect(text).toContain('curl --unix-socket /run/drover.sock http://localhost/api/v1/prompt')
  })
})
