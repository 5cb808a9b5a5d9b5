import { defineConfig } from 'vitest/config'

const limits = { testTimeout: 30_000, hookTimeout: 120_000 }

export default defineConfig({
  test: {
    // Left to itself it takes one core less than there are, and many tests only wait for processes: on two cores, three are busy.
    maxWorkers: 3,
    projects: [
      { test: { name: 'unit', include: ['src/**/*.test.ts'], ...limits } },
      { test: { name: 'program', include: ['test/**/*.test.ts'], exclude: ['test/real/**'], ...limits } },
      { test: { name: 'real', include: ['test/real/**/*.test.ts'], ...limits, testTimeout: 120_000 } },
    ],
  },
})
