/** Finds ten ports for a worktree, so that servers of several worktrees can run at the same time. */
import { createServer } from 'node:net'
import type { Ids } from '../../kit/ids.ts'
import { listWorktrees } from '../worktree-records.ts'

const PORTS_EACH = 10
/** Below the ports that systems choose by themselves. */
const FIRST = 20_000
const BLOCKS = 1_200

/** The first of ten ports that are free now and belong to no other worktree. Undefined if there are none. */
export async function choosePorts(home: string, ids: Ids): Promise<number | undefined> {
  const used = new Set(listWorktrees(home).map(({ port }) => port))
  // From a random place, because another process may choose at the same time.
  const start = Number.parseInt(ids.hex(4), 16) % BLOCKS
  for (let at = 0; at < BLOCKS; at += 1) {
    const first = FIRST + ((start + at) % BLOCKS) * PORTS_EACH
    if (!used.has(first) && (await areFree(first))) return first
  }
  return undefined
}

async function areFree(first: number): Promise<boolean> {
  const ports = Array.from({ length: PORTS_EACH }, (_, at) => first + at)
  return (await Promise.all(ports.map(isFree))).every(Boolean)
}

function isFree(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const server = createServer()
  server.once('error', () => resolve(false))
  server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)))
  return promise
}
