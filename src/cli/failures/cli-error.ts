/** Failures of the changes half as the message that programs read. */

import type { CliError } from '../../contract/cli-error.shape.ts'
import { checkCliError } from '../../contract/cli-error.ts'
import { CONTRACT_VERSION } from '../../contract/limits.ts'
import type { Next } from '../../contract/next.shape.ts'
import { checkNext } from '../../contract/next.ts'
import { Fault } from '../../kit/fault.ts'
import { writeJson } from '../../kit/json/write-json.ts'
import * as faults from '../faults.ts'
import type { Advice } from './advised-failure.ts'

/** What the protocol has a code for. */
const OWN_CODES: readonly string[] = [faults.protocolOperationRequired.code]

/** What it has none for: bugs, and an answer that was only asked for and cannot be written. */
const UNCLASSIFIED = 'runtime_error'

/** Programs need not tell apart in how many other ways words can be wrong. */
const WRONG_WORDS: ReadonlySet<string> = new Set(
  Object.values(faults)
    .filter(({ kind, code }) => kind === 'usage' && !OWN_CODES.includes(code))
    .map(({ code }) => code),
)

export type FailureFacts = {
  /** A fault, or anything else, which is a bug. */
  error: unknown
  advice: Advice
  exitCode: 2 | 3
  /** The id of the worktree that the command was about. */
  workspace: string
}

/** One line of JSON, checked like every message that leaves drover. */
export function writeCliError({ error, advice, exitCode, workspace }: FailureFacts): string {
  const none: Next = { operation: 'none', workspace_identity: workspace, variants: [] }
  const message: CliError = {
    contract_version: CONTRACT_VERSION,
    code: codeOf(error),
    message: messageOf(error),
    next: isSound(advice.next) ? advice.next : none,
    exit_code: exitCode,
    ...(advice.details !== undefined && { details: advice.details }),
  }
  return writeJson(checkCliError(message))
}

function codeOf(error: unknown): string {
  if (!(error instanceof Fault) || error.code === faults.outputFailed.code) return UNCLASSIFIED
  return WRONG_WORDS.has(error.code) ? 'invalid_usage' : error.code
}

function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  const said = text.toWellFormed().trim() === '' ? 'it was not said why' : text.toWellFormed()
  return error instanceof Fault ? said : `internal error, a bug in drover: ${said}`
}

/** Advice that cannot be followed is worse than none, and no reason to hide what happened. */
function isSound(next: Next | undefined): next is Next {
  try {
    return next !== undefined && checkNext(next) === next
  } catch (error) {
    if (error instanceof Fault) return false
    throw error
  }
}
