/**
 * Loaded before drover. Kills the process just before the call of KILL_AT that changes the disk, or opens or closes a database. Writes the
 * number of such calls to KILL_COUNT when the process ends by itself.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import sqlite from 'node:sqlite'

const { KILL_AT, KILL_COUNT } = process.env
const { writeFileSync } = fs
const CALLS = ['fsyncSync', 'linkSync', 'mkdirSync', 'renameSync', 'rmSync', 'unlinkSync', 'writeSync']
let count = 0
function watch(object, name) {
  const call = object[name]
  object[name] = function (...args) {
    count += 1
    if (count === Number(KILL_AT)) process.kill(process.pid, 'SIGKILL')
    return call.apply(this, args)
  }
}

for (const name of CALLS) watch(fs, name)
for (const name of ['exec', 'close']) watch(sqlite.DatabaseSync.prototype, name)
syncBuiltinESMExports()
process.on('exit', () => {
  if (KILL_COUNT !== undefined) writeFileSync(KILL_COUNT, String(count))
})
