import { setTimeout as delay } from 'node:timers/promises'
import { runInterrupted } from '../../runs/faults.ts'
import type { Runtime } from '../command.ts'
import { flagValueInvalid } from '../faults.ts'

type Person = Pick<Runtime, 'stdin' | 'terminal'>

/** Keys that were typed before the question appears are not an answer to it. They arrive within this time. */
const TYPED_AHEAD_MS = 50

/** Whether a person can see and answer a question. */
export function canAsk({ stdin, terminal }: Person): boolean {
  return stdin.isTty && terminal.err.isTty
}

/** Asks for one line at the terminal; empty at the end of input. Ctrl-C throws `run_interrupted`. */
export async function askPerson(
  { stdin, terminal }: Person,
  { question, signal }: { question: string; signal: AbortSignal },
): Promise<string> {
  await forgetTyped(stdin)
  const lines = await stdin.lines()
  const aborted = Promise.withResolvers<never>()
  aborted.promise.catch(() => undefined)
  const onAbort = () => aborted.reject(runInterrupted({}))
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort)
  try {
    await terminal.err.write(question)
    const line = await Promise.race([lines.next(), aborted.promise])
    // Without a line there is no line break on the screen.
    if (line === undefined) await terminal.err.write('\n')
    return (line ?? '').trim()
  } catch (error) {
    await terminal.err.write('\n')
    throw error
  } finally {
    signal.removeEventListener('abort', onAbort)
    lines.close()
  }
}

/** Whether an answer agrees. Any other answer does not. */
export function isYes(answer: string): boolean {
  return /^y(?:es)?$/i.test(answer)
}

/** Forgets what was typed so far. Ctrl-C still counts. */
async function forgetTyped(stdin: Person['stdin']): Promise<void> {
  const keys = await stdin.keys()
  const isOver = delay(TYPED_AHEAD_MS, 'over' as const)
  try {
    for (;;) {
      const key = await Promise.race([isOver, keys.next()])
      if (key === 'over' || key === undefined) return
      if (key.isCtrl && key.name === 'c') process.kill(process.pid, 'SIGINT')
    }
  } finally {
    keys.close()
  }
}

/** With fewer characters, another request could have the same beginning. */
const SHORTEST = 12

/**
 * The whole digest of the pending request, if the user typed it or a beginning of it. Any other digest is passed on, so that
 * the engine refuses it.
 */
export function confirmedDigest(given: string, pending: string | undefined): string {
  const typed = readDigits(given)
  if (typed === undefined) {
    throw flagValueInvalid({
      flag: '--confirm',
      given,
      allowed: `the digest of the request, or its first ${SHORTEST} or more characters`,
    })
  }
  return pending?.startsWith(`sha256:${typed}`) ? pending : `sha256:${typed.padEnd(64, '0')}`
}

/** Whether the text is this digest, or a beginning of it that is long enough. */
export function matchesDigest(text: string, digest: string): boolean {
  const typed = readDigits(text)
  return typed !== undefined && digest.startsWith(`sha256:${typed}`)
}

/** Undefined if the text is not a digest, or too short. */
function readDigits(text: string): string | undefined {
  const typed = text.replace(/^sha256:/, '').toLowerCase()
  return /^[0-9a-f]+$/.test(typed) && typed.length >= SHORTEST && typed.length <= 64 ? typed : undefined
}
