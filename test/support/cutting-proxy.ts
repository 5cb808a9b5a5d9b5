import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { onTestFinished } from 'vitest'

/** A proxy that resets its first connections once the client has sent a request, or has received a part of the response. */
export async function startCuttingProxy(
  port: number,
  { cuts, afterBytes }: { cuts: number; afterBytes: number },
): Promise<{ url: string; connections(): number }> {
  let connections = 0
  const proxy = createServer((client) => {
    connections += 1
    const isCut = connections <= cuts
    const server = connect({ host: '127.0.0.1', port })
    for (const socket of [client, server]) socket.on('error', () => {})
    client.on('close', () => server.destroy())
    server.on('close', () => client.destroy())
    let received = 0
    server.on('data', (chunk: Buffer) => {
      received += chunk.length
      if (isCut && received > afterBytes) client.resetAndDestroy()
      else client.write(chunk)
    })
    client.on('data', (chunk: Buffer) => {
      server.write(chunk)
      // The server has got the whole request when its end, the last brace of the body, has passed.
      if (isCut && afterBytes === 0 && chunk.toString('latin1').endsWith('}'))
        setImmediate(() => client.resetAndDestroy())
    })
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(() => void proxy.close())
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, connections: () => connections }
}
