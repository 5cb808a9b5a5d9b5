import { statfsSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

const MEMORY = '/dev/shm'
/** Each of four workers may start PostgreSQL, whose files took up to 940 MiB. Containers often have only 64 MiB here. */
const NEEDED_BYTES = 8 * 2 ** 30

const FULL = { PROGRAM_TESTS: 'full' }

const common = {
  // Generous, for a busy machine: it only delays the report of a test that hangs.
  testTimeout: 60_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 20_000 } },
  // A worker runs many files: to start one for each file costs more than most files. Tests restore what they change.
  isolate: false,
  // Node loads the sources by itself, and keeps what it has compiled.
  experimental: { viteModuleRunner: false },
  // The smallest space for new objects: the tests took 17 % less CPU time with it, because memory that is in use makes it
  // slower to start a process. Threads of the garbage collector only take turns with the other workers.
  execArgv: ['--max-semi-space-size=1', '--single-threaded-gc', '--expose-gc'],
  setupFiles: 'test/support/set-up-worker.ts',
}

export default defineConfig({
  test: {
    // The default is one fewer than the cores. Many tests only wait for processes, so four workers keep two cores busy.
    maxWorkers: 4,
    projects: [
      {
        test: {
          ...common,
          name: 'unit',
          include: ['src/**/*.test.ts'],
          // Files in memory are on no disk that has to be waited for. Not for the whole program: it refuses to work in /dev.
          env: hasMemoryDisk() ? { TMPDIR: MEMORY } : {},
        },
      },
      {
        test: {
          ...common,
          name: 'program',
          include: ['test/**/*.test.ts'],
          exclude: ['test/real/**', 'test/fake-agent/**', 'test/console/full/**'],
          globalSetup: 'test/support/bundle-drover.ts',
        },
      },
      {
        // The same, with everything that takes too long for every change (test/support/full-counts.ts).
        test: {
          ...common,
          name: 'full',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: ['test/real/**', 'test/fake-agent/**', 'test/console/full/**'],
          globalSetup: 'test/support/bundle-drover.ts',
          env: FULL,
        },
      },
      {
        // Everything about the console, with full counts.
        test: {
          ...common,
          name: 'console',
          include: ['test/console/**/*.test.ts'],
          globalSetup: 'test/support/bundle-drover.ts',
          env: { ...FULL, CONSOLE_TESTS: 'full' },
          // One file after the other: they measure times.
          maxWorkers: 1,
        },
      },
      {
        // The tests of the server, on PostgreSQL.
        test: {
          ...common,
          name: 'postgres',
          include: [
            'test/http/**/*.test.ts',
            'test/idle-store.test.ts',
            'test/mixed-versions.test.ts',
            'test/package/kubernetes.test.ts',
            'test/pooled-store.test.ts',
            'test/production.test.ts',
          ],
          globalSetup: 'test/support/bundle-drover.ts',
          env: { ...FULL, DROVER_TEST_STORE: 'postgres' },
        },
      },
      {
        // Real agents, and the fake ones that take their place in other tests.
        test: {
          ...common,
          name: 'real',
          include: ['test/real/**/*.test.ts', 'test/fake-agent/**/*.test.ts'],
          testTimeout: 120_000,
        },
      },
    ],
  },
})

function hasMemoryDisk(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize >= NEEDED_BYTES
  } catch {
    return false
  }
}
