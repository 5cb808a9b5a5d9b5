/** The minimal JSON server on Node: it reads a body, parses it and responds with an object. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const { backend, prompt } = JSON.parse(Buffer.concat(chunks).toString())
    const token_usage = { input_tokens: 0, output_tokens: 0, cached_tokens: 0, reasoning_tokens: 0 }
    const body = JSON.stringify({
      session_id: '',
      backend,
      exit_code: 0,
      duration_ms: 0,
      output: prompt.padEnd(300),
      token_usage,
    })
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body)
  })
})
// The same as drover's idle timeout.
server.keepAliveTimeout = 120_000
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listens on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
