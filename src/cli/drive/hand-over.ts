/** Hands a run over to the server in the background. A server that is killed meanwhile is started again. */
import type { Config } from '../../config/config.shape.ts'
import { recordOfUser } from '../../drive/driven-record-writer.ts'
import { isDriven } from '../../drive/record/drive-journal.ts'
import { findDriven, saveDriven } from '../../drive/record/driven-records.ts'
import type { FoundDrive } from '../../drive/start/start-drive.ts'
import { Fault } from '../../kit/fault.ts'
import { shortenKnownRunId } from '../../runs/resolve-run-id.ts'
import type { LocalDrive, LocalStatus } from '../../service/local-protocol.ts'
import type { Invocation } from '../command.ts'
import { requireServer } from '../local/background-server.ts'
import { localServerLost, localServerNotStarted, serverNotRunning } from '../local/faults.ts'
import { askStatus } from '../local/local-server.ts'
import { callServer } from '../local/server-client.ts'
import { findUserPaths } from '../settings.ts'
import { isDrivenByServer } from './attach.ts'
import { driveNotHandedOver } from './faults.ts'

/** How often it is tried before the command gives up. */
const ATTEMPTS = 3
const LOST: readonly string[] = [localServerLost.code, serverNotRunning.code, localServerNotStarted.code]

/** The server was killed, or could not be started. */
export function isServerLost({ code }: Fault): boolean {
  return LOST.includes(code)
}

type HandOver = { found: FoundDrive; body: LocalDrive; config: Config }

/** Returns the server that drives the run. Throws `drive_not_handed_over`; then the next server that starts continues the run. */
export async function handOver(invocation: Invocation, { found, body, config }: HandOver): Promise<LocalStatus> {
  const takeBack = await leaveToServer(invocation, found, body)
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await sendToServer(invocation, { body, config, isLeft: takeBack !== undefined })
    } catch (error) {
      if (!(error instanceof Fault) || !isServerLost(error)) {
        takeBack?.()
        throw error
      }
      const run = shortenKnownRunId(found.context, found.runId)
      if (attempt === ATTEMPTS) throw driveNotHandedOver({ run, problem: error.message }, error)
    }
  }
}

type Sent = Pick<HandOver, 'body' | 'config'> & { isLeft: boolean }

async function sendToServer(invocation: Invocation, { body, config, isLeft }: Sent): Promise<LocalStatus> {
  const server = await requireServer(invocation, config)
  try {
    await callServer(invocation, { method: 'POST', path: '/local/drive', body })
    return server
  } catch (error) {
    // A server that has just started continues by itself a run that is left to it.
    const isTaken = isLeft && (await isDrivenByServer(invocation, body.run_id, error))
    const status = isTaken ? await askStatus(invocation) : undefined
    if (status === undefined) throw error
    return status
  }
}

/** Returns how that is undone, for a run that is refused. Undefined if a process drives the run. */
async function leaveToServer(
  invocation: Invocation,
  { runId, context }: FoundDrive,
  { repository, notify, env }: LocalDrive,
): Promise<(() => void) | undefined> {
  if (await isDriven(context.store, runId)) return undefined
  const directory = findUserPaths(invocation).drivenRuns
  const before = findDriven(directory, runId)
  const record = recordOfUser(directory, { runId, repository, context, env })
  saveDriven(directory, { ...record, is_server_driven: true, ...(notify !== undefined && { notify }) })
  return () => void saveDriven(directory, { ...(before ?? record), is_server_driven: false })
}
