/** What makes a worker of the tests faster. */
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll } from 'vitest'
import { runsOf } from './full-counts.ts'

/** The more memory a worker has, the longer it takes to start a process, so what a file of tests has left is given back. */
const LIMIT_BYTES = 300 * 2 ** 20

// Without the variable NODE_COMPILE_CACHE, which programs under test would get too.
enableCompileCache(join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'compiled'))

fc.configureGlobal({ numRuns: runsOf(100) })

afterAll(() => {
  if (process.memoryUsage.rss() > LIMIT_BYTES) globalThis.gc?.()
})
