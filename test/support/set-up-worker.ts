/** What makes a worker of the tests faster. */
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll } from 'vitest'
import { runsOf } from './full-counts.ts'

/**
 * The more memory a worker has, the longer it takes to start a process, so what tests have left is given back now and then: one
 * collection takes a third of a second, longer than most files of tests.
 */
const MOST_GROWTH_BYTES = 50 * 2 ** 20

/** An ordinary collection keeps the memory of freed pages. */
const collect: ((options: object) => void) | undefined = globalThis.gc

/** Of this worker, after the last collection. This file is loaded for each file of tests. */
const worker: typeof globalThis & { leastMemoryBytes?: number } = globalThis

// Without the variable NODE_COMPILE_CACHE, which programs under test would get too.
enableCompileCache(join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'compiled'))

fc.configureGlobal({ numRuns: runsOf(100) })

afterAll(() => {
  const { leastMemoryBytes: least = process.memoryUsage.rss() } = worker
  worker.leastMemoryBytes = least
  if (process.memoryUsage.rss() < least + MOST_GROWTH_BYTES) return
  collect?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  worker.leastMemoryBytes = process.memoryUsage.rss()
})
