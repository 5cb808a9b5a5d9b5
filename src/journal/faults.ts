/**
 * What the commands on runs need for their error message stands in `details.details`, as it does in refusals of the engine;
 * what to do next is known where the command is.
 */
import type { CliError } from '../contract/cli-error.shape.ts'
import { defineFault } from '../kit/fault.ts'

/** How far a change of a run came, in the form that an error message has for it. */
export type MutationDetails = Extract<NonNullable<CliError['details']>, { phase: string }>

/** What went wrong, and what to do about it where nobody has said so: other faults do, behind a semicolon. */
const withAdvice = (problem: string, advice: string) => (problem.includes('; ') ? problem : `${problem}; ${advice}`)

type FailedMutation = { run_id: string; problem: string; details: MutationDetails }

export const runstoreUnavailable = defineFault({
  code: 'runstore_unavailable',
  kind: 'unavailable',
  when: 'The directory in which a repository keeps its runs cannot be used, or is something else than a directory.',
  say: (d: { path: string; problem: string }) =>
    `the runs in ${d.path} cannot be reached: ${withAdvice(d.problem, 'mend that first')}`,
})

export const runNotFound = defineFault({
  code: 'run_not_found',
  kind: 'not_found',
  when: 'The repository has no run of that id.',
  say: (d: { run_id: string }) =>
    `there is no run ${JSON.stringify(d.run_id)} in this repository; list the runs, and give the id whole`,
})

export const runUnavailable = defineFault({
  code: 'run_unavailable',
  kind: 'unavailable',
  when: 'What is kept of a run cannot be opened: it is no directory, may not be read, or its lock is unusable.',
  say: (d: { run_id: string; problem: string }) => `the run ${d.run_id} cannot be opened: ${d.problem}`,
})

export const runJournalInvalid = defineFault({
  code: 'run_journal_invalid',
  kind: 'invalid',
  when: 'The journal of a run is missing, was damaged or was edited; nothing is changed until it is restored.',
  say: (d: { run_id: string; path: string; problem: string }) =>
    `the journal ${d.path} cannot be trusted: ${d.problem}; restore it from a copy, or move its directory away to give the run up`,
})

/** The cause of `run_journal_invalid`, as are faults of JSON, of messages and of events. */
export const journalRecordInvalid = defineFault({
  code: 'journal_record_invalid',
  kind: 'invalid',
  when: 'A line of a journal is a record and cannot stand where it stands.',
  say: (d: { problem: string }) => d.problem,
})

export const runBusy = defineFault({
  code: 'run_busy',
  kind: 'unavailable',
  when: 'Another process worked on the run for longer than was to be waited.',
  say: (d: { run_id: string; waitMs: number; details?: MutationDetails }) =>
    `another process was at work on the run ${d.run_id} for ${d.waitMs} ms; try again when it is done`,
})

export const journalRecordTooLarge = defineFault({
  code: 'journal_record_too_large',
  kind: 'too_large',
  when: 'What happened would take more room in the journal than one record may have; nothing was written.',
  say: ({ details: d }: { run_id: string; details: { context: string; size: number; limit: number } }) =>
    `the ${d.context} has ${d.size} bytes of at most ${d.limit}; say it in fewer words`,
})

export const mutationNotCommitted = defineFault({
  code: 'mutation_not_committed',
  kind: 'unavailable',
  when: 'A change of a run failed before it was recorded; the run is as it was.',
  say: (d: FailedMutation) =>
    `the run ${d.run_id} was not changed: ${withAdvice(d.problem, 'mend that and try again')}`,
})

export const mutationOutcomeAmbiguous = defineFault({
  code: 'mutation_outcome_ambiguous',
  kind: 'unavailable',
  when: 'A change of a run was written and cannot be known to last, or its place was taken away meanwhile.',
  say: (d: FailedMutation) =>
    `whether the change of the run ${d.run_id} is recorded cannot be told: ${d.problem}; look at the run before going on`,
})

export const mutationCommittedVerificationFailed = defineFault({
  code: 'mutation_committed_verification_failed',
  kind: 'unavailable',
  when: 'A change of a run is recorded, and what was looked at afterwards is not as it should be.',
  say: (d: FailedMutation) =>
    `the change of the run ${d.run_id} is recorded, but ${d.problem}; look at the run before going on`,
})

export const mutationCommittedProjectionStale = defineFault({
  code: 'mutation_committed_projection_stale',
  kind: 'unavailable',
  when: 'A change of a run is recorded, and the file beside the journal that saves reading it could not be renewed.',
  say: (d: FailedMutation) =>
    `the change of the run ${d.run_id} is recorded, but its run.json could not be written: ${d.problem}; until it can, commands read the whole journal; mend that, and the next change writes it`,
})

export const materialBlobUnreadable = defineFault({
  code: 'material_blob_unreadable',
  kind: 'unavailable',
  when: 'The stored text of a section is missing, cannot be read, or is not the text that was stored.',
  say: (d: { digest: string; problem: string }) =>
    `the text ${d.digest} is not in the store as it should be: ${d.problem}`,
})
