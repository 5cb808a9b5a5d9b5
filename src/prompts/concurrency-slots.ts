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

export type Slot = {
  waitedMs: number
  release(): void
  /** Others may use it, until it is claimed. */
  lend(): void
  /** Waits until it is free again, before all that asked for one later. The queue is never too full. Ends without it if it is released. */
  claim(): Promise<void>
}

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

  /** Returns what leaves; undefined when the signal fires first. */
  const enter = async (id: string, place: { signal: AbortSignal; rank: number; mayWait: (client: Client) => void }) => {
    const client = clients.get(id) ?? new Client()
    if (running >= limit) {
      place.mayWait(client)
      if (!(await wait(id, client, place))) return undefined
    } else start(id, client)
    return () => release(id, client)
  }

  return {
    limit,
    load: () => ({ running, queued }),
    async take(signal, id = '', priority = 'normal') {
      if (signal.aborted) return undefined
      const since = performance.now()
      const rank = since + HEAD_START_SECS[priority] * 1000
      const leave = await enter(id, { signal, rank, mayWait: refuseIfFull })
      if (leave === undefined) return undefined
      const again = (until: AbortSignal) => enter(id, { signal: until, rank, mayWait: () => {} })
      return createSlot(performance.now() - since, { leave, again })
    },
  }
}

type Place = { leave: () => void; again: (until: AbortSignal) => Promise<(() => void) | undefined> }

function createSlot(waitedMs: number, { leave, again }: Place): Slot {
  let held: (() => void) | undefined = leave
  const released = new AbortController()
  const lend = () => {
    held?.()
    held = undefined
  }
  return {
    waitedMs,
    lend,
    release: () => {
      released.abort()
      lend()
    },
    claim: async () => {
      if (held === undefined && !released.signal.aborted) held = await again(released.signal)
    },
  }
}
