import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Worker, type WorkerOptions } from './worker.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** How often an idle worker looks at the queue within 9 seconds after its start. */
async function looksOf({ hasWaiting, isTold }: { hasWaiting: boolean; isTold: boolean }): Promise<number> {
  let looks = 0
  const queue = {
    look: async () => {
      looks += 1
      return { isDraining: false, hasWaiting }
    },
    claim: async () => undefined,
    announce: async () => {},
    endDraining: async () => {},
    removeUnkept: async () => {},
  }
  const worker = new Worker({
    queue,
    store: { watch: () => () => {}, isTold: () => isTold },
    facts: () => ({ backends: ['claude'], repositories: [], slots: 1 }),
    limits: { perKey: 0, perBackend: 0 },
  } as unknown as WorkerOptions)
  await worker.start(() => {
    throw new Error('nothing is claimed')
  })
  await vi.advanceTimersByTimeAsync(9000)
  await worker.stop()
  return looks - 1
}

it.each([
  [{ hasWaiting: false, isTold: true }, 0],
  [{ hasWaiting: true, isTold: true }, 4],
  [{ hasWaiting: false, isTold: false }, 4],
])('a worker with %j looks %i times more within 9 seconds', async (facts, looks) => {
  expect(await looksOf(facts)).toBe(looks)
})
