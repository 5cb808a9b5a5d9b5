/** What processes use of the machine, and what there is of it. */
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

let known: number | undefined

/** How many files and connections this process may have open at the same time. Node has raised it as far as it may. */
export function descriptorLimit(): number {
  known ??= readLimit()
  return known
}

/** The report of Node is the only way to ask for it on every system. Without these parts it takes 2 ms. */
function readLimit(): number {
  const report: NodeJS.ProcessReport & { excludeNetwork?: boolean } = process.report
  const { excludeNetwork, excludeEnv } = report
  Object.assign(report, { excludeNetwork: true, excludeEnv: true })
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft?: number | string } } }
  Object.assign(report, { excludeNetwork, excludeEnv })
  const limit = Number(userLimits?.open_files?.soft)
  return Number.isSafeInteger(limit) ? limit : Number.POSITIVE_INFINITY
}
