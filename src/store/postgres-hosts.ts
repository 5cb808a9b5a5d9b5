/** Connections to one of several servers of PostgreSQL: the first in turn that answers and can be written. */
import type { Client, ClientConfig } from 'pg'

type PostgresClient = typeof Client
type Connected = (error: Error | null, client?: Client) => void

/** What PostgreSQL itself says of a server that cannot be written. */
const READ_ONLY = '25006'

/** A class of clients, as the pool creates them. `Base` is that of the driver; each host has its configuration. */
export function clientOf(Base: PostgresClient, hosts: readonly ClientConfig[]): PostgresClient {
  if (hosts.length === 1)
    return class extends Base {
      constructor() {
        super(hosts[0])
      }
    }
  let current = 0
  return class extends Base {
    readonly #host: number

    constructor() {
      super(hosts[current])
      this.#host = current
    }

    override connect(): Promise<Client>
    override connect(callback: Connected): void
    override connect(callback?: Connected): Promise<Client> | undefined {
      const connected = this.#connect()
      if (callback === undefined) return connected
      connected.then((client) => callback(null, client), callback)
      return undefined
    }

    async #connect(): Promise<Client> {
      try {
        await super.connect()
        const { rows } = await this.query<{ transaction_read_only: string }>('SHOW transaction_read_only')
        if (rows[0]?.transaction_read_only === 'off') return this
        throw Object.assign(new Error('the server is read-only'), { code: READ_ONLY })
      } catch (error) {
        // Several connections may have failed at the same host.
        if (current === this.#host) current = (current + 1) % hosts.length
        void this.end().catch(() => undefined)
        throw error
      }
    }
  }
}
