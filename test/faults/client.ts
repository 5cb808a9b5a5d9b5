/** A client that can leave at any moment. */
import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import type { PromptEvent } from '../../src/prompts/prompt-event.ts'

const PROMPT = '/api/v1/prompt'

type Target = { port: number }

export type Stream = {
  /** The next event; undefined at the end, also at one that came too early. */
  next(): Promise<PromptEvent | undefined>
  rest(): Promise<PromptEvent[]>
  hangUp(): void
}

export function promptOf(backend: 'claude' | 'codex', format: 'json' | 'stream-json' = 'stream-json') {
  return { backend, prompt: 'say hello', output_format: format }
}

/** The prompt as it goes over the wire, for those who send it by hand. */
export function rawPrompt(further: Record<string, string> = {}): string {
  const body = JSON.stringify(promptOf('claude'))
  const headers = { host: '127.0.0.1', 'content-type': 'application/json', 'content-length': body.length, ...further }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST ${PROMPT} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}

/** Sends a request on a connection of its own and waits for nothing. */
export function send({ port }: Target, { path = PROMPT, body }: { path?: string; body?: unknown }): ClientRequest {
  const headers = { 'content-type': 'application/json' }
  const method = body === undefined ? 'GET' : 'POST'
  const outgoing = request({ host: '127.0.0.1', port, path, method, agent: false, headers })
  // Whoever waits for the answer hears of it; whoever hangs up does not mind.
  outgoing.on('error', () => {})
  outgoing.end(body === undefined ? undefined : JSON.stringify(body))
  return outgoing
}

export async function ask(target: Target, what: { path?: string; body?: unknown }) {
  const [response] = (await once(send(target, what), 'response')) as [IncomingMessage]
  const said = await text(response)
  return { status: response.statusCode ?? 0, text: said, body: said.startsWith('{') ? JSON.parse(said) : undefined }
}

export async function openStream(target: Target, body: unknown): Promise<Stream> {
  const outgoing = send(target, { body })
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  const events = readEvents(response)
  const next = async () => (await events.next()).value
  return {
    next,
    async rest() {
      const rest: PromptEvent[] = []
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

async function* readEvents(response: IncomingMessage): AsyncGenerator<PromptEvent, undefined> {
  let rest = ''
  try {
    for await (const chunk of response.setEncoding('utf8')) {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) yield JSON.parse(line)
    }
  } catch {
    // One of the two has hung up; what came is what there is.
  }
  return undefined
}
