/**
 * Destructive requests and grants are stored only in the outcome or action that carries them, and looked up here. So a grant
 * cannot differ from its request, and neither outlives its action.
 */
import type { DestructiveAuthorization, DestructiveRequest } from '../../contract/destructive.shape.ts'
import { currentRecord, type Run } from './run.ts'

/** The authorization of the current action; it ends with that action. */
export function destructiveGrant(run: Run): DestructiveAuthorization | undefined {
  return run.state === 'active' ? run.current_action?.destructive_authorization : undefined
}

/** The request that waits for a confirmation, or that was confirmed for the current action. */
export function pendingRequest(run: Run): DestructiveRequest | undefined {
  const grant = destructiveGrant(run)
  if (grant !== undefined) {
    const { request_id, targets, impact, scope_sha256 } = grant
    return { request_id, targets, impact, scope_sha256 }
  }
  // If git failed when the request was submitted, the run waits for its environment instead.
  const isAsking = run.pause_reason === 'destructive_confirmation_required'
  const pause = currentRecord(run)?.outcome?.pause
  return isAsking && pause?.reason === run.pause_reason ? pause.destructive_request : undefined
}
