/** Claude Code and Codex CLI do a coding turn with their own tools; their model is another agent behind drover. Its model says which tools. */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { portOf, serveDrover } from '../support/serve-drover.ts'
import { until } from '../support/until.ts'
import { createAcpSetup, installedAcp } from './acp-agents.ts'
import { createAgentSetup, MODELS } from './agent-setup.ts'
import { installed, processesIn, useUpstream } from './real-agents.ts'

const upstream = useUpstream()
const pathOf = (name: string) => installed.find(({ backend }) => backend === name)?.path ?? ''

const natives = installed.map(({ backend, path }) => ({
  agent: backend as string,
  model: MODELS[backend] as string,
  open: () => createAgentSetup(backend, path, upstream.port()),
}))
const others = installedAcp
  .filter(({ name }) => name === 'opencode')
  .map((agent) => ({
    agent: agent.name as string,
    model: agent.name as string,
    open: () => createAcpSetup(agent, upstream.port()),
  }))

type Call = { name: string; args: Record<string, unknown> }
const scripted = (calls: readonly Call[][]) =>
  `Write the file. #calls=${Buffer.from(JSON.stringify(calls)).toString('base64url')}`

type Client = { url: string; home: string; work: string; model: string; prompt: string }

const CLIENTS = [
  {
    client: 'claude',
    calls: (file: string) => [[{ name: 'Write', args: { file_path: file, content: 'by claude\n' } }]],
    start: ({ url, home, work, model, prompt }: Client) => {
      writeFileSync(join(home, '.claude.json'), '{}')
      const words = ['-p', '--model', `${model}:model`, '--permission-mode', 'acceptEdits', prompt]
      const env = {
        ...{ ANTHROPIC_BASE_URL: `${url}/anthropic`, ANTHROPIC_API_KEY: 'none', CLAUDE_CODE_MAX_RETRIES: '0' },
        ...{ CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1' },
      }
      return run('claude', words, { home, work, env })
    },
  },
  {
    client: 'codex',
    calls: (file: string) => [[{ name: 'exec_command', args: { cmd: `printf 'by codex\\n' > ${file}` } }]],
    start: ({ url, home, work, model, prompt }: Client) => {
      mkdirSync(join(home, '.codex'))
      const provider = `[model_providers.drover]\nname = "drover"\nbase_url = "${url}/openai/v1"\nenv_key = "DROVER_KEY"\nwire_api = "responses"\nrequest_max_retries = 0\nstream_max_retries = 0\n`
      writeFileSync(
        join(home, '.codex', 'config.toml'),
        `model_provider = "drover"\nmodel = "${model}:model"\n${provider}`,
      )
      const words = ['exec', '--skip-git-repo-check', '--sandbox', 'danger-full-access', prompt]
      return run('codex', words, { home, work, env: { DROVER_KEY: 'none' } })
    },
  },
] as const

/** Returns what the client printed. Not `spawnSync`, because the server is asked meanwhile. */
function run(name: string, words: readonly string[], place: { home: string; work: string; env: object }) {
  const { home, work, env } = place
  const program = pathOf(name)
  const path = `${dirname(program)}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`
  const child = spawn(program, words, {
    cwd: work,
    env: { HOME: home, TMPDIR: home, LANG: 'C.UTF-8', PATH: path, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const output of [child.stdout, child.stderr]) output.setEncoding('utf8').on('data', (text) => (printed += text))
  return new Promise<{ printed: string; status: number | null }>((resolve) =>
    child.on('close', (status) => resolve({ printed, status })),
  )
}

const pairs = CLIENTS.filter(({ client }) => pathOf(client) !== '').flatMap((client) =>
  [...natives, ...others].filter(({ agent }) => agent !== client.client).map((agent) => ({ ...client, ...agent })),
)

describe.runIf(pairs.length > 0)('a coding turn', () => {
  it.each(pairs)(
    'of $client with its own tools, on $agent',
    async ({ calls, start, model, open, client }) => {
      const setup = open()
      const serving = serveDrover(['--port', '0'], { ...setup.env('client') })
      onTestFinished(async () => {
        serving.child.kill('SIGTERM')
        await serving.ended
        await until(() => processesIn(setup).length === 0)
        setup.remove()
      })
      const url = `http://127.0.0.1:${await portOf(serving)}`
      const home = mkdtempSync(join(tmpdir(), 'drover-client-'))
      onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }))
      const work = join(home, 'work')
      mkdirSync(work)
      const file = join(work, 'hello.txt')
      const { printed, status } = await start({ url, home, work, model, prompt: scripted(calls(file)) })
      expect([status, printed]).toEqual([0, expect.stringContaining('Heard: ')])
      expect(readFileSync(file, 'utf8')).toBe(`by ${client}\n`)
    },
    110_000,
  )
})
