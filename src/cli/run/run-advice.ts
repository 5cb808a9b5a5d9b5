/** What to do about a failure of a command on runs, where the failure itself does not say. */
import type { Next } from '../../contract/next.shape.ts'
import { makeVariant } from '../../contract/next-variants.ts'
import { Fault } from '../../kit/fault.ts'
import type { Advice } from '../failures/advised-failure.ts'

/** The worktree that a command is about, or what stands in for it. */
export type Place = { readonly id: string; readonly root: string }

/** What is known where something failed. */
export type Circumstances = {
  readonly place: Place
  readonly runId: string | undefined
  /** What the command would do about it, unless something better is known. */
  readonly expected?: Next | undefined
}

type Counsel = (circumstances: Circumstances) => Next | undefined

const nothing: Counsel = () => undefined

const inPlace =
  (id: string): Counsel =>
  ({ place }) =>
    commandAt(place, makeVariant(id, { ROOT: place.root }))

/** The run, or, where there is none yet, all of them. */
const inspect: Counsel = ({ place, runId }) =>
  runId === undefined
    ? inspectRuns(place)
    : commandAt(place, makeVariant('inspect-run', { RUN: runId, ROOT: place.root }))

const COUNSEL: Readonly<Record<string, Counsel>> = {
  git_repository_required: nothing,
  git_repository_unavailable: inPlace('retry-doctor'),
  runstore_unavailable: inPlace('run-doctor'),
  invalid_run_id: inPlace('inspect-runs'),
  run_not_found: inPlace('list-runs'),
  run_unavailable: inPlace('list-runs'),
  run_journal_invalid: inPlace('list-runs'),
  contract_version_mismatch: inPlace('refresh-adapters'),
  journal_record_too_large: inspect,
  mutation_not_committed: nothing,
  mutation_outcome_ambiguous: inspect,
  mutation_committed_verification_failed: inspect,
  mutation_committed_output_failed: inspect,
}

/** A failure that knows what to do says so; then its code decides, then the command, then whether there is a run to look at. */
export function adviseOn(error: unknown, circumstances: Circumstances): Advice & { next: Next } {
  const known = error instanceof Fault ? (error.details as Advice | undefined) : undefined
  const next = known?.next ?? counsel(error, circumstances) ?? none(circumstances.place)
  return { next, ...(known?.details && { details: known.details }) }
}

function counsel(error: unknown, circumstances: Circumstances): Next | undefined {
  const byCode = error instanceof Fault ? COUNSEL[error.code] : undefined
  if (byCode !== undefined) return byCode(circumstances)
  if (circumstances.expected !== undefined) return circumstances.expected
  return circumstances.runId === undefined ? undefined : inspect(circumstances)
}

function none({ id }: Place): Next {
  return { operation: 'none', workspace_identity: id, variants: [] }
}

export function inspectRuns(place: Place): Next {
  return commandAt(place, makeVariant('inspect-runs', { ROOT: place.root }))
}

export function listRunsAt(place: Place): Next {
  return commandAt(place, makeVariant('list-runs', { ROOT: place.root }))
}

function commandAt({ id }: Place, variant: ReturnType<typeof makeVariant>): Next {
  return { operation: 'command', workspace_identity: id, variants: [variant] }
}
