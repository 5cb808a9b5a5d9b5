/** Real agents that speak ACP with a fake model server: temporary homes, made-up keys, loopback only. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { stringify } from 'yaml'
import { KNOWN_AGENTS, type KnownAgent } from '../../src/agents/acp/known-agents.ts'
import { findProgram } from '../../src/kit/process/find-program.ts'
import type { AgentSetup } from './agent-setup.ts'

/** What an agent needs to use the model server: variables, and files in its home. `base` ends with the scenario. */
type Needs = { env?: (base: string) => Record<string, string>; files?: (base: string) => Record<string, string> }

/** Without `image`, opencode tells the model that it cannot see. */
const MODALITIES = { input: ['text', 'image'], output: ['text'] }

const openCode = (base: string) =>
  JSON.stringify({
    autoupdate: false,
    share: 'disabled',
    model: 'fake/fake-model',
    small_model: 'fake/fake-model',
    provider: {
      fake: {
        npm: '@ai-sdk/openai-compatible',
        options: { baseURL: `${base}/v1`, apiKey: 'made-up' },
        models: {
          'fake-model': { limit: { context: 100_000, output: 8000 }, attachment: true, modalities: MODALITIES },
        },
      },
    },
  })

/** Nobody listens there. */
const NOWHERE = 'http://127.0.0.1:9'

const NEEDS: Record<string, Needs> = {
  opencode: {
    env: () => ({ OPENCODE_DISABLE_MODELS_FETCH: '1' }),
    files: (base) => ({ '.config/opencode/opencode.json': openCode(base) }),
  },
  kilo: {
    env: () => ({ KILO_DISABLE_MODELS_FETCH: '1', KILO_TELEMETRY_LEVEL: 'off', KILO_API_URL: NOWHERE }),
    files: (base) => ({ '.config/kilo/kilo.json': openCode(base) }),
  },
  qwen: {
    env: (base) => ({ OPENAI_API_KEY: 'made-up', OPENAI_BASE_URL: `${base}/v1`, OPENAI_MODEL: 'fake-model' }),
    files: () => ({
      '.qwen/settings.json': JSON.stringify({
        security: { auth: { selectedType: 'openai' } },
        general: { enableAutoUpdate: false },
      }),
    }),
  },
  kimi: {
    env: () => ({ KIMI_CODE_NO_AUTO_UPDATE: '1' }),
    files: (base) => ({
      '.kimi-code/config.toml': `default_model = "fake"\n[providers.fake]\ntype = "openai"\nbase_url = "${base}/v1"\napi_key = "made-up"\n[models.fake]\nprovider = "fake"\nmodel = "fake-model"\nmax_context_size = 100000\n`,
    }),
  },
  goose: {
    env: (base) => ({
      GOOSE_PROVIDER: 'openai',
      // It tells a model that it does not know that it cannot see.
      GOOSE_MODEL: 'gpt-4o',
      OPENAI_HOST: new URL(base).origin,
      OPENAI_BASE_PATH: `${new URL(base).pathname.slice(1)}/v1/chat/completions`,
      OPENAI_API_KEY: 'made-up',
      GOOSE_DISABLE_KEYRING: '1',
      GOOSE_MODE: 'approve',
    }),
  },
  grok: {
    env: () => ({ XAI_API_KEY: 'made-up' }),
    files: (base) => ({
      '.grok/config.toml': `[cli]\nauto_update = false\n[model.fake-model]\nmodel = "fake-model"\nbase_url = "${base}/v1"\napi_key = "made-up"\napi_backend = "chat_completions"\ncontext_window = 100000\n`,
    }),
  },
  vibe: {
    env: () => ({ FAKE_KEY: 'made-up' }),
    files: (base) => ({
      '.vibe/config.toml': `active_model = "fake"\nenable_telemetry = false\n[[providers]]\nname = "fake"\napi_base = "${base}/v1"\napi_key_env_var = "FAKE_KEY"\nbackend = "generic"\n[[models]]\nname = "fake-model"\nprovider = "fake"\nalias = "fake"\n`,
    }),
  },
  pi: {
    env: () => ({ PI_OFFLINE: '1' }),
    files: (base) => ({
      '.pi/agent/models.json': JSON.stringify({
        providers: {
          fake: {
            baseUrl: `${base}/v1`,
            api: 'openai-completions',
            apiKey: 'made-up',
            models: [{ id: 'fake-model', contextWindow: 100_000, maxTokens: 8000 }],
          },
        },
      }),
      '.pi/agent/settings.json': JSON.stringify({ defaultProvider: 'fake', defaultModel: 'fake-model' }),
    }),
  },
}

/** Agents that the other tests leave out. */
const MORE_NEEDS: Record<string, Needs> = {
  'claude-acp': {
    env: (base) => ({ ANTHROPIC_BASE_URL: base, ANTHROPIC_API_KEY: 'made-up', CLAUDE_CODE_MAX_RETRIES: '1' }),
    files: () => ({ '.claude.json': '{}' }),
  },
  'codex-acp': {
    env: () => ({ FAKE_KEY: 'made-up', OPENAI_API_KEY: 'made-up', NO_BROWSER: '1' }),
    files: (base) => ({
      '.codex/config.toml': `model_provider = "fake"\nmodel = "gpt-5.5"\n[model_providers.fake]\nname = "fake"\nbase_url = "${base}/v1"\nenv_key = "FAKE_KEY"\nwire_api = "responses"\nrequest_max_retries = 0\nstream_max_retries = 0\n`,
    }),
  },
  cline: {
    env: () => ({
      ...{ CLINE_API_KEY: 'made-up', CLINE_PROVIDER: 'openai-compatible', CLINE_MODEL: 'fake-model' },
      CLINE_API_BASE_URL: NOWHERE,
    }),
    files: (base) => ({
      '.cline/data/settings/providers.json': JSON.stringify({
        version: 1,
        lastUsedProvider: 'openai-compatible',
        modes: {},
        providers: {
          'openai-compatible': {
            settings: {
              provider: 'openai-compatible',
              apiKey: 'made-up',
              model: 'fake-model',
              baseUrl: `${base}/v1`,
            },
            updatedAt: '2026-11-17T00:00:00.000Z',
            tokenSource: 'manual',
          },
        },
      }),
    }),
  },
  copilot: {
    env: (base) => ({
      ...{ COPILOT_PROVIDER_BASE_URL: `${base}/v1`, COPILOT_PROVIDER_API_KEY: 'made-up' },
      ...{ COPILOT_MODEL: 'fake-model', COPILOT_OFFLINE: 'true' },
    }),
  },
}

/** Grok takes no model from its config. */
const MORE_ARGUMENTS: Record<string, readonly string[]> = { grok: ['-m', 'fake-model'] }

/** The agents that can be tested here without a login, installed or not. */
export const testable = KNOWN_AGENTS.filter(({ name }) => name in NEEDS)

export const installedAcp = testable.flatMap(withPath)

/** With those that can be started with the model server, but differ too much for the other tests. */
export const startableAcp = [...testable, ...KNOWN_AGENTS.filter(({ name }) => name in MORE_NEEDS)].flatMap(withPath)

function withPath(known: KnownAgent) {
  const path = findProgram(known.command[0], { env: process.env, cwd: process.cwd() })
  return path === undefined ? [] : [{ ...known, path }]
}

type Installed = (typeof installedAcp)[number]

export function commandOf({ name, path, command: [, ...args] }: Installed): string[] {
  const more = MORE_ARGUMENTS[name] ?? []
  // The subcommand of grok comes last.
  return [path, ...args.slice(0, -1), ...more, ...args.slice(-1)]
}

/** Writes what the agent needs to use the model server into a home, and returns its variables. */
export function configureAcpAgent({ name }: Installed, home: string, base: string): Record<string, string> {
  const { env, files } = NEEDS[name] ?? MORE_NEEDS[name] ?? {}
  for (const [file, content] of Object.entries(files?.(base) ?? {})) {
    mkdirSync(dirname(join(home, file)), { recursive: true })
    writeFileSync(join(home, file), content)
  }
  return env?.(base) ?? {}
}

/** A temporary home that is configured for the model server, and a working directory. */
export function createAcpSetup(agent: Installed, port: number, host = '127.0.0.1'): AgentSetup {
  const home = mkdtempSync(join(tmpdir(), `drover-real-${agent.name}-`))
  const work = join(home, 'work')
  for (const folder of [work, join(home, 'tmp'), join(home, '.drover')]) mkdirSync(folder)
  const section = { protocol: 'acp', command: commandOf(agent) }
  writeFileSync(join(home, '.drover', 'config.yaml'), stringify({ backends: { [agent.name]: section } }))
  return {
    home,
    work,
    env: (scenario) => ({
      HOME: home,
      TMPDIR: join(home, 'tmp'),
      PATH: `${dirname(agent.path)}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
      LANG: 'C.UTF-8',
      REAL_AGENT_HOME: home,
      ...configureAcpAgent(agent, home, `http://${host}:${port}/${scenario}`),
    }),
    remove: () => rmSync(home, { recursive: true, force: true, maxRetries: 5 }),
  }
}
