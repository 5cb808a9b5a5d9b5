/** Runs the commands of docs/tour.svg in a temporary home, with only the built-in demo agent. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A command and its output. */
export type Scene = { line: string; prints: string }

const DROVER = join(import.meta.dirname, '..', 'bin', 'drover.cjs')
const BASE = 'http://127.0.0.1:8080'

const LINES = [
  'drover --demo "what is a shepherd?"',
  'drover --demo -c "shorter, please"',
  'drover compare --demo "tabs or spaces?"',
  'drover sessions list',
  `curl -sN ${BASE}/openai/v1/chat/completions --json '{"model": "codex", "stream": true, "messages": [{"role": "user", "content": "say hello"}]}'`,
]

export async function playTour(): Promise<Scene[]> {
  const home = mkdtempSync(join(tmpdir(), 'drover-tour-'))
  const project = join(home, 'project')
  mkdirSync(project)
  // PATH has no agents; drover is a shell function.
  const env = {
    PATH: '/usr/bin:/bin',
    HOME: home,
    DROVER_HOME: join(home, '.drover'),
    DEMO_AGENT_WORD_MS: '0',
    ...ABSENT,
  }
  const server = spawn(process.execPath, [DROVER, 'serve', '--demo', '--port', '0', '--quiet'], { env, cwd: project })
  const ended = once(server, 'close')
  try {
    const url = await addressOf(server)
    const scenes: Scene[] = []
    for (const line of LINES) {
      const script = `drover() { '${process.execPath}' '${DROVER}' "$@"; }\n${line.replace(BASE, url)}`
      scenes.push({ line, prints: withoutChance(await run(script, { env, cwd: project })) })
    }
    return scenes
  } finally {
    server.kill('SIGTERM')
    await ended
    rmSync(home, { recursive: true, force: true })
  }
}

/** Otherwise an installed agent would run, and cost money. */
const ABSENT = Object.fromEntries(
  ['CLAUDE', 'CODEX', 'GEMINI'].map((name) => [
    `DROVER_BACKENDS_${name}_COMMAND`,
    `${name.toLowerCase()}-is-not-asked`,
  ]),
)

function addressOf(server: ChildProcess): Promise<string> {
  let said = ''
  return new Promise((resolve, reject) => {
    server.stdout?.setEncoding('utf8').on('data', (text) => {
      said += text
      const address = /listens on (http:\S+)/.exec(said)?.[1]
      if (address !== undefined) resolve(address)
    })
    server.once('close', () => reject(new Error(`the server has ended: ${said}`)))
  })
}

async function run(script: string, options: { env: Record<string, string>; cwd: string }): Promise<string> {
  const child = spawn('/bin/sh', ['-c', script], { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  const [printed, errors] = [child.stdout, child.stderr].map(async (stream) => {
    let text = ''
    for await (const chunk of stream.setEncoding('utf8')) text += chunk
    return text
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${script} exited with ${code}: ${await errors}`)
  return (await printed) ?? ''
}

/** Replaces ids, times and durations, which differ from run to run. */
function withoutChance(text: string): string {
  return text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '0c2f6a51-9d0e-4b7a-8f53-6f1f0f3b7c1d')
    .replace(/chatcmpl-[0-9a-f]+/g, 'chatcmpl-5b1e')
    .replace(/"created":\d+/g, '"created":1767225600')
    .replace(/^[0-9a-f]{8}(?= {2})/gm, '7d3c90e4')
    .replace(/^(?:[\d.]+ (?:ms|s)|\d+ m \d+ s)(?=, \d+ tokens)/gm, '0.4 s')
}
