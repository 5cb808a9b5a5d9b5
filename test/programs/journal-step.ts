/** Records one event of a run and kills itself before the given change of the disk, or prints `done`: `<git common dir> <step file> <point>`. */
import { readFileSync, writeSync } from 'node:fs'
import { deserialize } from 'node:v8'
import { createRun } from '../../src/journal/create-run.ts'
import { openRunStore } from '../../src/journal/run-store.ts'
import { updateRun } from '../../src/journal/update-run.ts'
import { killingDisk } from '../support/counted-disk.ts'

const [gitCommonDir = '', file = '', point] = process.argv.slice(2)
const { runId, event, materials, dropMaterials } = deserialize(readFileSync(file))
const store = openRunStore({ gitCommonDir, version: '1.0.0', disk: killingDisk(Number(point)) })

if (event.type === 'run_started') createRun(store, { runId, event, materials })
else await updateRun(store, runId, async () => ({ event, materials, dropMaterials, result: undefined }))
writeSync(1, 'done')
