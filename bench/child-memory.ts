import { spawnSync } from 'node:child_process'

type Process = { pid: number; parent: number; kib: number }

/** The resident memory, in MiB, of each child of a process together with all its descendants. */
export function memoryOfChildren(pid: number): number[] {
  const { stdout } = spawnSync('ps', ['-e', '-o', 'pid=,ppid=,rss='], { encoding: 'utf8' })
  const rows = stdout.trim().split('\n').map(readRow)
  const below = (parent: number) => rows.filter((row) => row.parent === parent)
  const sizeOf = (row: Process): number => row.kib + below(row.pid).reduce((sum, child) => sum + sizeOf(child), 0)
  return below(pid).map((child) => sizeOf(child) / 1024)
}

function readRow(line: string): Process {
  const [pid, parent, kib] = line.trim().split(/\s+/).map(Number)
  return { pid: pid ?? 0, parent: parent ?? 0, kib: kib ?? 0 }
}
