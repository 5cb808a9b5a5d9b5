/**
 * As in the refusals of the engine, `details.details` is for the `cliError`. `next` is added by the command.
 */
import type { CliError } from '../contract/cli-error.shape.ts'
import { defineFault } from '../kit/fault.ts'

/** How far a change to a run got, as in the `details` of a `cliError`. */
export type MutationDetails = Extract<NonNullable<CliError['details']>, { phase: string }>

/** Adds a remedy unless the problem already has one, which follows a semicolon. */
const withRemedy = (problem: string, remedy: string) => (problem.includes('; ') ? problem : `${problem}; ${remedy}`)

type FailedMutation = { run_id: string; problem: string; details: MutationDetails }

export const runstoreUnavailable = defineFault('runstore_unavailable', 'unavailable', {
  when: 'The directory with the runs of a repository cannot be used, or is not a directory.',
  message: (d: { path: string; problem: string }) =>
    `the runs in ${d.path} cannot be read: ${withRemedy(d.problem, 'fix that first')}`,
})

export const runNotFound = defineFault('run_not_found', 'not_found', {
  when: 'The repository has no run with that id, or with an id that begins with it.',
  message: (d: { run_id: string }) =>
    `no run ${JSON.stringify(d.run_id)} in this repository (run "drover status" to see the ids; at least 4 characters are needed)`,
})

export const runUnavailable = defineFault('run_unavailable', 'unavailable', {
  when: 'The files of a run cannot be opened: not a directory, no permission, or an unusable lock file.',
  message: (d: { run_id: string; problem: string }) => `the run ${d.run_id} cannot be opened: ${d.problem}`,
})

export const runJournalInvalid = defineFault('run_journal_invalid', 'invalid', {
  when: 'The journal of a run is missing, damaged or edited; drover changes nothing until it is restored.',
  message: (d: { run_id: string; path: string; problem: string }) =>
    `the journal ${d.path} is invalid: ${d.problem}; restore it from a backup, or move its directory elsewhere to abandon the run`,
})

export const recordsTampered = defineFault('drive_records_tampered', 'conflict', {
  when: 'The file `drive.jsonl` of a run was replaced, shortened or edited while the run was being driven. The run is over.',
  message: (d: { run_id: string; path: string; kept: string; problem: string }) =>
    `the records of the run ${d.run_id} were tampered with, so the run is over: ${d.path} ${d.problem}; what drover had recorded is in ${d.kept}. Look at the work before you use it, and start a new run`,
})

/** Together with the faults of JSON, messages and events, a cause of `run_journal_invalid`. */
export const journalRecordInvalid = defineFault('journal_record_invalid', 'invalid', {
  when: 'A journal record is invalid: its size, its sequence number, its digest or its run does not match.',
  message: (d: { problem: string }) => d.problem,
})

export const runBusy = defineFault('run_busy', 'unavailable', {
  when: "Another process held the run's lock for longer than the wait limit.",
  message: (d: { run_id: string; waitMs: number; details?: MutationDetails }) =>
    `another process is using the run ${d.run_id}, and drover waited ${d.waitMs} ms for it; try again later`,
})

export const journalRecordTooLarge = defineFault('journal_record_too_large', 'too_large', {
  when: 'A change is over the size limit of a journal record; nothing was written.',
  message: ({ details: d }: { run_id: string; details: { context: string; size: number; limit: number } }) =>
    `the ${d.context} has ${d.size} bytes, but the limit is ${d.limit}; shorten the text`,
})

export const mutationNotCommitted = defineFault('mutation_not_committed', 'unavailable', {
  when: 'A change to a run failed before it was recorded; the run is unchanged.',
  message: (d: FailedMutation) =>
    `the run ${d.run_id} was not changed: ${withRemedy(d.problem, 'fix that and try again')}`,
})

export const mutationOutcomeAmbiguous = defineFault('mutation_outcome_ambiguous', 'unavailable', {
  when: 'A change to a run was written but may not be durable, or its directory was moved in the meantime.',
  message: (d: FailedMutation) =>
    `it is unknown whether the change to the run ${d.run_id} is recorded: ${d.problem}; check the run before you continue`,
})

export const mutationCommittedVerificationFailed = defineFault(
  'mutation_committed_verification_failed',
  'unavailable',
  {
    when: 'A change to a run is recorded, but a check after it failed.',
    message: (d: FailedMutation) =>
      `the change to the run ${d.run_id} is recorded, but ${d.problem}; check the run before you continue`,
  },
)

export const mutationCommittedProjectionStale = defineFault('mutation_committed_projection_stale', 'unavailable', {
  when: 'A change to a run is recorded, but its snapshot run.json could not be written.',
  message: (d: FailedMutation) =>
    `the change to the run ${d.run_id} is recorded, but its run.json could not be written: ${d.problem}; fix that, because commands read the whole journal until run.json can be written`,
})

export const materialBlobUnreadable = defineFault('material_blob_unreadable', 'unavailable', {
  when: 'The stored text of a section is missing, unreadable or changed.',
  message: (d: { digest: string; problem: string }) => `the section text ${d.digest} cannot be used: ${d.problem}`,
})
