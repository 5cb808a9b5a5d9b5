import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { NOWHERE } from './nowhere.ts'
import { DROVER, temporaryDirectory } from './run-drover.ts'
import { until } from './until.ts'

export type Serving = {
  child: ChildProcess
  home: string
  heard: { stdout: string; stderr: string }
  ended: Promise<number | null>
}

type ServeOptions = {
  /** A shell command that changes the limits of the process. */
  limit?: string
  drover?: string
  /** The user it runs as. */
  uid?: number | undefined
  /** When it is killed; by default when the test ends. */
  end?: (kill: () => Promise<void>) => void
}

/** Starts `drover serve` as a user would, with a temporary home. */
export function serveDrover(
  args: readonly string[],
  env: Record<string, string> = {},
  options?: ServeOptions,
): Serving {
  return startDrover(['serve', ...args], env, options)
}

/** The same for any command that runs until it is stopped. */
export function startDrover(
  args: readonly string[],
  env: Record<string, string> = {},
  { drover = DROVER, limit, uid, end = onTestFinished }: ServeOptions = {},
): Serving {
  const home = env['HOME'] ?? temporaryDirectory()
  const argv = [process.execPath, drover, ...args]
  const [program = '', ...rest] = limit === undefined ? argv : ['/bin/sh', '-c', `${limit} && exec "$@"`, 'sh', ...argv]
  const child = spawn(program, rest, {
    // Agents that stay up have tests of their own.
    env: { PATH: NOWHERE, HOME: home, DEMO_AGENT_WORD_MS: '0', DROVER_WARM_ENABLED: 'false', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid !== undefined && { uid, gid: uid }),
  })
  const heard = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => (heard.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text) => (heard.stderr += text))
  const ended = once(child, 'close').then(([code]) => code as number | null)
  end(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { child, home, heard, ended }
}

/** Waits until the server prints that it listens, and returns the port. */
export async function portOf(serving: Serving): Promise<number> {
  const found = await until(() => /listens on http:\/\/.*:(\d+)\n/.exec(serving.heard.stdout)?.[1])
  await until(() => serving.heard.stdout.includes('Press Ctrl-C to stop'))
  return Number(found)
}
