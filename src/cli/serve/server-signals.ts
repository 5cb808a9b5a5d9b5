/** Handles the signals of a server. */
import { killAllProcesses } from '../../kit/process/process.ts'

/** Not an orderly end: the next start may have to end abandoned sessions. */
const EXIT_FORCED = 1
const FORCED_EXIT_MS = 1000

export type ServerSignals = {
  /** Resolves at the first SIGINT or SIGTERM; a second one stops the process at once. */
  stopped: Promise<void>
}

/** On a terminal SIGHUP means that the window was closed. A service gets it to reload its API keys. */
export function listenForSignals(options: { isOnTerminal: boolean; reload: () => void }): ServerSignals {
  const { promise: stopped, resolve } = Promise.withResolvers<void>()
  let isStopping = false
  const stop = () => {
    if (isStopping) stopAtOnce()
    isStopping = true
    resolve()
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  process.on('SIGHUP', options.isOnTerminal ? stop : options.reload)
  return { stopped }
}

function stopAtOnce(): void {
  const exit = () => process.exit(EXIT_FORCED)
  // Once its agents are gone, the server may finish first and would exit with 0.
  process.once('exit', () => {
    process.exitCode = EXIT_FORCED
  })
  setTimeout(exit, FORCED_EXIT_MS).unref()
  void killAllProcesses().finally(exit)
}
