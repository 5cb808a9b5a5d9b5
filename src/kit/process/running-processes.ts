/** All processes that run: they can be ended together, and with this process. */

type RunningEntry = {
  cancel(): void
  kill(): Promise<unknown>
  /** Sends SIGTERM to the whole tree, without waiting for anything. */
  terminate(): void
  exit: Promise<unknown>
}

const FATAL_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

const running = new Set<RunningEntry>()
let endsWithProcess = false

export function noteRunning(entry: RunningEntry): void {
  running.add(entry)
  if (running.size === 1) listen()
  void entry.exit.then(() => {
    running.delete(entry)
    if (running.size === 0) unlisten()
  })
}

/** Cancels all processes, including those started meanwhile, and waits until they are gone: for an orderly shutdown. */
export async function endAllProcesses(): Promise<void> {
  while (running.size > 0) {
    for (const { cancel } of running) cancel()
    await Promise.all([...running].map(({ exit }) => exit))
  }
}

/** Kills all process trees with SIGKILL at once: for a user who presses Ctrl-C again. */
export async function killAllProcesses(): Promise<void> {
  await Promise.all([...running].map(({ kill }) => kill()))
}

/**
 * From now on, what runs is ended with this process: by `process.exit()`, an uncaught error, or a signal for which the program
 * has no handler. Signals still do what they would do without this. For a program that is not drover's own.
 */
export function endProcessesAtExit(): void {
  endsWithProcess = true
  if (running.size > 0) listen()
}

/** There are listeners only while something runs. */
function listen(): void {
  if (!endsWithProcess) return
  unlisten()
  process.on('exit', terminateAll)
  for (const signal of FATAL_SIGNALS) process.on(signal, onFatalSignal)
}

function unlisten(): void {
  process.off('exit', terminateAll)
  for (const signal of FATAL_SIGNALS) process.off(signal, onFatalSignal)
}

function terminateAll(): void {
  for (const { terminate } of running) terminate()
}

function onFatalSignal(signal: NodeJS.Signals): void {
  // The program has its own handler, and so decides whether it ends.
  if (process.listenerCount(signal) > 1) return
  terminateAll()
  unlisten()
  process.kill(process.pid, signal)
}
