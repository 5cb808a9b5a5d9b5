import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type Served = { port: number; residentMiB(): number }

/** Runs `work` with a server in a process and a home of its own; it is up when it says where it listens. */
export async function withServer<T>(
  { args, env = {} }: { args: readonly string[]; env?: Record<string, string> },
  work: (served: Served) => Promise<T>,
): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), 'drover-bench-'))
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env['PATH'] ?? '', HOME: home, ...env },
    cwd: home,
    // A log that is written to a terminal or a file would be measured too.
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(child, 'close')
  try {
    const port = await portOf(child)
    return await work({ port, residentMiB: () => residentMiB(child.pid ?? 0) })
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
    child.once('close', () => reject(new Error(`the server has ended: ${said}`)))
  })
}

function residentMiB(pid: number): number {
  return Number(spawnSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).stdout) / 1024
}
