import { programOutputTooLarge } from '../faults.ts'
import { type Command, type Exit, startProcess } from './process.ts'

/** Runs a short command and gives its whole output. One that prints more is ended, and a Fault is thrown. */
export async function runToEnd(
  command: Command,
  { stdoutLimitBytes }: { stdoutLimitBytes: number },
): Promise<{ exit: Exit; stdout: Buffer }> {
  const { stdout, exit } = await startProcess(command)
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stdout) {
    bytes += chunk.length
    if (bytes > stdoutLimitBytes) break
    chunks.push(chunk)
  }
  const ended = await exit
  if (bytes > stdoutLimitBytes) {
    throw programOutputTooLarge({ program: command.argv[0], limitBytes: stdoutLimitBytes })
  }
  return { exit: ended, stdout: Buffer.concat(chunks, bytes) }
}
