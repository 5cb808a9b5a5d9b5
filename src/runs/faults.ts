/**
 * Faults of requests about runs. As in the refusals of the engine, `next` and `details` are for the `cliError`.
 */

import type { CliError } from '../contract/cli-error.shape.ts'
import type { Next } from '../contract/next.shape.ts'
import { defineFault, type Fault } from '../kit/fault.ts'
import { listSome } from '../kit/wording.ts'

type Details = NonNullable<CliError['details']>

export const runIdRequired = defineFault('run_id_required', 'usage', {
  when: 'No run id was given, and the command cannot tell which run is meant.',
  message: (d: { problem?: string }) =>
    `${d.problem ?? 'the run id is missing'}; pass the id of a run (run "drover status" to see ids)`,
})

export const invalidRunId = defineFault('invalid_run_id', 'usage', {
  when: 'The given run id is malformed.',
  message: (d: { given: string }) =>
    `${JSON.stringify(d.given)} is not a run id; a run id has 1 to 128 letters, digits, - and _`,
})

const MAX_CANDIDATES = 10

export const runIdAmbiguous = defineFault('run_id_ambiguous', 'conflict', {
  when: 'Several run ids begin with the given characters. Nothing was changed.',
  message: (d: { given: string; candidates: readonly string[] }) =>
    `${d.candidates.length} run ids begin with ${d.given}: ${listSome(d.candidates, MAX_CANDIDATES)}; give more characters`,
})

export const runOfOwnAgent = defineFault('run_of_own_agent', 'conflict', {
  when: 'A program that drover started for a driven run, such as its agent or a check, wants to change that run. Nothing was changed.',
  message: (d: { run_id: string }) =>
    `an agent cannot stop, answer, skip or drive its own run, and the run ${d.run_id} started this command; report the result at the end of the turn instead, and a person decides`,
})

export const runInterrupted = defineFault('run_interrupted', 'unavailable', {
  when: 'The command was interrupted while it waited for input or for a run lock.',
  message: (_: Record<never, never>) => 'interrupted; nothing was changed',
})

export const actionIdRequired = defineFault('action_id_required', 'usage', {
  when: 'No action id was given.',
  message: (_: Record<never, never>) => 'the action id is missing; pass the id of the current action with --action',
})

export const goalModeConflict = defineFault('goal_mode_conflict', 'usage', {
  when: 'The goal was given more than once.',
  message: (_: Record<never, never>) =>
    'the goal was given more than once; use one of an argument, --goal-file and --goal-stdin',
})

export const goalFileRequired = defineFault('goal_file_required', 'usage', {
  when: 'The value of `--goal-file` is empty.',
  message: (_: Record<never, never>) => '--goal-file is empty; pass the path of a file with the goal',
})

export const goalUnavailable = defineFault('goal_unavailable', 'usage', {
  when: 'The file with the goal does not exist, is a symbolic link, or is not a regular file.',
  message: (d: { problem: string }) => `the goal cannot be read: ${d.problem}`,
})

export const sourceFileRequired = defineFault('source_file_required', 'usage', {
  when: 'The value of `--source-file` is empty.',
  message: (_: Record<never, never>) =>
    '--source-file is empty; pass the path of an envelope that "drover source fetch" wrote',
})

export const invalidSourceCandidate = defineFault('invalid_source_candidate', 'usage', {
  when: 'The envelope for a refresh cannot be read, or breaks a rule of its schema.',
  message: (d: { problem: string }) => `the source is not a valid envelope: ${d.problem}`,
})

export const outcomeModeRequired = defineFault('outcome_mode_required', 'usage', {
  when: 'No outcome was given, or it was given both in a file and on standard input.',
  message: (_: Record<never, never>) => 'pass the outcome with exactly one of --outcome-file and --outcome-stdin',
})

export const outcomeFileRequired = defineFault('outcome_file_required', 'usage', {
  when: 'The value of `--outcome-file` is empty.',
  message: (_: Record<never, never>) => '--outcome-file is empty; pass the path of a file with the outcome',
})

export const outcomeUnavailable = defineFault('outcome_unavailable', 'usage', {
  when: 'The file with the outcome does not exist, is a symbolic link, or is not a regular file.',
  message: (d: { problem: string }) => `the outcome cannot be read: ${d.problem}`,
})

export const contractVersionMismatch = defineFault('contract_version_mismatch', 'conflict', {
  when: 'An outcome was written for another version of the machine protocol.',
  message: (d: { found: string; expected: number }) =>
    `the outcome has contract version ${d.found}, but this drover supports ${d.expected}; if a host wrote it, run "drover hosts install --refresh"`,
})

export const answerModeConflict = defineFault('answer_mode_conflict', 'usage', {
  when: 'The text of an answer was given more than once.',
  message: (_: Record<never, never>) =>
    'the answer was given more than once; use one of --text, --text-file and --text-stdin',
})

export const answerFileRequired = defineFault('answer_file_required', 'usage', {
  when: 'The value of `--text-file` is empty.',
  message: (_: Record<never, never>) => '--text-file is empty; pass the path of a file with the answer',
})

export const answerUnavailable = defineFault('answer_unavailable', 'usage', {
  when: 'The file with the answer does not exist, is a symbolic link, or is not a regular file.',
  message: (d: { problem: string }) => `the answer cannot be read: ${d.problem}`,
})

export const destructiveConfirmationPairRequired = defineFault('destructive_confirmation_pair_required', 'usage', {
  when: 'Only one of the confirmation and its scope was given.',
  message: (_: Record<never, never>) =>
    '--confirm-destructive and --scope-sha256 must be used together; pass both or neither',
})

export const materialSectionRequired = defineFault('material_section_required', 'usage', {
  when: 'No section key was given.',
  message: (_: Record<never, never>) => 'the section key is missing; pass it with --section',
})

export const materialCorrupt = defineFault('material_corrupt', 'invalid', {
  when: 'The stored text of a section differs from the pinned text.',
  message: (d: { key: string; problem: string }) =>
    `the text of the section ${d.key} differs from the pinned text: ${d.problem}; restore the run's files from a backup`,
})

export const workspaceIdentityMismatch = defineFault('workspace_identity_mismatch', 'conflict', {
  when: 'A run belongs to another worktree of the repository, or its worktree was moved or replaced.',
  message: (d: { run_id: string; owner: string; isGone: boolean; next: Next; details: Details }) =>
    d.isGone
      ? `the run ${d.run_id} belongs to the worktree ${d.owner}, which is no longer there; move it back to use the run, or start a new run`
      : `the run ${d.run_id} belongs to the worktree ${d.owner}; run the command there, or pass --root`,
})

export const mutationCommittedOutputFailed = defineFault('mutation_committed_output_failed', 'unavailable', {
  when: 'A change to a run is recorded, but the response could not be created or written.',
  message: (d: { problem: string; details: Details }) =>
    `the run was changed, but the response was lost: ${d.problem}; check the run before you repeat the command`,
})

/** The fault for a recorded change whose response could not be made or written. */
export function outputFailure(problem: string, cause?: unknown): Fault {
  const recorded = { committed: true, projection_stale: false, namespace_detached: false, ambiguous: false }
  return mutationCommittedOutputFailed({ problem, details: { phase: 'response_output', ...recorded } }, cause)
}
