/** How clients share slots and the queue for them. Pure. */

type ClientLoad = { running: number; waiting: number }

/**
 * The client whose prompt is next: the one that runs least. Of several, the first one; clients are in the order of their last turns.
 * Undefined if no one waits.
 */
export function nextClient<T extends ClientLoad>(clients: Iterable<T>): T | undefined {
  let next: T | undefined
  for (const client of clients) {
    if (client.waiting > 0 && (next === undefined || client.running < next.running)) next = client
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
