import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { onTestFinished } from 'vitest'

/**
 * A proxy that ends connections that carry a stream of events, after as many bytes as `cutAfter` says. Every other one is
 * reset: then the client also loses bytes that it has not read yet.
 */
export async function startStreamCutter(
  port: number,
  cutAfter: () => number | undefined,
): Promise<{ url: string; cuts(): number }> {
  let cuts = 0
  const proxy = createServer((client) => {
    const server = connect({ host: '127.0.0.1', port })
    let limit: number | undefined
    let received = 0
    for (const socket of [client, server]) socket.on('error', () => {})
    client.on('close', () => server.destroy())
    server.on('close', () => client.destroy())
    client.on('data', (chunk: Buffer) => {
      if (/^GET \/api\/v1\/(?:executions\/\w+\/)?events/.test(chunk.toString('latin1'))) {
        limit = cutAfter()
        received = 0
      }
      server.write(chunk)
    })
    server.on('data', (chunk: Buffer) => {
      const isCut = limit !== undefined && received + chunk.length > limit
      client.write(isCut ? chunk.subarray(0, (limit ?? 0) - received) : chunk)
      received += chunk.length
      if (!isCut) return
      cuts += 1
      limit = undefined
      if (cuts % 2 === 0) client.destroySoon()
      else setImmediate(() => client.resetAndDestroy())
    })
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(() => void proxy.close())
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, cuts: () => cuts }
}
