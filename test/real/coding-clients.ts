/** Claude Code and Codex CLI as clients. They do a coding turn with their own tools; their model is another agent behind drover. */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Place, type TriedClient, tryFeatures } from './client-results.ts'
import { installed, versionOf } from './real-agents.ts'

type Call = { name: string; args: Record<string, unknown> }
const scripted = (calls: readonly Call[][]) =>
  `Write the file. #calls=${Buffer.from(JSON.stringify(calls)).toString('base64url')}`

type Started = Place & { home: string; work: string; prompt: string }
type Command = { words: readonly string[]; env: Record<string, string> }

const PROGRAMS = [
  {
    ...{ client: 'Claude Code', program: 'claude' },
    calls: (file: string) => [[{ name: 'Write', args: { file_path: file, content: 'by claude\n' } }]],
    toCommand: ({ url, home, model, prompt }: Started): Command => {
      writeFileSync(join(home, '.claude.json'), '{}')
      const quiet = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1' }
      return {
        words: ['-p', '--model', `${model}:model`, '--permission-mode', 'acceptEdits', prompt],
        env: {
          ...{ ANTHROPIC_BASE_URL: `${url}/anthropic`, ANTHROPIC_API_KEY: 'none', CLAUDE_CODE_MAX_RETRIES: '0' },
          ...quiet,
        },
      }
    },
  },
  {
    ...{ client: 'Codex CLI', program: 'codex' },
    calls: (file: string) => [[{ name: 'exec_command', args: { cmd: `printf 'by codex\\n' > ${file}` } }]],
    toCommand: ({ url, home, model, prompt }: Started): Command => {
      mkdirSync(join(home, '.codex'))
      const provider = `[model_providers.drover]\nname = "drover"\nbase_url = "${url}/openai/v1"\nenv_key = "DROVER_KEY"\nwire_api = "responses"\nrequest_max_retries = 0\nstream_max_retries = 0\n`
      writeFileSync(
        join(home, '.codex', 'config.toml'),
        `model_provider = "drover"\nmodel = "${model}:model"\n${provider}`,
      )
      const words = ['exec', '--skip-git-repo-check', '--sandbox', 'danger-full-access', prompt]
      return { words, env: { DROVER_KEY: 'none' } }
    },
  },
]

/** Returns what the client printed. Not `spawnSync`, because the model server runs meanwhile. */
function run(path: string, { words, env }: Command, { home, work }: { home: string; work: string }) {
  const child = spawn(path, words, {
    cwd: work,
    env: {
      ...{ HOME: home, TMPDIR: home, LANG: 'C.UTF-8', ...env },
      PATH: `${dirname(path)}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const output of [child.stdout, child.stderr]) output.setEncoding('utf8').on('data', (text) => (printed += text))
  return new Promise<{ printed: string; status: number | null }>((resolve) =>
    child.on('close', (status) => resolve({ printed, status })),
  )
}

async function doCodingTurn(path: string, program: (typeof PROGRAMS)[number], place: Place): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'drover-client-'))
  try {
    const work = join(home, 'work')
    mkdirSync(work)
    const file = join(work, 'hello.txt')
    const command = program.toCommand({ ...place, home, work, prompt: scripted(program.calls(file)) })
    const { printed, status } = await run(path, command, { home, work })
    if (status !== 0 || !printed.includes('Heard: ')) throw new Error(printed.slice(-2000))
    if (readFileSync(file, 'utf8') !== `by ${program.program}\n`) throw new Error('the file has another content')
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  }
}

export const codingClients: TriedClient[] = PROGRAMS.flatMap((program) => {
  const path = installed.find(({ backend }) => backend === program.program)?.path
  if (path === undefined) return []
  const coding = (place: Place) => doCodingTurn(path, program, place)
  return [
    { client: program.client, version: versionOf(path), run: (place) => tryFeatures({ coding: () => coding(place) }) },
  ]
})
