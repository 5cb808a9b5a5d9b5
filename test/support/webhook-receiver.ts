/** A receiver of Standard Webhooks. It checks each signature by itself. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Received = {
  id: string
  isSigned: boolean
  type: string
  data: Record<string, unknown> & { run_id?: string; question?: string; url?: string; text?: string }
}

type Answer = (response: ServerResponse, count: number) => void

export class WebhookReceiver {
  /** What was accepted, in order. */
  readonly accepted: Received[] = []
  /** Every request. */
  readonly seen: Received[] = []
  answer: Answer = (response) => void response.writeHead(204).end()
  readonly #secret: string
  readonly #server: Server

  constructor(secret: string) {
    this.#secret = secret
    this.#server = createServer((request, response) => void this.#receive(request, response))
  }

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`
  }

  stop(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray()).toString()
    const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = request.headers
    const expected = `v1,${createHmac('sha256', this.#secret).update(`${id}.${at}.${body}`).digest('base64')}`
    const isSigned =
      String(signature).length === expected.length &&
      timingSafeEqual(Buffer.from(String(signature)), Buffer.from(expected))
    const received: Received = { id: String(id), isSigned, ...JSON.parse(body) }
    this.seen.push(received)
    response.on('finish', () => {
      if (response.statusCode < 300) this.accepted.push(received)
    })
    this.answer(response, this.seen.length)
  }
}
