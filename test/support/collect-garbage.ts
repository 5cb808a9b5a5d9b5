/** Gives back the memory that a file of tests has left: the more a worker has, the longer it takes to start a process. */
import { afterAll } from 'vitest'

const LIMIT_BYTES = 300 * 2 ** 20

afterAll(() => {
  if (process.memoryUsage.rss() > LIMIT_BYTES) globalThis.gc?.()
})
