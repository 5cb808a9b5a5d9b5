/** A run that a server of the user drove, and that waited for a person, continues there. */
import { findDriven } from '../../drive/record/driven-records.ts'
import { Fault } from '../../kit/fault.ts'
import { toOwnEnvironment } from '../../kit/process/child-environment.ts'
import type { LocalResume } from '../../service/local-protocol.ts'
import type { Invocation } from '../command.ts'
import { serverNotRunning } from '../local/faults.ts'
import { callServer } from '../local/server-client.ts'
import { toMessage } from '../output/printable.ts'
import { findUserPaths } from '../settings.ts'

/** Whether a server was its last driver. */
export function wasLeftToServer(invocation: Invocation, runId: string): boolean {
  return findDriven(findUserPaths(invocation).drivenRuns, runId)?.was_server_driven === true
}

/** Whether it continues. Why a server that runs refuses it is said on standard error: the change itself was made. */
export async function continueInServer(invocation: Invocation, runId: string): Promise<boolean> {
  if (!wasLeftToServer(invocation, runId)) return false
  const { env, cwd, terminal } = invocation.runtime
  const body: LocalResume = { env: toOwnEnvironment(env), cwd }
  try {
    await callServer(invocation, { method: 'POST', path: `/local/runs/${runId}/resume`, body })
    return true
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    if (error.code === serverNotRunning.code) return false
    await terminal.err.write(`drover: warning: your server does not continue the run: ${toMessage(error.message)}\n`)
    return false
  }
}
