/** Observes a server from outside, through /proc and its session file. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OWNER_VARIABLE, TREE_VARIABLE } from '../../src/kit/process/environment-variables.ts'
import type { SessionStatus } from '../../src/sessions/session-statuses.ts'

export type Sessions = Partial<Record<SessionStatus, number>>

/** The agents, tools and daemons of this home: processes with the variable that marks an agent's tree, or its owner. */
export function processesOf(home: string): number[] {
  const marks = [`${TREE_VARIABLE}=`, `${OWNER_VARIABLE}=`]
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      const variables = read(`/proc/${pid}/environ`).split('\0')
      return variables.includes(`HOME=${home}`) && variables.some((each) => marks.some((mark) => each.startsWith(mark)))
    })
}

/** All processes with this home. */
export function processesWith(home: string): number[] {
  const pids = readdirSync('/proc').map(Number)
  return pids.filter((pid) => pid > 0 && read(`/proc/${pid}/environ`).split('\0').includes(`HOME=${home}`))
}

/** The agents of this home, without the processes that they started. */
export function agentsOf(home: string): number[] {
  return processesOf(home).filter((pid) => read(`/proc/${pid}/cmdline`).includes('fake-agent/agent.'))
}

/** The scripted agents of this home that stay up. */
export function warmAgentsOf(home: string): number[] {
  return processesOf(home).filter((pid) => {
    const command = read(`/proc/${pid}/cmdline`)
    return /warm-claude\.mjs.*--replay-user-messages|warm-codex\.mjs.*app-server/s.test(command)
  })
}

/** The children of a process, including zombies. */
export function childrenOf(pid: number): number[] {
  return read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number)
}

export function descriptorsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length
}

/** The memory in use now (`VmRSS`), and at its peak (`VmHWM`). */
export function memoryOf(pid: number): { residentMiB: number; peakMiB: number } {
  const status = read(`/proc/${pid}/status`)
  const mebibytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024
  return { residentMiB: mebibytes('VmRSS'), peakMiB: mebibytes('VmHWM') }
}

/** Reads the file directly: the session store would end abandoned sessions when it opens it. */
export function sessionsIn(home: string): Sessions {
  const database = new DatabaseSync(join(home, '.drover', 'sessions.db'), { readOnly: true })
  try {
    const rows = database.prepare('SELECT status, count(*) AS count FROM sessions GROUP BY status').all()
    return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
  } finally {
    database.close()
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}
