import { once } from 'node:events'
import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { onTestFinished } from 'vitest'

export type OpenStream = {
  status: number
  headers: IncomingHttpHeaders
  /** Waits for the next line; undefined at the end. */
  nextLine(): Promise<string | undefined>
  /** Reads the rest. */
  rest(): Promise<string[]>
  /** Stops reading without closing the connection. */
  pause(): void
  hangUp(): void
}

/** Posts a body and returns the response line by line as it arrives. */
export async function openStream(place: {
  port: number
  path: string
  body?: unknown
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
}): Promise<OpenStream> {
  const { port, path, body, method = 'POST', headers } = place
  const outgoing: ClientRequest = request({
    host: '127.0.0.1',
    port,
    path,
    method,
    agent: false,
    headers: { 'content-type': 'application/json', ...headers },
  })
  outgoing.end(body === undefined ? undefined : JSON.stringify(body))
  onTestFinished(() => void outgoing.destroy())
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  const lines = splitLines(response)
  const nextLine = async () => (await lines.next()).value as string | undefined
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    nextLine,
    async rest() {
      const rest: string[] = []
      for (let line = await nextLine(); line !== undefined; line = await nextLine()) rest.push(line)
      return rest
    },
    pause: () => void response.pause(),
    hangUp: () => void outgoing.destroy(),
  }
}

async function* splitLines(response: IncomingMessage): AsyncGenerator<string, undefined> {
  let rest = ''
  try {
    for await (const chunk of response.setEncoding('utf8')) {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      yield* lines
    }
  } catch {
    // The server has closed the connection. The lines so far are returned.
  }
  if (rest !== '') yield rest
  return undefined
}
