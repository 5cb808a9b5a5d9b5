/** How clients share slots and the queue for them. Pure. */

export const PRIORITIES = ['high', 'normal', 'low'] as const
export type Priority = (typeof PRIORITIES)[number]

/**
 * By how many seconds a priority moves a prompt in the queue. A prompt that has waited long enough comes before everything that is
 * sent later, whatever its priority.
 */
export const HEAD_START_SECS: Readonly<Record<Priority, number>> = { high: -600, normal: 0, low: 600 }

/** `rank` is the place of the prompt that the client waits for most, in milliseconds. Undefined: it waits for none. */
type ClientLoad = { running: number; rank: number | undefined }

/**
 * The client whose prompt is next: the one that runs least. Of several, the first one; clients are in the order of their last turns.
 * A prompt whose rank is still to come lets those of all other clients pass. Undefined if no one waits.
 */
export function nextClient<T extends ClientLoad>(clients: Iterable<T>, now: number): T | undefined {
  let [next, before]: [T | undefined, readonly number[]] = [undefined, []]
  for (const client of clients) {
    if (client.rank === undefined) continue
    const [isLate, running] = [client.rank > now ? 1 : 0, client.running]
    const [lateBefore = 1, runningBefore = Number.POSITIVE_INFINITY] = before
    if (isLate < lateBefore || (isLate === lateBefore && running < runningBefore)) {
      next = client
      before = [isLate, running]
    }
  }
  return next
}

/** How many prompts wait: of all clients, and of the one that asks. `clients` wait, with the one that asks. */
export type QueueShare = { waiting: number; ownWaiting: number; clients: number }

/**
 * Whether one more prompt may wait. The limit is for all clients together. In a full queue a client still gets an equal share of
 * it, so that no one keeps the others out.
 */
export function hasPlace({ waiting, ownWaiting, clients }: QueueShare, limit: number): boolean {
  return waiting < limit || ownWaiting < limit / clients
}
