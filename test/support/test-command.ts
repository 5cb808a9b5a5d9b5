import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { toOwnEnvironment } from '../../src/kit/process/child-environment.ts'
import type { ProcessCommand } from '../../src/kit/process/process.ts'

type Over = Partial<Omit<ProcessCommand, 'env'>> & { env?: Readonly<Record<string, string>> }

/** A command with defaults for everything a test does not set. */
export function command(
  argv: ProcessCommand['argv'],
  { env = { PATH: '/usr/local/bin:/usr/bin:/bin' }, ...over }: Over = {},
): ProcessCommand {
  return {
    argv,
    cwd: tmpdir(),
    env: toOwnEnvironment(env),
    timeoutMs: 20_000,
    signal: new AbortController().signal,
    sweep: 'when-ended',
    ...over,
  }
}

/** The path of an executable in test/programs. */
export function program(name: string): string {
  return join(import.meta.dirname, '..', 'programs', name)
}

/** The first output of a program. Later output is read and dropped. */
export async function firstWords(stdout: Readable): Promise<string> {
  const [chunk] = await once(stdout, 'data')
  return String(chunk).trim()
}

/** Whether the process runs. A zombie does not: it has ended, and only its parent has not asked for its exit code. */
export function isRunning(pid: number): boolean {
  try {
    if (process.platform !== 'linux') return process.kill(pid, 0)
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat[stat.lastIndexOf(')') + 2] !== 'Z'
  } catch {
    return false
  }
}
