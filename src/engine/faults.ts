/** Everything the engine refuses. The details carry what `cliError` needs: what to do next, and the facts in their form. */
import { defineFault } from '../kit/fault.ts'
import type { EarlyRefusal, Refusal } from './refusal.ts'

export const runEventInvalid = defineFault({
  code: 'run_event_invalid',
  kind: 'invalid',
  when: 'An event in the journal of a run cannot have happened to that run; the journal was damaged or edited.',
  say: (d: { type: string; problem: string }) =>
    `the event ${d.type} does not fit the run: ${d.problem}; restore the journal of the run from a copy`,
})

export const goalRequired = defineFault({
  code: 'goal_required',
  kind: 'usage',
  when: 'A run is to be started without a goal, or with one that is blank.',
  say: (_: EarlyRefusal) => 'there is no goal; say in words what the run is for',
})

export const invalidGoal = defineFault({
  code: 'invalid_goal',
  kind: 'usage',
  when: 'A goal is not Unicode text, or has control characters other than tabs and line ends.',
  say: (_: EarlyRefusal) => 'the goal has characters that are no text; remove control characters and save it as UTF-8',
})

export const invalidBudget = defineFault({
  code: 'invalid_budget',
  kind: 'usage',
  when: 'A budget is not a whole number from 1 to 1000.',
  say: (d: EarlyRefusal & { given: number }) => `a budget is a whole number from 1 to 1000, not ${d.given}`,
})

export const actionTooLarge = defineFault({
  code: 'action_too_large',
  kind: 'too_large',
  when: 'A goal is larger than a goal may be, or the next action than an action may be, even with nothing about earlier ones in it.',
  say: (d: EarlyRefusal & { sizeBytes: number; limitBytes: number }) =>
    `the action would have ${d.sizeBytes} bytes of at most ${d.limitBytes}; start a run with a shorter goal, and put the rest of it into a file of the repository`,
})

export const invalidAction = defineFault({
  code: 'invalid_action',
  kind: 'invalid',
  when: 'The next action would break a rule of the protocol, because the path of the worktree has control characters for instance.',
  say: (d: Refusal & { problem: string }) => `the next action cannot be issued: ${d.problem}`,
})

export const invalidOutcome = defineFault({
  code: 'invalid_outcome',
  kind: 'invalid',
  when: 'An outcome cannot be read, breaks a rule of its form, or is about another action or kind of action than the one it was submitted for.',
  say: (d: EarlyRefusal & { problem: string }) => `the outcome cannot be taken: ${d.problem}`,
})

export const outcomeConflict = defineFault({
  code: 'outcome_conflict',
  kind: 'conflict',
  when: 'An action has an outcome already, and it is not the one that was submitted now.',
  say: (d: Refusal & { action_id: string }) =>
    `the action ${d.action_id} has another outcome already, which stays; go on from the current state of the run`,
})

export const staleAction = defineFault({
  code: 'stale_action',
  kind: 'conflict',
  when: 'The named action is not the current one of the run: it was withdrawn, is done, or never was.',
  say: (d: Refusal & { action_id: string }) =>
    `the action ${d.action_id} is not what the run waits for; go on from the current state of the run`,
})

export const runNotActive = defineFault({
  code: 'run_not_active',
  kind: 'conflict',
  when: 'An outcome is submitted while the run is paused, stopped or ended.',
  say: (_: Refusal) => 'the run takes no outcome now; do what it waits for first',
})

export const runNotSkippable = defineFault({
  code: 'run_not_skippable',
  kind: 'conflict',
  when: 'An action is to be skipped while the run is stopped or ended.',
  say: (_: Refusal) => 'the run has no action to skip; resume it first if it is stopped',
})

export const runAlreadyEnded = defineFault({
  code: 'run_already_ended',
  kind: 'conflict',
  when: 'A run that has ended is to be stopped or resumed.',
  say: (_: Refusal) => 'the run has ended and stays as it is; start another one',
})

export const runNotResumable = defineFault({
  code: 'run_not_resumable',
  kind: 'conflict',
  when: 'A run is to be resumed while it waits for an outcome or an answer.',
  say: (_: Refusal) => 'the run is not interrupted; give it the outcome or the answer that it waits for',
})

export const answerConflict = defineFault({
  code: 'answer_conflict',
  kind: 'conflict',
  when: 'An action was answered already, and not in this way.',
  say: (d: Refusal & { action_id: string }) =>
    `the action ${d.action_id} has another answer already, which stays; go on from the current state of the run`,
})

export const answerNotExpected = defineFault({
  code: 'answer_not_expected',
  kind: 'conflict',
  when: 'An answer is given to a run that has asked nothing.',
  say: (_: Refusal) => 'the run has no question open; go on from its current state',
})

export const answerNotAllowed = defineFault({
  code: 'answer_not_allowed',
  kind: 'conflict',
  when: 'An answer is given to a run that waits for its environment to be mended.',
  say: (_: Refusal) => 'no answer can mend what the run lacks; mend it and resume the run',
})

export const answerRequired = defineFault({
  code: 'answer_required',
  kind: 'conflict',
  when: 'The answer to a question, or what is said instead of a confirmation, is blank.',
  say: (_: Refusal) => 'the answer is blank; say what was decided',
})

export const invalidAnswer = defineFault({
  code: 'invalid_answer',
  kind: 'usage',
  when: 'An answer is not Unicode text, or has control characters other than tabs and line ends.',
  say: (_: EarlyRefusal) =>
    'the answer has characters that are no text; remove control characters and save it as UTF-8',
})

export const answerTooLarge = defineFault({
  code: 'answer_too_large',
  kind: 'usage',
  when: 'An answer has more bytes, as a JSON string, than an answer may have.',
  say: (d: EarlyRefusal & { sizeBytes: number; limitBytes: number }) =>
    `the answer has ${d.sizeBytes} bytes as JSON of at most ${d.limitBytes}; shorten it, and name a file where more is needed`,
})

export const invalidDecisionSupersession = defineFault({
  code: 'invalid_decision_supersession',
  kind: 'conflict',
  when: 'An outcome asks to replace an answer that is not there, holds no longer, is a confirmation, or belongs to other requirements.',
  say: (d: Refusal & { action_id: string }) =>
    `the action ${d.action_id} has no decision that could be replaced; ask without naming it`,
})

export const destructiveConfirmationNotExpected = defineFault({
  code: 'destructive_confirmation_not_expected',
  kind: 'conflict',
  when: 'A confirmation is given where a decision was asked for.',
  say: (_: Refusal) => 'the run asks for a decision, not for a confirmation; answer in words alone',
})

export const destructiveConfirmationFlagRequired = defineFault({
  code: 'destructive_confirmation_flag_required',
  kind: 'conflict',
  when: 'A scope is named without confirming it.',
  say: (_: Refusal) => 'a scope alone allows nothing; confirm it with --confirm-destructive, or answer in words alone',
})

export const destructiveScopeRequired = defineFault({
  code: 'destructive_scope_required',
  kind: 'conflict',
  when: 'A confirmation does not name the scope that it allows, by its digest.',
  say: (_: Refusal) => 'a confirmation must name what it allows; give the scope_sha256 of the request',
})

export const destructiveScopeMismatch = defineFault({
  code: 'destructive_scope_mismatch',
  kind: 'conflict',
  when: 'A confirmation names another scope than the one that is asked for.',
  say: (d: Refusal & { given: string; asked: string }) =>
    `${d.given} was confirmed, but ${d.asked} is asked for; read the request again before confirming it`,
})

export const sourceModeNotAllowed = defineFault({
  code: 'source_mode_not_allowed',
  kind: 'conflict',
  when: 'A run that serves no issue is to be resumed with a source.',
  say: (_: Refusal) => 'the run serves no issue; resume it without naming a source',
})

export const sourceModeRequired = defineFault({
  code: 'source_mode_required',
  kind: 'conflict',
  when: 'A run that serves an issue is to be resumed without saying what becomes of its source.',
  say: (_: Refusal) =>
    'the run serves an issue; give the issue anew with --source-file, or keep it with --use-pinned-source',
})

export const sourceModeConflict = defineFault({
  code: 'source_mode_conflict',
  kind: 'conflict',
  when: 'A run is to be resumed in more than one way: with a new source, with the one it has, or by a choice.',
  say: (_: EarlyRefusal) =>
    'a run is resumed with one source; give only one of --source-file, --use-pinned-source and --source-choice',
})

export const sourceCandidatePending = defineFault({
  code: 'source_candidate_pending',
  kind: 'conflict',
  when: 'A run that waits for a choice of source is to be resumed in another way.',
  say: (_: Refusal) =>
    'the run waits for a choice between its source and the one that was found; make that choice first',
})

export const sourceChoiceRequired = defineFault({
  code: 'source_choice_required',
  kind: 'conflict',
  when: 'A run that waits for a choice of source is to be resumed without a choice, or without naming the candidate.',
  say: (_: Refusal) => 'the run waits for a choice of source; give both --source-choice and --candidate',
})

export const sourceChoiceRequiresCandidate = defineFault({
  code: 'source_choice_requires_candidate',
  kind: 'conflict',
  when: 'Only one of a choice of source and its candidate is given.',
  say: (_: EarlyRefusal) => '--source-choice and --candidate go together; give both or none',
})

export const sourceChoiceConflict = defineFault({
  code: 'source_choice_conflict',
  kind: 'conflict',
  when: 'The choice about a candidate was made already, the other way.',
  say: (d: Refusal & { candidate_id: string; choice: string }) =>
    `the choice about ${d.candidate_id} was "${d.choice}" and stays; go on from the current state of the run`,
})

export const staleSourceCandidate = defineFault({
  code: 'stale_source_candidate',
  kind: 'conflict',
  when: 'The candidate that is named is not the one that waits for a choice.',
  say: (d: Refusal & { candidate_id: string }) =>
    `the candidate ${d.candidate_id} does not wait for a choice; go on from the current state of the run`,
})

export const invalidSourceChoice = defineFault({
  code: 'invalid_source_choice',
  kind: 'usage',
  when: 'A choice of source is neither `pinned` nor `adopt`.',
  say: (d: EarlyRefusal & { given: string }) => `a source choice is "pinned" or "adopt", not "${d.given}"`,
})

export const invalidSourceCandidateChoice = defineFault({
  code: 'invalid_source_candidate_choice',
  kind: 'conflict',
  when: 'A candidate is to be adopted that drover cannot use.',
  say: (d: Refusal & { problem: string }) =>
    `the candidate cannot be adopted: ${d.problem}; keep the pinned source, mend the issue and refresh it`,
})

export const sourceIssueMismatch = defineFault({
  code: 'source_issue_mismatch',
  kind: 'conflict',
  when: 'The source that a run is to be refreshed with is of another issue.',
  say: (d: Refusal & { pinned_issue_id: string; refreshed_issue_id: string }) =>
    `the run serves the issue ${d.pinned_issue_id}, not ${d.refreshed_issue_id}; start a run for the other issue`,
})

export const sourceAliasLimit = defineFault({
  code: 'source_alias_limit',
  kind: 'conflict',
  when: 'The issue of a run has moved more often than a run can follow.',
  say: (d: Refusal & { limit: number }) =>
    `the issue has had more than ${d.limit} earlier addresses; start a new run for it`,
})

export const sourceHistoryInPlaceEdit = defineFault({
  code: 'source_history_in_place_edit',
  kind: 'conflict',
  when: 'A comment that was pinned before came back with another text, key, role, title or number.',
  say: (d: Refusal & { comment_node_id: string; section: string }) =>
    `the comment ${d.comment_node_id} of section ${d.section} was pinned before and says something else now; undo the edit and amend the section in a new comment`,
})

export const sourceHistoryFork = defineFault({
  code: 'source_history_fork',
  kind: 'conflict',
  when: 'The manifest of an issue amends other requirements than those that the run has pinned.',
  say: (d: Refusal & { pinned: string; parent: string | undefined }) =>
    `the manifest amends ${d.parent ?? 'nothing'}, the run has pinned ${d.pinned}; start a new run for these requirements`,
})

export const sourceIntegrityMismatch = defineFault({
  code: 'source_integrity_mismatch',
  kind: 'conflict',
  when: 'The same manifest comes with other requirements, which cannot be.',
  say: (_: Refusal) => 'the requirements differ though the manifest is the same; fetch the issue again',
})

export const materialSectionInvalid = defineFault({
  code: 'material_section_invalid',
  kind: 'invalid',
  when: 'What is named as a section cannot be the key of one.',
  say: (d: { key: string }) => `${JSON.stringify(d.key)} is no section key; take one of those that the action lists`,
})

export const materialActionNotFound = defineFault({
  code: 'material_action_not_found',
  kind: 'not_found',
  when: 'A section is to be read for an action that the run does not have.',
  say: (d: { action_id: string }) => `the run has no action ${d.action_id}; take the id of its current action`,
})

export const materialActionStale = defineFault({
  code: 'material_action_stale',
  kind: 'conflict',
  when: 'A section is to be read for an action that is not the current one, or is done.',
  say: (d: Refusal & { action_id: string }) =>
    `the action ${d.action_id} may read nothing any more; go on from the current state of the run`,
})

export const materialUnavailable = defineFault({
  code: 'material_unavailable',
  kind: 'not_found',
  when: 'A section is to be read of a run that serves no issue, or its text is not there or not readable.',
  say: (d: { key: string; problem: string }) => `the section ${d.key} cannot be read: ${d.problem}`,
})

export const materialSectionNotFound = defineFault({
  code: 'material_section_not_found',
  kind: 'not_found',
  when: 'A section is to be read that the pinned source does not have.',
  say: (d: { key: string; known: readonly string[] }) =>
    `there is no section ${d.key}; the pinned source has ${d.known.join(', ')}`,
})
