/** Writes docs/tour.svg: the commands of the tour in a terminal, recorded. Needs the program `script`. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { drawRecording } from './draw-recording.ts'
import { recordTour } from './tour.ts'

writeFileSync(join(import.meta.dirname, '..', 'docs', 'tour.svg'), await drawRecording(await recordTour()))
console.log('docs/tour.svg')
