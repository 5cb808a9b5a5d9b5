/** The tests of one group of mutate-guards.ts, for Stryker. */
import { defineConfig } from 'vitest/config'

const tests = JSON.parse(process.env['MUTATE_TESTS'] ?? '[]') as string[]

export default defineConfig({
  test: {
    include: tests,
    env: { PROGRAM_TESTS: 'full' },
    // A change can make a test wait forever. On a busy machine a shorter time would kill changes that no test notices.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    isolate: false,
    ...(tests.some((path) => path.startsWith('test/')) && { globalSetup: 'test/support/bundle-drover.ts' }),
  },
})
