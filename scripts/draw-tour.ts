/** Writes docs/tour.svg: a terminal with the commands of the tour and their real output. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { drawTerminal } from './draw-terminal.ts'
import { playTour } from './tour.ts'

writeFileSync(join(import.meta.dirname, '..', 'docs', 'tour.svg'), drawTerminal(await playTour()))
console.log('docs/tour.svg')
