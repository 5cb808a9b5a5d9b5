import { readFileSync } from 'node:fs'
import { orUndefined } from '../fault.ts'
import type { Member } from './process-tree.ts'

/** The memory of the processes together; pages that they share count once for each. 0 where the system does not tell. */
export function residentBytes(members: readonly Member[]): number {
  return members.reduce((sum, { pid }) => sum + readResidentBytes(pid), 0)
}

function readResidentBytes(pid: number): number {
  try {
    const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Number(kibibytes ?? 0) * 1024
  } catch {
    return 0
  }
}

/** The share of the machine's memory that is available; 1 where the system does not tell. */
export function availableMemoryShare(): number {
  return orUndefined(() => shareIn(readFileSync('/proc/meminfo', 'utf8'))) ?? 1
}

/** Pure. */
export function shareIn(meminfo: string): number {
  const kibibytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(meminfo)?.[1])
  const share = kibibytes('MemAvailable') / kibibytes('MemTotal')
  return Number.isFinite(share) ? share : 1
}
