/**
 * Connects an agent with an MCP server over HTTP (Streamable HTTP, as of 2025-06-18 and 2026-07-28). The agent speaks lines; each
 * line becomes a request. What the server sends without being asked is not passed on.
 */

import type { Socket } from 'node:net'
import { orUndefined } from '../../kit/fault.ts'
import { readLines } from '../../kit/read-lines.ts'
import { isObject, type JsonRecord, objectAt, textAt } from '../adapter/json-fields.ts'
import { writeTo } from '../client-tools/agent-socket.ts'
import { LINES_OF_AGENT, toServerMessage } from './limit-agent.ts'

/** Requests of an agent that are not answered yet. */
const MAX_OPEN = 100
const VERSION_IN_META = 'io.modelcontextprotocol/protocolVersion'
const REASON_LENGTH = 300
/** The codes of JSON-RPC above this are free for use. */
const SERVER_FAILED = -32_000

type Address = {
  name: string
  url: string
  headers: Readonly<Record<string, string>>
  signal: AbortSignal
  onProblem(problem: string): void
}

export async function linkToAddress(socket: Socket, address: Address): Promise<void> {
  const link = new HttpLink(socket, address)
  try {
    for await (const lines of readLines(socket, LINES_OF_AGENT)) {
      for (const line of lines) await link.take(line)
    }
  } catch {
    // The agent has ended.
  }
  await link.close()
}

class HttpLink {
  readonly #socket: Socket
  readonly #address: Address
  readonly #stop = new AbortController()
  readonly #open = new Set<Promise<void>>()
  #session: string | undefined
  #version: string | undefined

  constructor(socket: Socket, address: Address) {
    this.#socket = socket
    this.#address = address
  }

  /** A notification is delivered before the next message; a request may take long. */
  async take(line: string): Promise<void> {
    const message = toServerMessage(line)
    if (message === undefined) return
    // A hostile agent would send any number of them, from here.
    while (this.#open.size >= MAX_OPEN) await Promise.race(this.#open)
    const sent = this.#send(message).finally(() => this.#open.delete(sent))
    this.#open.add(sent)
    if (message['id'] === undefined) await sent
  }

  async close(): Promise<void> {
    this.#stop.abort()
    this.#socket.destroy()
    await Promise.all(this.#open)
    if (this.#session === undefined || this.#address.signal.aborted) return
    await this.#request({ method: 'DELETE' }, {}, this.#address.signal).catch(() => undefined)
  }

  async #send(message: JsonRecord): Promise<void> {
    const { signal } = this.#stop
    const either = AbortSignal.any([signal, this.#address.signal])
    try {
      const response = await this.#request({ method: 'POST', body: JSON.stringify(message) }, message, either)
      if (!response.ok) return await this.#fail(message, `answers with status ${response.status}`)
      this.#session = response.headers.get('mcp-session-id') ?? this.#session
      for await (const answer of answersIn(response)) await this.#deliver(message, answer)
    } catch (error) {
      if (!either.aborted) await this.#fail(message, `cannot be reached: ${reasonOf(error)}`)
    }
  }

  #request(init: RequestInit, message: JsonRecord, signal: AbortSignal): Promise<Response> {
    const { url, headers } = this.#address
    const own = {
      ...headers,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...(this.#session !== undefined && { 'mcp-session-id': this.#session }),
      ...(this.#version !== undefined && { 'mcp-protocol-version': this.#version }),
      ...headersOf(message),
    }
    // A redirection would carry the secrets elsewhere.
    return fetch(url, { ...init, headers: own, signal, redirect: 'error' })
  }

  async #deliver(asked: JsonRecord, answer: JsonRecord): Promise<void> {
    if (asked['method'] === 'initialize') {
      this.#version = textAt(objectAt(answer, 'result'), 'protocolVersion') ?? this.#version
    }
    await writeTo(this.#socket, `${JSON.stringify(answer)}\n`)
  }

  async #fail({ id }: JsonRecord, problem: string): Promise<void> {
    this.#address.onProblem(problem)
    if (id === undefined) return
    const error = { code: SERVER_FAILED, message: `the MCP server ${this.#address.name} ${problem}` }
    await writeTo(this.#socket, `${JSON.stringify({ jsonrpc: '2.0', id, error })}\n`)
  }
}

/** What a message of 2026-07-28 says must stand in headers too. */
function headersOf({ method, params }: JsonRecord): Record<string, string> {
  const fields = isObject(params) ? params : {}
  const version = textAt(objectAt(fields, '_meta'), VERSION_IN_META)
  if (version === undefined || typeof method !== 'string') return {}
  const name = textAt(fields, 'name') ?? textAt(fields, 'uri')
  return {
    'mcp-protocol-version': version,
    'mcp-method': method,
    ...(name !== undefined && { 'mcp-name': name }),
  }
}

async function* answersIn(response: Response): AsyncGenerator<JsonRecord> {
  if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) {
    const answers = toMessages(await response.text())
    return yield* answers
  }
  let data: string[] = []
  for await (const lines of readLines(toBuffers(response), LINES_OF_AGENT)) {
    for (const line of lines) {
      if (line.startsWith('data:')) data.push(line.slice('data:'.length).trimStart())
      if (line !== '') continue
      yield* toMessages(data.join('\n'))
      data = []
    }
  }
}

async function* toBuffers({ body }: Response): AsyncGenerator<Buffer> {
  for await (const chunk of body ?? []) yield Buffer.from(chunk)
}

/** One message or, in older versions, several. */
function toMessages(text: string): JsonRecord[] {
  return orUndefined(() => [JSON.parse(text)].flat().filter(isObject)) ?? []
}

/** The cause has more to say than `fetch failed`, and no header. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error
  // It can repeat what the agent sent.
  return (cause instanceof Error ? cause.message : message).slice(0, REASON_LENGTH)
}
