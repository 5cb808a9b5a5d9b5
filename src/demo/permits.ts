import { statSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

const LOOK_MS = 5

/** Waits until one more word may be said: as many are allowed as the file has bytes. Without a file all are. */
export function createPermits(file: string | undefined): () => Promise<void> {
  let used = 0
  return async () => {
    if (file === undefined) return
    while (sizeOf(file) <= used) await delay(LOOK_MS)
    used += 1
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
