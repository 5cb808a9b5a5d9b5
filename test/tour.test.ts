import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { SCENES } from '../scripts/tour.ts'
import { ROOT } from './support/npm.ts'

/** test/docs-examples.test.ts runs the examples of the README. */
it.each(SCENES)('the recorded command is one of the README: $line', ({ line }) => {
  expect(readFileSync(join(ROOT, 'README.md'), 'utf8').split('\n')).toContain(line)
})
