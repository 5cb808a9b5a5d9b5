/** Deletes sessions that an agent keeps although nobody wants them. Nothing waits for it but an orderly end. */
import { startProcess } from '../kit/process/process.ts'
import type { AgentCommand } from './agent.ts'

const CLEAN_UP_MS = 15_000

const pending = new Set<Promise<void>>()

/** Starts the clean-up and lets it go on in the background, whatever becomes of the run it belongs to. */
export function cleanUpSession(command: AgentCommand, cwd: string): void {
  const work = cleanUp(command, cwd).finally(() => pending.delete(work))
  pending.add(work)
}

/** Resolves when no clean-up is under way: for an orderly shutdown. */
export async function cleanUpsDone(): Promise<void> {
  while (pending.size > 0) await Promise.all(pending)
}

/** A session that stays behind is untidy, not wrong: the run has its result already, and nobody is left to tell. */
async function cleanUp(command: AgentCommand, cwd: string): Promise<void> {
  try {
    const { stdout, exit } = await startProcess({
      argv: command.argv,
      cwd,
      env: command.env,
      stdin: command.stdin,
      timeoutMs: CLEAN_UP_MS,
      signal: new AbortController().signal,
      sweep: 'always',
    })
    stdout.resume()
    await exit
  } catch {
    return
  }
}
