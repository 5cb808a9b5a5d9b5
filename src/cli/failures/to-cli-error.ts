/** A failed command on runs or hosts as a `cliError`, the message that programs read. */
import type { CliError } from '../../contract/cli-error.shape.ts'
import { CONTRACT_VERSION } from '../../contract/limits.ts'
import type { Next } from '../../contract/next.shape.ts'
import { checkNext } from '../../contract/next.ts'
import { checkCliError } from '../../contract/reports.ts'
import { Fault, toErrorMessage, tryTo } from '../../kit/fault.ts'
import { writeJson } from '../../kit/json/write-json.ts'
import * as faults from '../faults.ts'
import type { Remedy } from '../remedies.ts'

/** Usage faults that the protocol has a code for. */
const OWN_CODES: readonly string[] = [faults.protocolOperationRequired.code]

/** The code of bugs, and of output that could not be written by a command that changes nothing. */
const UNCLASSIFIED = 'runtime_error'

/** All other usage faults share the code `invalid_usage`. */
const USAGE_CODES: ReadonlySet<string> = new Set(
  Object.values(faults)
    .filter(({ kind, code }) => kind === 'usage' && !OWN_CODES.includes(code))
    .map(({ code }) => code),
)

export type CliFailure = {
  /** A fault; anything else is a bug. */
  error: unknown
  remedy: Remedy
  exitCode: 2 | 3
  /** The id of the worktree that the command is about. */
  workspaceId: string
}

/** One line of JSON, checked against the schema like every message. */
export function formatCliError({ error, remedy, exitCode, workspaceId }: CliFailure): string {
  const none: Next = { operation: 'none', workspace_identity: workspaceId, variants: [] }
  const message: CliError = {
    contract_version: CONTRACT_VERSION,
    code: toErrorCode(error),
    message: toPublicMessage(error),
    next: isValid(remedy.next) ? remedy.next : none,
    exit_code: exitCode,
    ...(remedy.details !== undefined && { details: remedy.details }),
  }
  return writeJson(checkCliError(message))
}

function toErrorCode(error: unknown): string {
  if (!(error instanceof Fault) || error.code === faults.outputFailed.code) return UNCLASSIFIED
  return USAGE_CODES.has(error.code) ? 'invalid_usage' : error.code
}

function toPublicMessage(error: unknown): string {
  const text = toErrorMessage(error).toWellFormed()
  const message = text.trim() === '' ? 'no reason was given' : text
  return error instanceof Fault ? message : `internal error, a bug in drover: ${message}`
}

/** An invalid `next` is dropped: the error itself must still be reported. */
function isValid(next: Next | undefined): next is Next {
  return next !== undefined && tryTo(() => checkNext(next)) === next
}
