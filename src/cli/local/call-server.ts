/** Calls the server of this user, if there is one. */
import { existsSync } from 'node:fs'
import { createConnection, type Socket } from 'node:net'
import type { Config } from '../../config/config.shape.ts'
import { Fault } from '../../kit/fault.ts'
import { readLines } from '../../kit/read-lines.ts'
import type { PromptRequest } from '../../prompts/prompt-request.ts'
import type { PromptRun } from '../../prompts/run-prompt.ts'
import type { Invocation } from '../command.ts'
import { localServerLost } from '../faults.ts'
import {
  digestOfSettings,
  LINE_LIMIT_BYTES,
  type LocalCall,
  type LocalReply,
  type LocalStatus,
  localSocketPath,
} from './local-socket.ts'

/** A server that does not answer by then is not waited for. */
const ANSWER_MS = 2000

type Replies = AsyncGenerator<LocalReply, void>
type Connection = { socket: Socket; replies: Replies; first: LocalReply }

/** The run of a prompt in the server; undefined if there is none, or it does not take the prompt. */
export async function promptThroughServer(
  invocation: Invocation,
  { request, config, signal }: { request: PromptRequest; config: Config; signal: AbortSignal },
): Promise<PromptRun | undefined> {
  const { runtime, flags } = invocation
  const identity = { version: runtime.version(), config: digestOfSettings(config) }
  const env = Object.fromEntries(Object.entries(runtime.env).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >
  const connection = await connect(invocation, { ...identity, call: 'prompt', request, env, cwd: runtime.cwd })
  if (connection === undefined) return undefined
  const isAccepted = 'accepted' in connection.first
  if (flags.isOn('verbose')) await runtime.terminal.err.write(`drover: ${describe(connection.first)}\n`)
  if (isAccepted) return follow(connection, signal)
  connection.socket.destroy()
  return undefined
}

function describe(first: LocalReply): string {
  if ('accepted' in first) return 'the prompt runs in the server of this user'
  return `the server of this user does not take the prompt: ${'refused' in first ? first.refused : 'it gave no reason'}`
}

/** What the server tells about itself; undefined if there is none. `stop` asks it to end. */
export async function askServer(invocation: Invocation, call: 'status' | 'stop'): Promise<LocalStatus | undefined> {
  const connection = await connect(invocation, { version: '', config: '', call })
  connection?.socket.destroy()
  return connection !== undefined && 'status' in connection.first ? connection.first.status : undefined
}

async function connect(invocation: Invocation, call: LocalCall): Promise<Connection | undefined> {
  const path = localSocketPath(invocation)
  if (!existsSync(path)) return undefined
  const socket = createConnection({ path })
  const timer = setTimeout(() => socket.destroy(), ANSWER_MS)
  socket.on('error', () => {})
  socket.write(`${JSON.stringify(call)}\n`)
  const replies = readReplies(socket)
  const first = await replies.next().catch(() => undefined)
  clearTimeout(timer)
  if (first === undefined || first.done === true) return undefined
  return { socket, replies, first: first.value }
}

async function* readReplies(socket: Socket): Replies {
  const rules = { limitBytes: LINE_LIMIT_BYTES, onOversize: () => socket.destroy() }
  for await (const lines of readLines(socket, rules)) for (const line of lines) yield JSON.parse(line)
}

async function* follow({ socket, replies }: Connection, signal: AbortSignal): PromptRun {
  const cancel = () => void socket.write('{"cancel":true}\n')
  signal.addEventListener('abort', cancel)
  if (signal.aborted) cancel()
  try {
    for await (const reply of replies) {
      if ('event' in reply) yield reply.event
      if ('result' in reply) return reply.result
      if ('fault' in reply) throw new Fault(reply.fault)
    }
    throw localServerLost({})
  } finally {
    signal.removeEventListener('abort', cancel)
    socket.destroy()
  }
}
