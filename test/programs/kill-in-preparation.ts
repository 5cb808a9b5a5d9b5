/**
 * Loaded into drover by `--import`: sends it SIGKILL while it prepares a worktree, between its records `drive_started` and
 * `prepared`. The moments are before each call that changes the disk, and before and after each start of a program. KILL_AT is the
 * number of the moment, from 1. The number of moments that have passed is in KILL_COUNT when the preparation ends.
 */
import childProcess from 'node:child_process'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const { KILL_AT, KILL_COUNT = '' } = process.env
// Agents and further processes of drover must live.
delete process.env['KILL_AT']
const { writeFileSync } = fs
let state: 'before' | 'preparing' | 'prepared' = 'before'
let count = 0

function pass(): void {
  if (state !== 'preparing') return
  count += 1
  if (count === Number(KILL_AT)) process.kill(process.pid, 'SIGKILL')
}

function note(bytes: unknown): void {
  const text = bytes instanceof Uint8Array ? Buffer.from(bytes).toString('latin1') : ''
  if (text.includes('"type":"drive_started"')) state = 'preparing'
  if (text.includes('"type":"prepared"')) {
    pass()
    state = 'prepared'
    writeFileSync(KILL_COUNT, String(count))
  }
}

type Calls = Record<string, (...args: unknown[]) => unknown>

function watch(object: object, names: readonly string[], after?: () => void): void {
  const calls = object as Calls
  for (const name of names) {
    const call = calls[name]
    if (call === undefined) throw new Error(`there is no call ${name}`)
    calls[name] = function (this: unknown, ...args) {
      pass()
      const result = call.apply(this, args)
      if (name === 'writeSync') note(args[1])
      after?.()
      return result
    }
  }
}

watch(fs, ['chmodSync', 'copyFileSync', 'fsyncSync', 'linkSync', 'mkdirSync', 'renameSync', 'rmSync', 'symlinkSync'])
watch(fs, ['unlinkSync', 'utimesSync', 'writeFileSync', 'writeSync'])
watch(fs.promises, ['copyFile', 'mkdir'])
watch(childProcess, ['spawn'], pass)
syncBuiltinESMExports()
