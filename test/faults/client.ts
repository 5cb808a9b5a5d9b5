/** An HTTP client that can disconnect at any moment. */
import { once } from 'node:events'
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import type { PromptEvent } from '../../src/prompts/prompt-event.ts'

const PROMPT = '/api/v1/prompt'

type Target = { port: number }

export type Stream<Event = PromptEvent> = {
  executionId: string
  /** The next event; undefined at the end, even if the stream was cut off. */
  next(): Promise<Event | undefined>
  rest(): Promise<Event[]>
  hangUp(): void
}

export function promptOf(backend: 'claude' | 'codex', format: 'json' | 'stream-json' = 'stream-json') {
  return { backend, prompt: 'say hello', output_format: format }
}

/** The request as bytes, to be sent on a bare connection. */
export function rawPrompt(headersToAdd: Record<string, string> = {}): string {
  const body = JSON.stringify(promptOf('claude'))
  const headers = {
    host: '127.0.0.1',
    'content-type': 'application/json',
    'content-length': body.length,
    ...headersToAdd,
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST ${PROMPT} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}

/** Sends a request on its own connection, without waiting for the answer. */
export function send({ port }: Target, { path = PROMPT, body }: { path?: string; body?: unknown }): ClientRequest {
  const headers = { 'content-type': 'application/json' }
  const method = body === undefined ? 'GET' : 'POST'
  const outgoing = httpRequest({ host: '127.0.0.1', port, path, method, agent: false, headers })
  // A caller that waits for the answer gets the error there; a caller that disconnects does not need it.
  outgoing.on('error', () => {})
  outgoing.end(body === undefined ? undefined : JSON.stringify(body))
  return outgoing
}

export async function ask(target: Target, request: { path?: string; body?: unknown }) {
  const [response] = (await once(send(target, request), 'response')) as [IncomingMessage]
  const body = await text(response)
  return { status: response.statusCode ?? 0, text: body, body: body.startsWith('{') ? JSON.parse(body) : undefined }
}

export async function openStream<Event = PromptEvent>(
  target: Target,
  body: unknown,
  path = PROMPT,
): Promise<Stream<Event>> {
  const outgoing = send(target, { path, body })
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  const events = readEvents<Event>(response)
  const next = async () => (await events.next()).value
  return {
    executionId: String(response.headers['x-execution-id']),
    next,
    async rest() {
      const rest: Event[] = []
      for (let event = await next(); event !== undefined; event = await next()) rest.push(event)
      return rest
    },
    hangUp: () => void outgoing.destroy(),
  }
}

/** A bare connection, for requests that stop in their middle. */
export async function connectTo({ port }: Target): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port })
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

async function* readEvents<Event>(response: IncomingMessage): AsyncGenerator<Event, undefined> {
  let rest = ''
  try {
    for await (const chunk of response.setEncoding('utf8')) {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) yield JSON.parse(line)
    }
  } catch {
    // The client or the server closed the connection: the events so far are all there are.
  }
  return undefined
}
