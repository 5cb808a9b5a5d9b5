/**
 * Loaded into drover by `--import`: sends SIGKILL to drover, to its agents or to both, right after drover has written a
 * record to disk, or some time later. KILL_AT has the moment, as JSON (KillPoint).
 */
import fs from 'node:fs'
import http from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import { basename, dirname } from 'node:path'
import type { KillPoint } from '../support/kill-point.ts'

const RUN_ID = /^[0-9a-f-]{36}$/
const { fsyncSync, renameSync } = fs
const point = JSON.parse(process.env['KILL_AT'] ?? '{}') as KillPoint
// Agents and further processes of drover must live. A server that a command starts gets the same moment.
if (point.handOver === undefined) delete process.env['KILL_AT']
let isReached = false

fs.fsyncSync = (descriptor) => {
  fsyncSync(descriptor)
  noteRecord(fs.readlinkSync(`/proc/self/fd/${descriptor}`))
}
/** The first records of a run count when its directory has its name. */
fs.renameSync = (from, to) => {
  renameSync(from, to)
  if (RUN_ID.test(basename(String(to)))) noteRecord(`${to}/${point.file}`)
  if (point.handOver === 'listed' && basename(dirname(String(to))) === 'driven-runs') kill()
}
const { emit } = http.Server.prototype
http.Server.prototype.emit = function (this: http.Server, ...args: Parameters<typeof emit>) {
  const [, request] = args as readonly unknown[] as [string, { url?: string } | undefined]
  if (point.handOver === 'asked' && request?.url === '/local/drive') kill()
  return emit.apply(this, args)
} as typeof emit
syncBuiltinESMExports()

function noteRecord(path: string): void {
  if (
    isReached ||
    point.handOver !== undefined ||
    basename(path) !== point.file ||
    !RUN_ID.test(basename(dirname(path)))
  )
    return
  if (point.each !== undefined) killOnce(path, point.each)
  if (point.each !== undefined || countLines(path) < point.record) return
  isReached = true
  if (point.afterMs === undefined) kill()
  // It does not keep a process alive that has done its work.
  else setTimeout(kill, point.afterMs).unref()
}

type DriveLine = { type: string; data: { action_kind?: string; id?: string } }

/** What a driver does again is recorded again, so a type of record counts once for each kind of action. */
function killOnce(path: string, killed: string): void {
  const events = fs
    .readFileSync(path, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as DriveLine)
  const action = events.findLast(({ data }) => data.action_kind !== undefined)?.data.action_kind
  const { type, data } = events.at(-1) ?? { type: '', data: {} }
  const key = [path, type, action, data.id].join(' ')
  const known = fs.existsSync(killed) ? fs.readFileSync(killed, 'utf8').split('\n') : []
  if (known.includes(key)) return
  fs.appendFileSync(killed, `${key}\n`)
  process.kill(process.pid, 'SIGKILL')
}

function kill(): void {
  const agents = point.victim === 'driver' ? [] : childrenOf(process.pid).filter(isAgent)
  for (const pid of agents) process.kill(pid, 'SIGKILL')
  fs.writeFileSync(point.reportTo, JSON.stringify({ agents: agents.length }))
  if (point.victim !== 'agent') process.kill(process.pid, 'SIGKILL')
}

function countLines(path: string): number {
  return fs.existsSync(path) ? fs.readFileSync(path, 'latin1').split('\n').length - 1 : 0
}

function childrenOf(pid: number): number[] {
  return fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean).map(Number)
}

function isAgent(pid: number): boolean {
  return /driven-agent|\/(?:claude|codex)\0/.test(fs.readFileSync(`/proc/${pid}/cmdline`, 'latin1'))
}
