import type { Invocation } from '../command.ts'

/** Shown when a person runs a command meant for programs, which would otherwise appear to hang. */
export async function explainProtocol(
  { runtime }: Invocation,
  what: { command: string; client: string; instead: string },
) {
  if (!runtime.stdin.isTty) return
  const { command, client, instead } = what
  await runtime.terminal.err.write(
    `drover: ${command} waits for the messages of ${client}, which starts it and talks to it over standard input.\n` +
      `To try drover here, use ${instead}. Press Ctrl-C to stop.\n`,
  )
}
