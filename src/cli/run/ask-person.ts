import { runInterrupted } from '../../runs/faults.ts'
import type { Runtime } from '../command.ts'

/** Whether a person can see and answer a question. */
export function canAsk({ stdin, terminal }: Pick<Runtime, 'stdin' | 'terminal'>): boolean {
  return stdin.isTty && terminal.err.isTty
}

/** Asks for one line at the terminal; empty at the end of input. Ctrl-C throws `run_interrupted`. */
export async function askPerson(
  { stdin, terminal }: Pick<Runtime, 'stdin' | 'terminal'>,
  { question, signal }: { question: string; signal: AbortSignal },
): Promise<string> {
  const lines = await stdin.lines()
  const aborted = Promise.withResolvers<never>()
  const onAbort = () => aborted.reject(runInterrupted({}))
  signal.addEventListener('abort', onAbort)
  try {
    await terminal.err.write(question)
    return ((await Promise.race([lines.next(), aborted.promise])) ?? '').trim()
  } finally {
    signal.removeEventListener('abort', onAbort)
    lines.close()
  }
}
