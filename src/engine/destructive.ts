/**
 * What may be destroyed is kept in one place, the action or the outcome that says so, and only looked up here. So a request
 * and a grant cannot differ, and none outlives the moment for which it was given.
 */
import type { DestructiveAuthorization, DestructiveRequest } from '../contract/destructive.shape.ts'
import { currentRecord, type Run } from './run.ts'

/** What a person has allowed: it holds while the action that carries it is being worked on. */
export function destructiveGrant(run: Run): DestructiveAuthorization | undefined {
  return run.state === 'active' ? run.current_action?.destructive_authorization : undefined
}

/** What a person is asked to allow, or has allowed for the action that is being worked on. */
export function pendingRequest(run: Run): DestructiveRequest | undefined {
  const grant = destructiveGrant(run)
  if (grant !== undefined) {
    const { request_id, targets, impact, scope_sha256 } = grant
    return { request_id, targets, impact, scope_sha256 }
  }
  // A run that asked and then could not be looked at waits for something else.
  const isAsking = run.pause_reason === 'destructive_confirmation_required'
  const pause = currentRecord(run)?.outcome?.pause
  return isAsking && pause?.reason === run.pause_reason ? pause.destructive_request : undefined
}
