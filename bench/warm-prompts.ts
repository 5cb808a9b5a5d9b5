/** The ways of a prompt to an agent, each timed until the first piece of the answer and until the end. */
import { spawn } from 'node:child_process'
import { request as send } from 'node:http'
import type { NativeBackend } from '../src/agents/adapter/agent.ts'
import { buildCommand } from '../src/agents/build-command.ts'
import { newScratchDirectory, removeScratch, writeScratch } from '../src/agents/scratch-files.ts'
import { MODELS } from '../test/real/agent-setup.ts'
import { agentRequest } from '../test/support/agent-request.ts'
import type { Served } from './served.ts'

/** The agent that is measured; `env` and `work` are those of its user. */
export type Subject = {
  backend: NativeBackend
  program: string
  env: Record<string, string>
  work: string
  isReal: boolean
}

export type Taken = { firstMs: number; doneMs: number }
type Asked = Taken & { sessionId: string }
type Ran = Asked & { stderr: string }

const PROMPT = 'say hello'
/** The first piece of the answer: in the output of the agents, and in the events of drover. */
const TEXT_OF_AGENT = /"text_delta"|"type":"assistant"|"agent_message"|"role":"assistant"/
const TEXT_OF_DROVER = /"type":"message"/

/** With the arguments and the input that drover would use. */
export async function byHand({ backend, program, env, work }: Subject): Promise<Taken> {
  const scratchDirectory = newScratchDirectory()
  const over = { model: MODELS[backend], workdir: work, wantsDeltas: true, program: [program] as const, env }
  const command = buildCommand(agentRequest(backend, { ...over, scratchDirectory }))
  writeScratch(scratchDirectory, command)
  // Only drover prevents that gemini starts itself a second time.
  const { GEMINI_CLI_NO_RELAUNCH: _, ...variables } = command.env
  try {
    return await runProgram(command.argv, { cwd: work, env: variables, stdin: command.stdin, text: TEXT_OF_AGENT })
  } finally {
    await removeScratch(scratchDirectory)
  }
}

/** `drover "…"`; with a session `drover resume`. `flags` for example `--direct`. */
export async function withCommand(
  { backend, work }: Subject,
  { drover, env, session, flags = [] }: Command & { session?: string; flags?: readonly string[] },
): Promise<Ran> {
  const words = session === undefined ? [PROMPT, '-b', backend, '-m', MODELS[backend]] : ['resume', session, PROMPT]
  const argv = [process.execPath, drover, ...words, '-o', 'stream-json', ...flags] as const
  return await runProgram(argv, { cwd: work, env, stdin: '', text: TEXT_OF_DROVER })
}

export type Command = { drover: string; env: Record<string, string> }

/** The start of the command alone. */
export async function startCommand({ work }: Subject, { drover, env }: Command): Promise<Taken> {
  return await runProgram([process.execPath, drover, '--version'], { cwd: work, env, stdin: '', text: /\d/ })
}

type ProgramRun = { cwd: string; env: Readonly<Record<string, string>>; stdin: string; text: RegExp }

function runProgram([file, ...args]: readonly [string, ...string[]], run: ProgramRun): Promise<Ran> {
  const started = performance.now()
  const child = spawn(file, args, { cwd: run.cwd, env: run.env, stdio: ['pipe', 'pipe', 'pipe'] })
  let [firstMs, printed, stderr] = [Number.NaN, '', '']
  child.stdout.setEncoding('utf8').on('data', (text) => {
    printed += text
    if (Number.isNaN(firstMs) && run.text.test(printed)) firstMs = performance.now() - started
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  child.stdin.end(run.stdin)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      const doneMs = performance.now() - started
      if (code === 0) resolve({ firstMs, doneMs, sessionId: sessionIn(printed), stderr })
      else reject(new Error(`${file} ended with exit code ${code}: ${stderr.slice(-500)}`))
    })
  })
}

/** Sends a prompt as a stream, so that its first text is seen. */
export function overHttp({ backend, work }: Subject, { port }: Served, session?: string): Promise<Asked> {
  const fields = session === undefined ? { backend, model: MODELS[backend], workdir: work } : {}
  const path = session === undefined ? '/api/v1/prompt' : `/api/v1/sessions/${session}/resume`
  const started = performance.now()
  return new Promise((resolve, reject) => {
    const request = send(
      { port, path, method: 'POST', headers: { 'content-type': 'application/json' } },
      (response) => {
        let [printed, firstMs] = ['', Number.NaN]
        response.setEncoding('utf8').on('data', (text) => {
          printed += text
          if (Number.isNaN(firstMs) && TEXT_OF_DROVER.test(printed)) firstMs = performance.now() - started
        })
        response.once('end', () => {
          const doneMs = performance.now() - started
          if (printed.includes('"exit_code":0')) resolve({ firstMs, doneMs, sessionId: sessionIn(printed) })
          else reject(new Error(printed.slice(-500)))
        })
      },
    )
    request.once('error', reject)
    request.end(JSON.stringify({ ...fields, prompt: PROMPT, output_format: 'stream-json' }))
  })
}

function sessionIn(events: string): string {
  return /"session_id":"([0-9a-f]+)"/.exec(events)?.[1] ?? ''
}
