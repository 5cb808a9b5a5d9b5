/** What drover adds to an agent: the same executable started directly, by the runner, and by the whole program. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentRequest } from '../src/agents/adapter/agent.ts'
import { buildCommand } from '../src/agents/build-command.ts'
import { runAgent } from '../src/agents/run-agent.ts'
import { newScratchDirectory } from '../src/agents/scratch-files.ts'
import { agentRequest } from '../test/support/agent-request.ts'
import { installFakeAgent } from '../test/support/fake-agent.ts'
import { formatTable, measure } from './measure.ts'
import { withPublished } from './published.ts'

const GOAL = 1.1
const ROUNDS = 12
/** The one executable that all rows start. */
const agentRoom = mkdtempSync(join(tmpdir(), 'drover-bench-'))
const program = [join(agentRoom, 'claude')] as const
/** The fake agent prints 40 words in about 800 ms: as long as the real claude takes to start and end. */
const script = JSON.stringify({ text: Array.from({ length: 40 }, (_, word) => `word${word} `), chunkMs: 20 })
const env = {
  PATH: process.env['PATH'] ?? '',
  HOME: agentRoom,
  FAKE_AGENT_SCRIPT: script,
  DROVER_BACKENDS_CLAUDE_COMMAND: program[0],
}

const request = (): AgentRequest =>
  agentRequest('claude', {
    workdir: tmpdir(),
    wantsDeltas: true,
    program,
    env,
    scratchDirectory: newScratchDirectory(),
  })

export async function benchPrompts(): Promise<string> {
  installFakeAgent(agentRoom, 'claude')
  try {
    return await benchAll()
  } finally {
    rmSync(agentRoom, { recursive: true, force: true })
  }
}

async function benchAll(): Promise<string> {
  return await withPublished(async (drover) =>
    [await benchAtOnce(1, drover), await benchAtOnce(8, drover)].join('\n\n'),
  )
}

async function benchAtOnce(count: number, drover: string): Promise<string> {
  const at = (once: () => Promise<void>) => async () => void (await Promise.all(Array.from({ length: count }, once)))
  const timings = await measure(
    [
      { name: 'the agent started directly', once: at(startDirectly) },
      { name: "through drover's runner", once: at(throughRunner) },
      ...(count === 1
        ? [{ name: 'through "drover prompt"', once: () => throughProgram(drover) }]
        : [
            { name: 'through one "drover parallel"', once: () => throughParallel(drover, count) },
            { name: `through ${count} "drover prompt" at once`, once: at(() => throughProgram(drover)) },
          ]),
    ],
    ROUNDS,
  )
  return `${formatTable(`Prompts, ${count} at once`, timings)}\n  goal: at most ${GOAL.toFixed(2)}x`
}

function startDirectly(): Promise<void> {
  const { argv, stdin } = buildCommand(request())
  return feed(argv, stdin)
}

async function throughRunner(): Promise<void> {
  const asked = request()
  const running = runAgent(asked, buildCommand(asked), { signal: new AbortController().signal })
  let next = await running.next()
  while (next.done !== true) next = await running.next()
  if (next.value.exitCode !== 0) throw new Error(next.value.error?.message)
}

function throughProgram(drover: string): Promise<void> {
  return feed([process.execPath, drover, '-o', 'stream-json', '-'], 'say hello')
}

function throughParallel(drover: string, count: number): Promise<void> {
  const tasks = JSON.stringify(Array.from({ length: count }, () => ({ backend: 'claude', prompt: 'say hello' })))
  return feed([process.execPath, drover, 'parallel', '--max-parallel', String(count), '--json'], tasks)
}

function feed(argv: readonly string[], stdin: string): Promise<void> {
  const [command = '', ...args] = argv
  const child = spawn(command, args, { env, cwd: tmpdir(), stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(stdin)
  child.stdout.resume()
  return new Promise((resolve, reject) => {
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(`${argv.join(' ')} exited ${code}`))))
  })
}
