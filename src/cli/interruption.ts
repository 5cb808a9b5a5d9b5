/** Ctrl-C and polite kills, for commands that have something to end in good order. */
import { killAllProcesses } from '../kit/process/process.ts'

export type Interruption = {
  /** Aborted by the first signal. */
  signal: AbortSignal
  /** The signal that came, if one did. */
  by(): NodeJS.Signals | undefined
}

const LAST_CHANCE_MS = 2000

const EXIT_BY_SIGNAL = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

/** From here on a signal asks for an orderly end; a second one ends everything at once. */
export function listenForInterruption(): Interruption {
  const controller = new AbortController()
  let came: NodeJS.Signals | undefined
  for (const name of Object.keys(EXIT_BY_SIGNAL) as (keyof typeof EXIT_BY_SIGNAL)[]) {
    process.on(name, () => {
      if (came !== undefined) endNow(EXIT_BY_SIGNAL[name])
      came ??= name
      controller.abort()
    })
  }
  return { signal: controller.signal, by: () => came }
}

/** With nobody left to wait for, the command ends by itself and tidies up; if it does not, the process ends anyway. */
function endNow(exitCode: number): void {
  void killAllProcesses()
  setTimeout(() => process.exit(exitCode), LAST_CHANCE_MS).unref()
}

/** The exit code of a program that a signal ended. */
export function exitCodeOfSignal(name: NodeJS.Signals): number {
  return name in EXIT_BY_SIGNAL ? EXIT_BY_SIGNAL[name as keyof typeof EXIT_BY_SIGNAL] : 1
}
