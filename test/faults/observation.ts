/** What can be seen of a server from outside, without asking it. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OWNER_VARIABLE, TREE_VARIABLE } from '../../src/kit/process/environment-variables.ts'
import type { SessionStatus } from '../../src/sessions/session-statuses.ts'

export type Sessions = Partial<Record<SessionStatus, number>>

/** Everybody who carries the mark of an agent's tree, or of its owner, and has this home: agents, their tools, daemons. */
export function processesOf(home: string): number[] {
  const marks = [`${TREE_VARIABLE}=`, `${OWNER_VARIABLE}=`]
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      const variables = read(`/proc/${pid}/environ`).split('\0')
      return variables.includes(`HOME=${home}`) && variables.some((each) => marks.some((mark) => each.startsWith(mark)))
    })
}

/** Those among them that are agents, and not what agents have started. */
export function agentsOf(home: string): number[] {
  return processesOf(home).filter((pid) => read(`/proc/${pid}/cmdline`).includes('fake-agent/agent.ts'))
}

/** Children of a process, also those that have ended and that it has not reaped. */
export function childrenOf(pid: number): number[] {
  return read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number)
}

export function descriptorsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length
}

/** What is in memory now (`VmRSS`), and the most that ever was (`VmHWM`). */
export function memoryOf(pid: number): { residentMiB: number; peakMiB: number } {
  const status = read(`/proc/${pid}/status`)
  const mebibytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024
  return { residentMiB: mebibytes('VmRSS'), peakMiB: mebibytes('VmHWM') }
}

/** By the file itself, so that nothing is settled by looking. */
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
