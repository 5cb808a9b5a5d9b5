import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { drawTerminal } from '../scripts/draw-terminal.ts'
import { playTour } from '../scripts/tour.ts'
import { ROOT } from './support/npm.ts'

/** Older versions of curl have no `--json`. */
const hasCurl = spawnSync('curl', ['--json', '{}', '--version']).status === 0

it.skipIf(!hasCurl)('docs/tour.svg is what node scripts/draw-tour.ts would write', async () => {
  expect(drawTerminal(await playTour())).toBe(readFileSync(join(ROOT, 'docs', 'tour.svg'), 'utf8'))
})
