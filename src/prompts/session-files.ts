/** Lets a session be resumed although the machine that had it is gone, if its agent keeps it in one file. */
import type { AgentRequest } from '../agents/adapter/agent.ts'
import { isSessionId } from '../agents/build-command.ts'
import { sessionMachineGone } from '../sessions/faults.ts'
import type { SessionStore } from '../sessions/session-store.ts'

/**
 * Brings the file of a session to this machine, if another one had the session. Returns warnings for the result. Throws a Fault if
 * the file is not stored: the agent would start over, or not at all.
 */
export async function fetchSession(
  id: string,
  { files }: Pick<SessionStore, 'files'>,
  { agent, resumeId = '', ...request }: AgentRequest,
): Promise<string[]> {
  const moved = await files?.findMoved(id)
  if (files === undefined || moved === undefined) return []
  const { machine, file, missingTurns = 0 } = moved
  if (file === undefined || agent.sessionFile === undefined || !isSessionId(resumeId)) {
    throw sessionMachineGone({ id, machine })
  }
  await agent.sessionFile.write(resumeId, file, request)
  await files.noteHere(id)
  const restored = `the session was on ${machine} and is resumed here, from what is stored of it`
  return [missingTurns > 0 ? `${restored}; its last turn is not in it, because it was interrupted` : restored]
}

/** Stores the file of a session after a turn. If that fails, what is stored of it is known to be older. */
export async function storeSession(
  id: string,
  { files }: Pick<SessionStore, 'files'>,
  { agent, resumeId, ...request }: AgentRequest,
): Promise<void> {
  if (files === undefined || agent.sessionFile === undefined || resumeId === undefined) return
  if (isSessionId(resumeId)) await files.save(id, await agent.sessionFile.read(resumeId, request))
}
