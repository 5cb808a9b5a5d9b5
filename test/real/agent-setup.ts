/** A home for a real agent: temporary, with a made-up key, configured for a model server on this machine. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { NativeBackend } from '../../src/agents/adapter/agent.ts'

/** Without a model, an agent may send a request to choose one. */
export const MODELS: Record<NativeBackend, string> = {
  claude: 'claude-sonnet-4-5',
  codex: 'gpt-5.5',
  gemini: 'gemini-2.5-pro',
}

export type AgentSetup = { home: string; work: string; env(scenario: string): Record<string, string>; remove(): void }

/** A temporary home that is configured for the model server, and a working directory. */
export function createAgentSetup(backend: NativeBackend, path: string, port: number, host = '127.0.0.1'): AgentSetup {
  const home = mkdtempSync(join(tmpdir(), `drover-real-${backend}-`))
  const work = join(home, 'work')
  mkdirSync(work)
  mkdirSync(join(home, 'tmp'))
  const base = (scenario: string) => `http://${host}:${port}/${scenario}`
  CONFIGURE[backend](home, base('plain'))
  const node = dirname(process.execPath)
  let configured = 'plain'
  return {
    home,
    work,
    env: (scenario) => {
      // A file that was written again is a changed configuration.
      if (backend === 'codex' && scenario !== configured) CONFIGURE.codex(home, base(scenario))
      configured = scenario
      return {
        HOME: home,
        TMPDIR: join(home, 'tmp'),
        PATH: `${dirname(path)}:${node}:/usr/local/bin:/usr/bin:/bin`,
        LANG: 'C.UTF-8',
        REAL_AGENT_HOME: home,
        ...VARIABLES[backend](base(scenario)),
      }
    },
    remove: () => rmSync(home, { recursive: true, force: true, maxRetries: 5 }),
  }
}

/** What the agents of a home need to use the model server with this scenario: their files are written, their variables returned. */
export function configureAgents(
  home: string,
  backends: readonly NativeBackend[],
  base: string,
): Record<string, string> {
  for (const backend of backends) CONFIGURE[backend](home, base)
  return Object.assign({}, ...backends.map((backend) => VARIABLES[backend](base)))
}

const VARIABLES: Record<NativeBackend, (base: string) => Record<string, string>> = {
  claude: (base) => ({ ANTHROPIC_BASE_URL: base, ANTHROPIC_API_KEY: 'made-up', CLAUDE_CODE_MAX_RETRIES: '1' }),
  codex: () => ({ FAKE_KEY: 'made-up' }),
  gemini: (base) => ({ GOOGLE_GEMINI_BASE_URL: base, GEMINI_API_KEY: 'made-up', TERM: 'xterm-256color' }),
}

const CONFIGURE: Record<NativeBackend, (home: string, base: string) => void> = {
  // Claude creates the file with its first prompt, and a file that appears is a changed configuration.
  claude: (home) => writeFileSync(join(home, '.claude.json'), '{}'),
  codex: (home, base) => {
    mkdirSync(join(home, '.codex'), { recursive: true })
    writeFileSync(
      join(home, '.codex', 'config.toml'),
      `model_provider = "fake"\nmodel = "gpt-5.5"\n[model_providers.fake]\nname = "fake"\nbase_url = "${base}/v1"\nenv_key = "FAKE_KEY"\nwire_api = "responses"\nrequest_max_retries = 0\nstream_max_retries = 0\n`,
    )
  },
  gemini: (home) => {
    mkdirSync(join(home, '.gemini'))
    writeFileSync(
      join(home, '.gemini', 'settings.json'),
      JSON.stringify({
        security: { auth: { selectedType: 'gemini-api-key' } },
        general: { enableAutoUpdate: false, maxAttempts: 2 },
        privacy: { usageStatisticsEnabled: false },
      }),
    )
  },
}
