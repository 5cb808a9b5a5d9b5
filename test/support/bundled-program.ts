import { join } from 'node:path'

const TESTS = join(import.meta.dirname, '..')

/** The programs that bundle-drover.ts bundles, as paths below test/. */
export const BUNDLED = [
  'fake-agent/agent',
  'fake-agent/acp-agent',
  'programs/change-and-die',
  'programs/driven-agent',
  'programs/fake-gh',
  'programs/journal-race',
  'programs/journal-step',
] as const

/** A program of the tests: bundled if the tests have bundled it, because it then starts in half the time. */
export function bundledProgram(name: (typeof BUNDLED)[number]): string {
  const bundles = process.env['TEST_BUNDLES']
  return bundles === undefined ? join(TESTS, `${name}.ts`) : join(bundles, 'test', `${name}.mjs`)
}

/** drover itself, in the same way. */
export function droverPath(): string {
  return join(process.env['TEST_BUNDLES'] ?? join(TESTS, '..'), 'bin', 'drover.cjs')
}
