/** Handles SIGINT, SIGTERM and SIGHUP for commands that must clean up. */
import { killAllProcesses } from '../kit/process/running-processes.ts'

export type Interruption = Disposable & {
  /** Aborted by the first signal. */
  signal: AbortSignal
  /** The signal that was received, if any. */
  by(): NodeJS.Signals | undefined
}

const FORCED_EXIT_MS = 2000

const EXIT_BY_SIGNAL = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

const SIGNALS = Object.keys(EXIT_BY_SIGNAL) as (keyof typeof EXIT_BY_SIGNAL)[]

/**
 * From here on the first signal asks for an orderly end, and a second one kills all child processes. A command that continues
 * afterwards, such as a conversation, disposes of it.
 */
export function listenForInterruption(): Interruption {
  const controller = new AbortController()
  let received: NodeJS.Signals | undefined
  let forcedExit: NodeJS.Timeout | undefined
  const onSignal = (name: NodeJS.Signals) => {
    if (received !== undefined) forcedExit ??= endNow(exitCodeOfSignal(name))
    received ??= name
    controller.abort()
  }
  for (const name of SIGNALS) process.on(name, onSignal)
  return {
    signal: controller.signal,
    by: () => received,
    [Symbol.dispose]() {
      clearTimeout(forcedExit)
      for (const name of SIGNALS) process.off(name, onSignal)
    },
  }
}

/** Without child processes the command usually ends and cleans up by itself. If it does not, the process exits. */
function endNow(exitCode: number): NodeJS.Timeout {
  void killAllProcesses()
  return setTimeout(() => process.exit(exitCode), FORCED_EXIT_MS).unref()
}

/** 128 plus the number of the signal, as in a shell. */
export function exitCodeOfSignal(name: NodeJS.Signals): number {
  return name in EXIT_BY_SIGNAL ? EXIT_BY_SIGNAL[name as keyof typeof EXIT_BY_SIGNAL] : 1
}
