import { describe, expect, it } from 'vitest'
import type { AgentLocation } from '../../agents/locate-agents.ts'
import { NATIVE_AGENTS } from '../../agents/registry.ts'
import { mergeLayers } from '../../config/layers.ts'
import type { ConfigPath } from '../../config/setting-keys.ts'
import { startupSummary } from './serve.ts'
import { type BannerFacts, startupBanner } from './startup-banner.ts'

const configWith = (values: Partial<Record<ConfigPath, unknown>> = {}) =>
  mergeLayers([{ values: new Map(Object.entries(values)) as Map<ConfigPath, unknown>, origins: new Map() }]).config

const located = (backend: 'claude' | 'codex' | 'gemini', facts: Partial<AgentLocation>): AgentLocation => ({
  agent: NATIVE_AGENTS[backend],
  backend,
  isEnabled: true,
  program: [`/bin/${backend}`],
  isDemo: false,
  wanted: backend,
  ...facts,
})

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
  agents: [located('claude', {}), located('codex', { isDemo: true }), located('gemini', { program: undefined })],
  endpoints: [
    { method: 'POST', path: '/api/v1/prompt' },
    { method: 'GET', path: '/api/v1/sessions' },
    { method: 'POST', path: '/openai/v1/chat/completions' },
    { method: 'GET', path: '/health' },
  ],
  console: { url: 'http://127.0.0.1:8080/', isOneTime: false, isBuilt: true },
}

const plain = (facts: BannerFacts, isTty = true) => startupSummary(facts, { paint: (_style, text) => text, isTty })

describe('startupSummary', () => {
  it('shows the address, the console, the agents, and warnings last', () => {
    expect(plain(FACTS)).toBe(`drover 1.2.3 listens on http://127.0.0.1:8080
console    http://127.0.0.1:8080/
security   auth disabled (only this machine can connect), rate limit disabled, metrics disabled, trusted proxies none, bind host 127.0.0.1, CORS origins none, ceilings none, prompts outside of a sandbox (sandbox.mode off), runs inside (drive.sandbox on)
agents     claude, codex (demo), gemini (not installed)
endpoints  /api/v1, /openai/v1, /health (4 in all, --verbose lists them with all settings). Press Ctrl-C to stop.
! codex: not installed. The built-in demo agent answers with canned text instead.
`)
  })

  it('names no agents if other machines run them', () => {
    const facts = { ...FACTS, isWorker: false }
    expect(plain(facts)).toContain('\nagents     run on the workers ("drover machines" lists them)\n')
    expect(startupBanner(facts)).toContain('\nAgents\n  run on the workers ("drover machines" lists them)\n\n')
  })

  it('names the ceilings and the sandbox', () => {
    const config = configWith({ 'server.max_sandbox_mode': 'workspace', 'sandbox.mode': 'required' })
    expect(plain({ ...FACTS, config })).toMatch(
      /^security .*, ceilings sandbox workspace, sandbox.mode required, drive.sandbox on$/m,
    )
  })

  it.each<[string, BannerFacts['console'], string | undefined]>([
    [
      'a link that logs in',
      { url: 'http://127.0.0.1:8080/#/open/abc', isOneTime: true, isBuilt: true },
      'console    http://127.0.0.1:8080/#/open/abc (logs you in once, within 5 minutes; "drover open" prints another link)',
    ],
    [
      'that the console is not built',
      { url: 'http://127.0.0.1:8080/', isOneTime: false, isBuilt: false },
      'console    not built in this clone; run "npm run build:console"',
    ],
    ['no line without a console', undefined, undefined],
  ])('shows %s', (_name, console, line) => {
    const lines = plain({ ...FACTS, console }).split('\n')
    expect(lines.find((each) => each.startsWith('console'))).toBe(line)
  })

  it('has five lines without a problem, and the same outside of a terminal but for the link that logs in', () => {
    const facts = { ...FACTS, agents: [located('claude', {})] }
    expect(plain(facts).trimEnd().split('\n')).toHaveLength(5)
    expect(plain(facts, false)).toBe(plain(facts))
    const console = { url: 'http://127.0.0.1:8080/#/open/abc', isOneTime: true, isBuilt: true }
    expect(plain({ ...facts, console }, false)).toContain(
      '\nconsole    http://127.0.0.1:8080/ ("drover open" prints a link that logs you in)\n',
    )
  })

  it('has at most ten lines, however many warnings there are', () => {
    const config = configWith({
      'server.cors_allowed_origins': ['*'],
      'unified_flags.approval_mode': 'none',
      'server.allow_unsafe_extra': true,
    })
    const bound = { host: '0.0.0.0', address: '0.0.0.0', port: 8080 }
    const lines = plain({ ...FACTS, config, bound, isRoot: true, hasShortKey: true })
      .trimEnd()
      .split('\n')
    expect(lines.length).toBe(10)
    expect(lines[5]).toContain('! public bind address without API key auth')
    expect(lines[9]).toMatch(/^! \d more; --verbose shows them$/)
  })

  it('colours addresses and warnings', () => {
    const text = startupSummary(FACTS, { paint: (style, content) => `<${style}>${content}</>`, isTty: true })
    expect(text).toContain('<cyan>http://127.0.0.1:8080</>')
    expect(text).toContain('<yellow>! codex: not installed')
  })
})
