/**
 * Which ids processes can have that started after another one. Linux gives ids in ascending order and begins again at the
 * limit, so a search for the children of a process need not look at most of the others.
 */
import { readFileSync } from 'node:fs'

/** Ids that are reserved, and processes that start while the numbers are read. */
const MARGIN = 1000

export type IdFacts = {
  /** How many processes and threads have ever been started. */
  started: number
  /** How many there are now. */
  running: number
  /** The number of ids. */
  limit: number
}

/** The facts are from the start of process `first`, and from now. Without them, every process may have started later. */
export function laterIds(first: number, before: IdFacts | undefined, now = readIdFacts()): (pid: number) => boolean {
  if (before === undefined || now === undefined) return () => true
  // Ids in use are skipped.
  const given = now.started - before.started + now.running + MARGIN
  return (pid) => (pid - first + now.limit) % now.limit <= given
}

/** Undefined where the system does not tell. */
export function readIdFacts(): IdFacts | undefined {
  try {
    const started = Number(/^processes (\d+)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1])
    const running = Number(readFileSync('/proc/loadavg', 'utf8').split(/[ /]/)[4])
    const limit = Number(readFileSync('/proc/sys/kernel/pid_max', 'utf8'))
    // Some systems that are not Linux print made-up numbers.
    return running > 0 && started >= running && limit > running ? { started, running, limit } : undefined
  } catch {
    return undefined
  }
}
