/**
 * What can be wrong with a request about a run, and with what is found where a run is kept. Where `next` and `details` are
 * among the details of a fault, they are for the message about it, as in the refusals of the engine.
 */
import type { CliError } from '../contract/cli-error.shape.ts'
import type { Next } from '../contract/next.shape.ts'
import { defineFault, type Fault } from '../kit/fault.ts'

type Details = NonNullable<CliError['details']>

export const runIdRequired = defineFault({
  code: 'run_id_required',
  kind: 'usage',
  when: 'It was not said which run is meant, and it could not be told: there is not exactly one that could be stopped, for instance.',
  say: (d: { problem?: string }) =>
    `${d.problem ?? 'no run was named'}; give the id of a run, "drover status" lists them`,
})

export const invalidRunId = defineFault({
  code: 'invalid_run_id',
  kind: 'usage',
  when: 'What was given as the id of a run cannot be one.',
  say: (d: { given: string }) =>
    `${JSON.stringify(d.given)} is not the id of a run, which has 1 to 128 letters, digits, - and _`,
})

export const runInterrupted = defineFault({
  code: 'run_interrupted',
  kind: 'unavailable',
  when: 'Drover was asked to stop while it waited, for its input or for another process that worked on a run.',
  say: (_: Record<never, never>) => 'interrupted while it waited; nothing was changed',
})

export const actionIdRequired = defineFault({
  code: 'action_id_required',
  kind: 'usage',
  when: 'It was not said which action of the run is meant.',
  say: (_: Record<never, never>) => 'no action was named; give the id of the current action with --action',
})

export const goalModeConflict = defineFault({
  code: 'goal_mode_conflict',
  kind: 'usage',
  when: 'A goal was given in more than one way.',
  say: (_: Record<never, never>) =>
    'the goal was given more than once; give it as an argument, with --goal-file or with --goal-stdin',
})

export const goalFileRequired = defineFault({
  code: 'goal_file_required',
  kind: 'usage',
  when: 'The name given with `--goal-file` is empty.',
  say: (_: Record<never, never>) => '--goal-file names no file; give the path of a file that holds the goal',
})

export const goalUnavailable = defineFault({
  code: 'goal_unavailable',
  kind: 'usage',
  when: 'The file with a goal cannot be read: it is not there, a link, or no regular file.',
  say: (d: { problem: string }) => `the goal cannot be read: ${d.problem}`,
})

export const sourceFileRequired = defineFault({
  code: 'source_file_required',
  kind: 'usage',
  when: 'The name given with `--source-file` is empty.',
  say: (_: Record<never, never>) =>
    '--source-file names no file; give the path of an envelope, as "drover source fetch" writes it',
})

export const invalidSourceCandidate = defineFault({
  code: 'invalid_source_candidate',
  kind: 'usage',
  when: 'The envelope that a run is to be refreshed with cannot be read, or breaks a rule of its form.',
  say: (d: { problem: string }) => `the source is no envelope that drover can read: ${d.problem}`,
})

export const outcomeModeRequired = defineFault({
  code: 'outcome_mode_required',
  kind: 'usage',
  when: 'An outcome is to be submitted and was given in no way, or in two.',
  say: (_: Record<never, never>) => 'give the outcome in exactly one way, with --outcome-file or with --outcome-stdin',
})

export const outcomeFileRequired = defineFault({
  code: 'outcome_file_required',
  kind: 'usage',
  when: 'The name given with `--outcome-file` is empty.',
  say: (_: Record<never, never>) => '--outcome-file names no file; give the path of a file that holds the outcome',
})

export const outcomeUnavailable = defineFault({
  code: 'outcome_unavailable',
  kind: 'usage',
  when: 'The file with an outcome cannot be read: it is not there, a link, or no regular file.',
  say: (d: { problem: string }) => `the outcome cannot be read: ${d.problem}`,
})

export const contractVersionMismatch = defineFault({
  code: 'contract_version_mismatch',
  kind: 'conflict',
  when: 'An outcome was written for another version of the machine protocol.',
  say: (d: { found: string; expected: number }) =>
    `the outcome has the contract version ${d.found}, this drover speaks ${d.expected}; refresh what drover installed into the host`,
})

export const answerModeConflict = defineFault({
  code: 'answer_mode_conflict',
  kind: 'usage',
  when: 'The text of an answer was given in more than one way.',
  say: (_: Record<never, never>) =>
    'the answer was given more than once; leave all but one of --text, --text-file and --text-stdin out',
})

export const answerFileRequired = defineFault({
  code: 'answer_file_required',
  kind: 'usage',
  when: 'The name given with `--text-file` is empty.',
  say: (_: Record<never, never>) => '--text-file names no file; give the path of a file that holds the answer',
})

export const answerUnavailable = defineFault({
  code: 'answer_unavailable',
  kind: 'usage',
  when: 'The file with an answer cannot be read: it is not there, a link, or no regular file.',
  say: (d: { problem: string }) => `the answer cannot be read: ${d.problem}`,
})

export const destructiveConfirmationPairRequired = defineFault({
  code: 'destructive_confirmation_pair_required',
  kind: 'usage',
  when: 'Only one of a confirmation and the scope that it confirms was given.',
  say: (_: Record<never, never>) =>
    '--confirm-destructive and --scope-sha256 go together: a confirmation names exactly what it allows',
})

export const materialSectionRequired = defineFault({
  code: 'material_section_required',
  kind: 'usage',
  when: 'It was not said which section is to be read.',
  say: (_: Record<never, never>) => 'no section was named; give its key with --section',
})

export const materialCorrupt = defineFault({
  code: 'material_corrupt',
  kind: 'invalid',
  when: 'The text of a section is there and is not the one that was pinned.',
  say: (d: { key: string; problem: string }) =>
    `the text of the section ${d.key} is not what was pinned: ${d.problem}; restore the files of the run from a copy`,
})

export const workspaceIdentityMismatch = defineFault({
  code: 'workspace_identity_mismatch',
  kind: 'conflict',
  when: 'A run belongs to another worktree of the repository, or its worktree was moved or replaced.',
  say: (d: { run_id: string; owner: string; next: Next; details: Details }) =>
    `the run ${d.run_id} belongs to the worktree ${d.owner}; go there, or name it with --root`,
})

export const mutationCommittedOutputFailed = defineFault({
  code: 'mutation_committed_output_failed',
  kind: 'unavailable',
  when: 'A run was changed for good, and the answer that says so could not be made or written.',
  say: (d: { problem: string; details: Details }) =>
    `the run was changed, but its answer was lost: ${d.problem}; observeWorkspace at the run before you repeat the command`,
})

/** The fault for a recorded change whose response could not be made or written. */
export function outputFailure(problem: string, cause?: unknown): Fault {
  const recorded = { committed: true, projection_stale: false, namespace_detached: false, ambiguous: false }
  return mutationCommittedOutputFailed({ problem, details: { phase: 'response_output', ...recorded } }, cause)
}
