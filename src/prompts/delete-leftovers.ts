/** Deletes sessions that an agent stored although its prompt is ephemeral, when the answer is already out. */
import type { AgentCommand } from '../agents/adapter/agent.ts'
import { cleanUpSession } from '../agents/clean-up.ts'
import type { PreparedPrompt } from './open-turn.ts'

/** A client may disconnect as soon as it has its answer. */
const NEVER = new AbortController().signal

/** Never throws. A session that could not be deleted is reported. */
export async function deleteLeftovers(
  commands: readonly AgentCommand[],
  { agentRequest, context, signal }: Pick<PreparedPrompt, 'agentRequest' | 'context'> & { signal: AbortSignal },
): Promise<void> {
  const { backend, workdir } = agentRequest
  for (const command of commands) {
    // Ctrl-C on the command line ends this too.
    const until = context.by.is === 'user' ? signal : NEVER
    const reason = await cleanUpSession(command, { request: agentRequest, signal: until })
    if (reason === undefined) continue
    const words = [backend, ...command.argv.slice(agentRequest.program.length)].join(' ')
    context.observer?.sessionLeft?.(
      `${backend} stored a session although the prompt is ephemeral, and it could not be deleted (${reason}); run "${words}" in ${workdir}`,
    )
  }
}
