/** Limits how many agents run at once in this process. Clients take turns; those of one client are served in order. */
import { HEAD_START_SECS, hasPlace, nextClient, type Priority } from './fair-queue.ts'
import { queueFull } from './faults.ts'

export type Slots = {
  /**
   * Waits for a free slot; undefined when the signal fires first. The caller must release the slot. `client` is the id of an API key;
   * everything without a key is one client. Those of one client are served by priority.
   */
  take(signal: AbortSignal, client?: string, priority?: Priority): Promise<Slot | undefined>
  load(): { running: number; queued: number }
  /** How many agents may run at once. */
  limit: number
}

export type Slot = { waitedMs: number; release(): void }

type Waiting = { admit: () => void; rank: number }

class Client {
  running = 0
  /** By rank. */
  readonly queue: Waiting[] = []

  get waiting(): number {
    return this.queue.length
  }

  get rank(): number | undefined {
    return this.queue[0]?.rank
  }

  add(waiting: Waiting): void {
    const before = this.queue.findLastIndex(({ rank }) => rank <= waiting.rank)
    this.queue.splice(before + 1, 0, waiting)
  }

  remove(waiting: Waiting): void {
    this.queue.splice(this.queue.indexOf(waiting), 1)
  }
}

export function createSlots({ limit, queueLimit }: { limit: number; queueLimit: number }): Slots {
  /** Those that run or wait, in the order of their last turns. */
  const clients = new Map<string, Client>()
  let [running, queued] = [0, 0]

  const start = (id: string, client: Client) => {
    running += 1
    client.running += 1
    clients.delete(id)
    clients.set(id, client)
  }

  const forgetIdle = (id: string, client: Client) => {
    if (client.running + client.waiting === 0) clients.delete(id)
  }

  const release = (id: string, client: Client) => {
    running -= 1
    client.running -= 1
    const [next] = nextClient(clients.values(), performance.now())?.queue ?? []
    next?.admit()
    forgetIdle(id, client)
  }

  const wait = (id: string, client: Client, { signal, rank }: { signal: AbortSignal; rank: number }) =>
    new Promise<boolean>((resolve) => {
      const leave = () => finish(false)
      const waiting = { admit: () => finish(true), rank }
      const finish = (admitted: boolean) => {
        client.remove(waiting)
        queued -= 1
        if (admitted) start(id, client)
        else forgetIdle(id, client)
        signal.removeEventListener('abort', leave)
        resolve(admitted)
      }
      client.add(waiting)
      queued += 1
      clients.set(id, client)
      signal.addEventListener('abort', leave, { once: true })
    })

  const refuseIfFull = ({ waiting: ownWaiting }: Client) => {
    const known = [...clients.values()].filter(({ waiting }) => waiting > 0).length
    const share = { waiting: queued, ownWaiting, clients: ownWaiting > 0 ? known : known + 1 }
    if (!hasPlace(share, queueLimit)) throw queueFull({ running, queued })
  }

  return {
    limit,
    load: () => ({ running, queued }),
    async take(signal, id = '', priority = 'normal') {
      if (signal.aborted) return undefined
      const since = performance.now()
      const client = clients.get(id) ?? new Client()
      if (running >= limit) {
        refuseIfFull(client)
        const rank = since + HEAD_START_SECS[priority] * 1000
        if (!(await wait(id, client, { signal, rank }))) return undefined
      } else start(id, client)
      return createSlot(performance.now() - since, () => release(id, client))
    },
  }
}

function createSlot(waitedMs: number, release: () => void): Slot {
  let isHeld = true
  return {
    waitedMs,
    release: () => {
      if (isHeld) release()
      isHeld = false
    },
  }
}
