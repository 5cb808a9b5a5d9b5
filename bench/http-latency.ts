/** Measures a prompt over HTTP against starting the same agent directly. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildCommand } from '../src/agents/build-command.ts'
import { agentRequest } from '../test/support/agent-request.ts'
import { installFakeAgent } from '../test/support/fake-agent.ts'
import { formatTable, measure } from './measure.ts'
import { withServer } from './served.ts'

const GOAL = 1.1
const ROUNDS = 12
/** The fake agent prints 40 words in about 800 ms: as long as the real claude takes to start and end. */
const SCRIPT = JSON.stringify({ text: Array.from({ length: 40 }, (_, word) => `word${word} `), chunkMs: 20 })

export async function benchLatency(drover: string): Promise<string> {
  const room = mkdtempSync(join(tmpdir(), 'drover-bench-'))
  const agent = installFakeAgent(room, 'claude')
  const env = { FAKE_AGENT_SCRIPT: SCRIPT, DROVER_BACKENDS_CLAUDE_COMMAND: agent }
  try {
    return await withServer({ args: [drover, 'serve', '-p', '0'], env }, async ({ port }) =>
      [await benchAtOnce(1, { port, agent }), await benchAtOnce(8, { port, agent })].join('\n\n'),
    )
  } finally {
    rmSync(room, { recursive: true, force: true })
  }
}

async function benchAtOnce(count: number, { port, agent }: { port: number; agent: string }): Promise<string> {
  const at = (once: () => Promise<void>) => async () => void (await Promise.all(Array.from({ length: count }, once)))
  const timings = await measure(
    [
      { name: 'the agent started directly', once: at(() => startDirectly(agent)) },
      { name: 'a prompt, whole answer', once: at(() => ask(port, 'json')) },
      { name: 'a prompt, as a stream', once: at(() => ask(port, 'stream-json')) },
    ],
    ROUNDS,
  )
  return `${formatTable(`Prompts over HTTP, ${count} at once`, timings)}\n  goal: at most ${GOAL.toFixed(2)}x`
}

/** Starts the agent as drover does: same arguments, same input, and its own session, which Linux may schedule separately. */
function startDirectly(agent: string): Promise<void> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: tmpdir(), FAKE_AGENT_SCRIPT: SCRIPT }
  const request = agentRequest('claude', { workdir: tmpdir(), wantsDeltas: true, program: [agent], env })
  const { argv, stdin } = buildCommand(request)
  const child = spawn(agent, argv.slice(1), { env, cwd: tmpdir(), detached: true, stdio: ['pipe', 'pipe', 'ignore'] })
  child.stdin.end(stdin)
  child.stdout.resume()
  return new Promise((resolve, reject) => {
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(`the agent exited with ${code}`))))
  })
}

function ask(port: number, format: 'json' | 'stream-json'): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, path: '/api/v1/prompt', method: 'POST', headers })
    outgoing.on('error', reject)
    outgoing.on('response', (response: IncomingMessage) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk) => (text += chunk))
      response.on('end', () => (text.includes('"exit_code":0') ? resolve() : reject(new Error(text))))
    })
    outgoing.end(JSON.stringify({ backend: 'claude', prompt: 'say hello', output_format: format }))
  })
}
