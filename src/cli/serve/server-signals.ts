import { setTimeout as delay } from 'node:timers/promises'
import { killAllProcesses } from '../../kit/process/running-processes.ts'

/** Not an orderly end: clients got no response. */
const EXIT_FORCED = 1
/** For each step of a forced end. */
const FORCED_STEP_MS = 1000

export type ServerSignals = {
  /** Resolves at the first SIGINT or SIGTERM; a second one stops the process at once. */
  stopped: Promise<void>
}

type SignalOptions = {
  isOnTerminal: boolean
  reload: () => void
  /** Ends the turns of the sessions whose agents were killed. */
  closeSessions: () => Promise<void>
}

/** On a terminal SIGHUP means that the window was closed. A service gets it to reload its API keys. */
export function listenForSignals({ isOnTerminal, reload, closeSessions }: SignalOptions): ServerSignals {
  const { promise: stopped, resolve } = Promise.withResolvers<void>()
  let isStopping = false
  const stop = () => {
    if (isStopping) void stopAtOnce(closeSessions)
    isStopping = true
    resolve()
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  process.on('SIGHUP', isOnTerminal ? stop : reload)
  return { stopped }
}

async function stopAtOnce(closeSessions: () => Promise<void>): Promise<void> {
  // Once its agents are gone, the server may finish first and would exit with 0.
  process.once('exit', () => {
    process.exitCode = EXIT_FORCED
  })
  await Promise.race([killAllProcesses().catch(ignore), delay(FORCED_STEP_MS)])
  await Promise.race([closeSessions().catch(ignore), delay(FORCED_STEP_MS)])
  process.exit(EXIT_FORCED)
}

/** Nothing more can be done: the next start ends what is left. */
function ignore(): void {}
