/** Runs prompts in the server of this user, if there is one, and asks it about itself. */
import { existsSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import type { Config } from '../../config/config.shape.ts'
import { Fault } from '../../kit/fault.ts'
import { readLines } from '../../kit/read-lines.ts'
import type { PromptRequest } from '../../prompts/prompt-request.ts'
import type { PromptRun } from '../../prompts/run-prompt.ts'
import type { Invocation } from '../command.ts'
import { localServerLost } from '../faults.ts'
import { callServer, sendToServer, serverSocket } from '../server-client.ts'
import { digestOfSettings, type LocalPrompt, type LocalReply, type LocalStatus } from './local-protocol.ts'

/** Longer than every event. */
const LINE_LIMIT_BYTES = 64 * 1024 * 1024

type Replies = AsyncGenerator<LocalReply, void>

/** The run of a prompt in the server; undefined if there is none, or it does not accept the prompt. */
export async function promptThroughServer(
  invocation: Invocation,
  { request, config, signal }: { request: PromptRequest; config: Config; signal: AbortSignal },
): Promise<PromptRun | undefined> {
  if (!existsSync(serverSocket(invocation))) return undefined
  const response = await sendToServer(invocation, {
    method: 'POST',
    path: '/local/prompt',
    body: toLocalPrompt(invocation, { request, config }),
  }).catch(() => undefined)
  if (response === undefined) return undefined
  const replies = readReplies(response)
  const first = response.statusCode === 200 ? await replies.next() : undefined
  const refusal = refusalIn(first?.done === false ? first.value : undefined, response)
  await report(invocation, refusal)
  if (refusal === undefined && first?.done === false) {
    return follow(invocation, { first: first.value, replies, signal })
  }
  response.destroy()
  return undefined
}

function toLocalPrompt(
  { runtime }: Invocation,
  { request, config }: { request: PromptRequest; config: Config },
): LocalPrompt {
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(runtime.env)) if (value !== undefined) env[name] = value
  return { version: runtime.version(), config: digestOfSettings(config), request, env, cwd: runtime.cwd }
}

/** Why the server does not run the prompt; undefined if it does. */
function refusalIn(first: LocalReply | undefined, { statusCode }: IncomingMessage): string | undefined {
  if (first === undefined) return `it answered with status ${statusCode}`
  return 'refused' in first ? first.refused : undefined
}

async function report({ flags, runtime }: Invocation, refusal: string | undefined): Promise<void> {
  if (!flags.isOn('verbose')) return
  const line =
    refusal === undefined
      ? 'the prompt runs in the server of this user'
      : `the server of this user does not run the prompt: ${refusal}`
  await runtime.terminal.err.write(`drover: ${line}\n`)
}

async function* readReplies(response: IncomingMessage): Replies {
  const rules = { limitBytes: LINE_LIMIT_BYTES, onOversize: () => response.destroy() }
  for await (const lines of readLines(response, rules)) for (const line of lines) yield JSON.parse(line)
}

async function* follow(
  invocation: Invocation,
  { first, replies, signal }: { first: LocalReply; replies: Replies; signal: AbortSignal },
): PromptRun {
  const id = 'execution' in first ? first.execution : ''
  const path = `/api/v1/executions/${id}/cancel`
  // It may have ended meanwhile.
  const cancel = () => void callServer(invocation, { method: 'POST', path }).catch(() => undefined)
  signal.addEventListener('abort', cancel)
  if (signal.aborted) cancel()
  try {
    for await (const reply of withFirst(first, replies)) {
      if ('event' in reply) yield reply.event
      if ('result' in reply) return reply.result
      if ('fault' in reply) throw new Fault(reply.fault)
    }
    throw localServerLost({})
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

async function* withFirst(first: LocalReply, replies: Replies): Replies {
  yield first
  yield* replies
}

/** What the server reports about itself; undefined if there is none. */
export async function askStatus(invocation: Invocation): Promise<LocalStatus | undefined> {
  if (!existsSync(serverSocket(invocation))) return undefined
  const answer = await callServer(invocation, { method: 'GET', path: '/local/status' }).catch(() => undefined)
  return answer as LocalStatus | undefined
}
