import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type Served = {
  port: number
  pid: number
  residentMiB(): number
  /** CPU time of the process so far; NaN if the system does not report it. */
  cpuMs(): number
}

/** Runs `work` with a server in its own process and home. The server is ready when it prints its address. */
export async function withServer<T>(
  { args, env = {} }: { args: readonly string[]; env?: Record<string, string> },
  work: (served: Served) => Promise<T>,
): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), 'drover-bench-'))
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env['PATH'] ?? '', HOME: home, ...env },
    cwd: home,
    // Otherwise the time to write the log would be measured too.
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(child, 'close')
  try {
    const port = await portOf(child)
    const pid = child.pid ?? 0
    return await work({ port, pid, residentMiB: () => residentMiB(pid), cpuMs: () => cpuMs(pid) })
  } finally {
    child.kill('SIGTERM')
    await ended
    rmSync(home, { recursive: true, force: true })
  }
}

function portOf(child: ChildProcess): Promise<number> {
  let said = ''
  return new Promise((resolve, reject) => {
    child.stdout?.setEncoding('utf8').on('data', (text) => {
      said += text
      const port = /listens on http:\/\/[^:]+:(\d+)/.exec(said)?.[1]
      if (port !== undefined) resolve(Number(port))
    })
    child.once('close', () => reject(new Error(`the server exited: ${said}`)))
  })
}

/** Fields 14 and 15 of proc_pid_stat(5): user and system time in hundredths of a second. */
export function cpuMs(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) * 10
  } catch {
    return Number.NaN
  }
}

function residentMiB(pid: number): number {
  return Number(spawnSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).stdout) / 1024
}
