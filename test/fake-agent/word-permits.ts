import { statSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

const POLL_MS = 5

/** Waits until one more word may be printed: one for each byte of the file. Without a file all words may be. */
export function createWordPermits(file: string | undefined): () => Promise<void> {
  let used = 0
  return async () => {
    if (file === undefined) return
    while (sizeOf(file) <= used) await delay(POLL_MS)
    used += 1
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
