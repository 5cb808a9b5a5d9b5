/** What signals mean to a server. */
import { killAllProcesses } from '../../kit/process/process.ts'

/** Not an orderly end: sessions may be left for the next start to settle. */
const EXIT_AT_ONCE = 1
const LAST_CHANCE_MS = 1000

export type ServerSignals = {
  /** Resolves at the first SIGINT or SIGTERM; a second one ends everything at once. */
  stopped: Promise<void>
}

/** On a terminal a hang-up means that the window was closed; a service without one is asked to read its keys again. */
export function listenForSignals(options: { isOnTerminal: boolean; reload: () => void }): ServerSignals {
  const { promise: stopped, resolve } = Promise.withResolvers<void>()
  let isStopping = false
  const stop = () => {
    if (isStopping) endAtOnce()
    isStopping = true
    resolve()
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  process.on('SIGHUP', options.isOnTerminal ? stop : options.reload)
  return { stopped }
}

function endAtOnce(): void {
  const exit = () => process.exit(EXIT_AT_ONCE)
  // With its agents gone the server may come to its orderly end first, and would call that a success.
  process.once('exit', () => {
    process.exitCode = EXIT_AT_ONCE
  })
  setTimeout(exit, LAST_CHANCE_MS).unref()
  void killAllProcesses().finally(exit)
}
