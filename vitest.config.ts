import { defineConfig } from 'vitest/config'

const limits = { testTimeout: 30_000, hookTimeout: 120_000 }

export default defineConfig({
  test: {
    // The default is one fewer than the cores. Many tests only wait for processes, so three workers keep two cores busy.
    maxWorkers: 3,
    projects: [
      { test: { name: 'unit', include: ['src/**/*.test.ts'], ...limits } },
      { test: { name: 'program', include: ['test/**/*.test.ts'], exclude: ['test/real/**'], ...limits } },
      { test: { name: 'real', include: ['test/real/**/*.test.ts'], ...limits, testTimeout: 120_000 } },
    ],
  },
})
