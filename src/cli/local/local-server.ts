/** Runs prompts in your server, if there is one, and asks it about itself. */

import { statSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import type { ApprovalReply, ApprovalRequest } from '../../agents/adapter/agent.ts'
import type { Config } from '../../config/config.shape.ts'
import { Fault, isFault, orUndefined } from '../../kit/fault.ts'
import { toOwnEnvironment } from '../../kit/process/child-environment.ts'
import { readLines } from '../../kit/read-lines.ts'
import type { PromptStream } from '../../prompts/prompt-context.ts'
import type { PromptRequest } from '../../prompts/prompt-request.ts'
import { digestOfSettings, type LocalPrompt, type LocalReply, type LocalStatus } from '../../service/local-protocol.ts'
import type { Invocation } from '../command.ts'
import { localServerLost, localServerSilent } from './faults.ts'
import { callServer, SHORT_ANSWER_MS, sendToServer, serverSocket } from './server-client.ts'

/** Longer than every event. */
const LINE_LIMIT_BYTES = 64 * 1024 * 1024

/** What the agent of an execution wants to do. */
export type ServerQuestion = { executionId: string; socket: string; request: ApprovalRequest }

type ServerPrompt = {
  request: PromptRequest
  config: Config
  signal: AbortSignal
  /** Asks the user. Undefined: the user does not decide here. The signal takes the question back. */
  onApproval(question: ServerQuestion, signal: AbortSignal): Promise<ApprovalReply | undefined>
}

/** The run of a prompt in the server; undefined if there is none, or it does not accept the prompt. */
export async function promptThroughServer(
  invocation: Invocation,
  prompt: ServerPrompt,
): Promise<PromptStream | undefined> {
  if (!hasOwnSocket(invocation)) return undefined
  const response = await sendToServer(invocation, {
    method: 'POST',
    path: '/local/prompt',
    acceptMs: SHORT_ANSWER_MS,
    body: toLocalPrompt(invocation, prompt),
  }).catch(async (error) => {
    // The server has the prompt, and may run it: it must not run twice.
    if (isFault(error, localServerLost)) throw error
    await report(invocation, 'it does not answer')
  })
  if (response === undefined) return undefined
  const replies = new ReplyReader(readReplies(response))
  const first = response.statusCode === 200 ? await replies.peek() : undefined
  const refusal = refusalIn(first, response)
  await report(invocation, refusal)
  if (refusal === undefined && first !== undefined) {
    const executionId = 'execution' in first ? first.execution : ''
    return follow(invocation, { ...prompt, executionId, replies })
  }
  response.destroy()
  return undefined
}

/** With the home directory of another user, as with sudo, the server there is not ours: it must not get our environment. */
function hasOwnSocket(invocation: Invocation): boolean {
  return orUndefined(() => statSync(serverSocket(invocation)).uid === process.getuid?.()) ?? false
}

function toLocalPrompt(
  { runtime }: Invocation,
  { request, config }: Pick<ServerPrompt, 'request' | 'config'>,
): LocalPrompt {
  const env = toOwnEnvironment(runtime.env)
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
    refusal === undefined ? 'the prompt runs in your server' : `your server does not run the prompt: ${refusal}`
  await runtime.terminal.err.write(`drover: ${line}\n`)
}

async function* readReplies(response: IncomingMessage): AsyncGenerator<LocalReply, void> {
  const rules = { limitBytes: LINE_LIMIT_BYTES, onOversize: () => response.destroy() }
  for await (const lines of readLines(response, rules)) for (const line of lines) yield JSON.parse(line)
}

type FollowedPrompt = ServerPrompt & { executionId: string; replies: ReplyReader }

async function* follow(invocation: Invocation, prompt: FollowedPrompt): PromptStream {
  const { executionId, replies, signal } = prompt
  const path = `/api/v1/executions/${executionId}/cancel`
  // It may have ended meanwhile.
  const cancel = () => void callServer(invocation, { method: 'POST', path }).catch(() => undefined)
  signal.addEventListener('abort', cancel)
  if (signal.aborted) cancel()
  try {
    for (let reply = await replies.next(); reply !== undefined; reply = await replies.next()) {
      if ('event' in reply) {
        yield reply.event
        if (reply.event.type === 'approval_request') await decide(invocation, prompt, reply.event.content)
      }
      if ('result' in reply) return reply.result
      if ('fault' in reply) throw new Fault(reply.fault)
    }
    throw localServerLost({})
  } finally {
    signal.removeEventListener('abort', cancel)
    replies.close()
  }
}

/** Asks the user, until it is decided elsewhere or the prompt ends. */
async function decide(invocation: Invocation, prompt: FollowedPrompt, request: ApprovalRequest): Promise<void> {
  const { executionId, replies, signal, onApproval } = prompt
  const over = new AbortController()
  const question = { executionId, socket: serverSocket(invocation), request }
  const asked = onApproval(question, AbortSignal.any([signal, over.signal]))
  void replies.findAhead((reply) => endsQuestion(reply, request), asked).then(() => over.abort())
  const decision = await asked
  if (decision === undefined) return
  const path = `/local/executions/${executionId}/approvals/${request.approval_id}`
  try {
    await callServer(invocation, { method: 'POST', path, body: decision })
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    await invocation.runtime.terminal.err.write(`drover: ${error.message}\n`)
  }
}

/** Whether the tool has ended, allowed or denied by another, or the prompt has. */
function endsQuestion(reply: LocalReply, { tool_id: id }: ApprovalRequest): boolean {
  if (!('event' in reply)) return !('waiting' in reply)
  return reply.event.type === 'tool_result' && id !== undefined && reply.event.content.tool_id === id
}

/** What the server reports about itself; undefined if there is none. Throws a Fault if it does not answer. */
export async function askStatus(invocation: Invocation): Promise<LocalStatus | undefined> {
  if (!hasOwnSocket(invocation)) return undefined
  const call = { method: 'GET' as const, path: '/local/status', answerMs: SHORT_ANSWER_MS }
  const answer = await callServer(invocation, call).catch((error) => {
    if (isFault(error, localServerSilent)) throw error
  })
  return answer as LocalStatus | undefined
}

type Source = AsyncGenerator<LocalReply, void>

/** Reads the replies of the server one by one. While a user is asked, it reads on, and keeps what it has read. */
class ReplyReader {
  readonly #source: Source
  readonly #read: (LocalReply | undefined)[] = []
  /** Only one reply is asked for at a time. */
  #pending: Promise<void> | undefined

  constructor(source: Source) {
    this.#source = source
  }

  /** Undefined at the end, and when the connection is lost. */
  async next(): Promise<LocalReply | undefined> {
    const reply = await this.peek()
    this.#read.shift()
    return reply
  }

  /** The reply that `next` returns. */
  async peek(): Promise<LocalReply | undefined> {
    while (this.#read.length === 0) await this.#pull()
    return this.#read[0]
  }

  /** Resolves when a reply that was not taken yet matches, at the end of the replies, and when `stop` settles. */
  async findAhead(matches: (reply: LocalReply) => boolean, stop: Promise<unknown>): Promise<void> {
    let isStopped = false
    const stopped = stop.finally(() => {
      isStopped = true
    })
    for (let at = 0; !isStopped; at += 1) {
      while (at >= this.#read.length && !isStopped) await Promise.race([this.#pull(), stopped])
      const reply = this.#read[at]
      if (reply === undefined || matches(reply)) return
    }
  }

  /** Does not wait for a reply that is on its way. */
  close(): void {
    void this.#source.return()
  }

  async #pull(): Promise<void> {
    this.#pending ??= this.#source.next().then(
      ({ value }) => this.#note(value ?? undefined),
      () => this.#note(undefined),
    )
    await this.#pending
  }

  #note(reply: LocalReply | undefined): void {
    this.#pending = undefined
    this.#read.push(reply)
  }
}
