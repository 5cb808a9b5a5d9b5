/** What the user can do about a failure: which commands to offer for each fault code. Pure. */
import type { CliError } from '../contract/cli-error.shape.ts'
import type { Next } from '../contract/next.shape.ts'
import { makeVariant, type VariantValues } from '../contract/next-variants.ts'
import type { ChangeReport } from '../contract/reports.shape.ts'
import { Fault } from '../kit/fault.ts'

/** The worktree a command is about. Outside of a repository, a digest of the path serves as its id. */
export type WorkspaceRef = { readonly id: string; readonly root: string }

/** Values to show people instead of a placeholder, by the name of the input. */
export type TypedInputs = Readonly<Record<string, string>>

export type Remedy = {
  /** The commands that can follow. */
  readonly next?: Next
  /** Shown to people only: a program adds the values of inputs itself. */
  readonly typedInputs?: TypedInputs
  /** The facts of the failure, in one of the forms that `cliError` has for them. */
  readonly details?: CliError['details']
  /** Set when the command had attempted nothing yet, whatever the kind of the fault says. */
  readonly exitCode?: 2
}

/** An error together with the remedy that only the failed command could find. */
export class FailureWithRemedy extends Error {
  override readonly name = 'FailureWithRemedy'
  /** A fault; anything else is a bug. */
  readonly error: unknown
  readonly remedy: Remedy

  constructor(error: unknown, remedy: Remedy) {
    super('a command failed', { cause: error })
    this.error = error
    this.remedy = remedy
  }
}

/**
 * The variant to offer for each fault code; `none` offers nothing. `inspect-run` becomes `inspect-runs` while the run is
 * unknown. A code that is not listed gets what the command suggests, else `inspect-run` if the run is known.
 */
export const VARIANT_BY_CODE: Readonly<Record<string, string>> = {
  git_repository_required: 'none',
  git_repository_unavailable: 'retry-doctor',

  // The message names the command.
  discard_not_confirmed: 'none',

  runstore_unavailable: 'run-doctor',
  invalid_run_id: 'inspect-runs',
  run_id_ambiguous: 'list-runs',
  run_not_found: 'list-runs',
  run_unavailable: 'list-runs',
  run_journal_invalid: 'list-runs',
  journal_record_too_large: 'inspect-run',
  mutation_not_committed: 'none',
  mutation_outcome_ambiguous: 'inspect-run',
  mutation_committed_verification_failed: 'inspect-run',
  mutation_committed_output_failed: 'inspect-run',

  unknown_host_adapter: 'list-host-adapters',
  host_adapter_required: 'list-host-adapters',
  install_failed: 'inspect-host-adapters',
  uninstall_failed: 'inspect-host-adapters',
  list_failed: 'retry-list',
}

/** What a command knows when it fails. */
export type Situation = {
  readonly workspace: WorkspaceRef
  readonly runId: string | undefined
  /** What the command suggests if the table has no entry for the code. */
  readonly suggested?: Next | undefined
}

/** A fault may carry `next` and `details` itself; they win over the table. */
export function remedyFor(error: unknown, situation: Situation): Remedy {
  if (!(error instanceof Fault)) return { next: nextFor(undefined, situation) }
  const own = error.details as Pick<Remedy, 'next' | 'details'> | undefined
  const details = hostChangeDetails(error) ?? own?.details
  return { next: own?.next ?? nextFor(error.code, situation), ...(details && { details }) }
}

function nextFor(code: string | undefined, { workspace, runId, suggested }: Situation): Next {
  const listed = code === undefined ? undefined : VARIANT_BY_CODE[code]
  if (listed === undefined && suggested !== undefined) return suggested
  const variant = listed ?? (runId === undefined ? 'none' : 'inspect-run')
  if (variant !== 'inspect-run') return offer(variant, workspace)
  return runId === undefined ? offer('inspect-runs', workspace) : offer(variant, workspace, { RUN: runId })
}

/** A `next` with the variant of this id, or with no variant for `none`. */
export function offer(variant: string, { id, root }: WorkspaceRef, values: VariantValues = {}): Next {
  if (variant === 'none') return { operation: 'none', workspace_identity: id, variants: [] }
  const command = makeVariant(variant, { ROOT: root, ...values })
  return { operation: 'command', workspace_identity: id, variants: [command] }
}

function hostChangeDetails(fault: Fault): CliError['details'] {
  const report = readChangeReport(fault)
  return report && { transaction_outcome: report.transaction_outcome, report }
}

export function readChangeReport(error: unknown): ChangeReport | undefined {
  if (!(error instanceof Fault) || !['install_failed', 'uninstall_failed'].includes(error.code)) return undefined
  return (error as Fault<{ report?: ChangeReport }>).details.report
}
