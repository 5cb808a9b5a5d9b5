/** A proxy in front of PostgreSQL that can fall silent: it accepts connections and bytes, and passes nothing on, not even an end. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'

export type SilentProxy = {
  /** The address of the database through the proxy. */
  url: string
  silence(): void
  /** Passes on what has come since, on connections that are still open. */
  speak(): void
  /** Passes on what comes on new connections. The others stay silent. */
  speakToNew(): void
  /** Closes all connections and listens no more, as if PostgreSQL did not run. */
  refuse(): void
  /** Listens again. */
  listen(): Promise<void>
  close(): void
}

/** `url` is the address of a database on a Unix socket, as the tests have it. `host` is the address that the proxy listens on. */
export async function startSilentProxy(url: string, host = '127.0.0.1'): Promise<SilentProxy> {
  const { pathname, searchParams } = new URL(url)
  const path = join(searchParams.get('host') ?? '', '.s.PGSQL.5432')
  const sockets = new Set<Socket>()
  /** Of the connections that come now. */
  let current: { isSilent: boolean; held: (() => unknown)[] } = { isSilent: false, held: [] }
  const proxy = createServer((client) => {
    const server = connect({ path })
    const mode = current
    const forward = (from: Socket, to: Socket) => {
      const pass = (what: () => unknown) => void (mode.isSilent ? mode.held.push(what) : what())
      from.on('data', (chunk) => pass(() => to.write(chunk)))
      from.on('error', () => {})
      from.on('close', () => pass(() => to.destroy()))
    }
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
    }
    forward(client, server)
    forward(server, client)
  })
  const listen = async (port: number) => {
    proxy.listen(port, host)
    await once(proxy, 'listening')
  }
  await listen(0)
  const { port } = proxy.address() as AddressInfo
  const close = () => {
    proxy.close()
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `postgres://drover@${host}:${port}${pathname}`,
    silence: () => {
      current.isSilent = true
    },
    speak: () => {
      current.isSilent = false
      for (const pass of current.held.splice(0)) pass()
    },
    speakToNew: () => {
      current = { isSilent: false, held: [] }
    },
    refuse: close,
    listen: () => listen(port),
    close,
  }
}
