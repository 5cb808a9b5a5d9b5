/** The refusals of the engine. Their details carry `next` and `details` of the `cliError`. */
import { defineFault } from '../kit/fault.ts'
import type { EarlyRefusal, Refusal } from './next-hint.ts'

export const runEventInvalid = defineFault('run_event_invalid', 'invalid', {
  when: 'An event in a journal does not fit its run, because the journal was damaged or edited.',
  message: (d: { type: string; problem: string }) =>
    `the event ${d.type} does not fit the run: ${d.problem}; restore the journal from a backup`,
})

export const goalRequired = defineFault('goal_required', 'usage', {
  when: 'The goal of a new run is missing or blank.',
  message: (_: EarlyRefusal) => 'the goal is missing; describe what the run should achieve',
})

export const invalidGoal = defineFault('invalid_goal', 'usage', {
  when: 'A goal is not valid UTF-8, or has control characters other than tabs and line endings.',
  message: (_: EarlyRefusal) => 'the goal has invalid characters; remove control characters and save it as UTF-8',
})

export const invalidBudget = defineFault('invalid_budget', 'usage', {
  when: 'A budget is not a number from 1 to 1000, or has a sign or leading zeros.',
  message: (d: EarlyRefusal & { given: number | string }) =>
    `a budget is a whole number from 1 to 1000, not ${d.given}`,
})

export const actionTooLarge = defineFault('action_too_large', 'too_large', {
  when: 'A goal exceeds its size limit, or the next action exceeds its limit even without any context.',
  message: (d: EarlyRefusal & { sizeBytes: number; limitBytes: number }) =>
    `the action would have ${d.sizeBytes} bytes, but the limit is ${d.limitBytes}; start a run with a shorter goal and put the rest into a file in the repository`,
})

export const invalidAction = defineFault('invalid_action', 'invalid', {
  when: 'The next action would break a rule of the protocol, for example because the path of the worktree has control characters.',
  message: (d: Refusal & { problem: string }) => `the next action cannot be issued: ${d.problem}`,
})

export const invalidOutcome = defineFault('invalid_outcome', 'invalid', {
  when: 'An outcome is not valid JSON, breaks a rule of its schema, or names another action or action kind.',
  message: (d: EarlyRefusal & { problem: string }) => `the outcome is invalid: ${d.problem}`,
})

export const outcomeConflict = defineFault('outcome_conflict', 'conflict', {
  when: 'The action already has a different outcome.',
  message: (d: Refusal & { action_id: string }) =>
    `the action ${d.action_id} already has a different outcome, which is kept; continue from the current state of the run`,
})

export const staleAction = defineFault('stale_action', 'conflict', {
  when: 'The named action is not current: it was withdrawn, is finished, or never existed.',
  message: (d: Refusal & { action_id: string }) =>
    `the action ${d.action_id} is not the current one; continue from the current state of the run`,
})

export const runNotActive = defineFault('run_not_active', 'conflict', {
  when: 'An outcome was submitted while the run was paused, stopped or ended.',
  message: (_: Refusal) => 'the run is not active, so it does not accept an outcome; first do what it is waiting for',
})

export const runNotSkippable = defineFault('run_not_skippable', 'conflict', {
  when: 'A skip was requested while the run was stopped or ended.',
  message: (_: Refusal) => 'the run has no action to skip; if it is stopped, resume it first',
})

export const runAlreadyEnded = defineFault('run_already_ended', 'conflict', {
  when: 'A stop or resume was requested for an ended run.',
  message: (_: Refusal) => 'the run has ended; start a new one',
})

export const runNotResumable = defineFault('run_not_resumable', 'conflict', {
  when: 'A resume was requested while the run was waiting for an outcome or an answer.',
  message: (_: Refusal) => 'the run cannot be resumed now; submit the outcome or the answer that it is waiting for',
})

export const answerConflict = defineFault('answer_conflict', 'conflict', {
  when: 'The action already has a different answer.',
  message: (d: Refusal & { action_id: string }) =>
    `the action ${d.action_id} already has a different answer, which is kept; continue from the current state of the run`,
})

export const answerNotExpected = defineFault('answer_not_expected', 'conflict', {
  when: 'An answer was given, but the run has no open question.',
  message: (_: Refusal) => 'the run has no open question; continue from its current state',
})

export const answerNotAllowed = defineFault('answer_not_allowed', 'conflict', {
  when: 'An answer was given, but the run is waiting for its environment to be fixed.',
  message: (_: Refusal) =>
    'the run is waiting for its environment to be fixed, not for an answer; fix the environment and resume the run',
})

export const answerRequired = defineFault('answer_required', 'conflict', {
  when: 'The answer to a question or to a destructive request is blank.',
  message: (_: Refusal) => 'the answer is blank; write your decision',
})

export const invalidAnswer = defineFault('invalid_answer', 'usage', {
  when: 'An answer is not valid UTF-8, or has control characters other than tabs and line endings.',
  message: (_: EarlyRefusal) => 'the answer has invalid characters; remove control characters and save it as UTF-8',
})

export const answerTooLarge = defineFault('answer_too_large', 'usage', {
  when: 'An answer, encoded as a JSON string, exceeds the size limit.',
  message: (d: EarlyRefusal & { sizeBytes: number; limitBytes: number }) =>
    `the answer has ${d.sizeBytes} bytes as JSON, but the limit is ${d.limitBytes}; shorten it and refer to a file for the rest`,
})

export const invalidDecisionSupersession = defineFault('invalid_decision_supersession', 'conflict', {
  when: 'An outcome asks to supersede an answer that does not exist, is not active, is a confirmation, or belongs to other requirements.',
  message: (d: Refusal & { action_id: string }) =>
    `the action ${d.action_id} has no active decision to supersede; leave supersedes_answer_action_id out`,
})

export const destructiveConfirmationNotExpected = defineFault('destructive_confirmation_not_expected', 'conflict', {
  when: 'A confirmation was given, but the run is asking for a decision.',
  message: (_: Refusal) => 'the run is asking for a decision, not for a confirmation; answer with text only',
})

export const destructiveConfirmationFlagRequired = defineFault('destructive_confirmation_flag_required', 'conflict', {
  when: 'The digest of a destructive request (`--scope-sha256`) was given without `--confirm-destructive`.',
  message: (_: Refusal) => 'a scope alone confirms nothing; add --confirm-destructive, or answer with text only',
})

export const destructiveScopeRequired = defineFault('destructive_scope_required', 'conflict', {
  when: 'A confirmation does not name a scope digest.',
  message: (_: Refusal) => 'a confirmation must name its scope; pass the scope_sha256 of the request',
})

export const destructiveScopeMismatch = defineFault('destructive_scope_mismatch', 'conflict', {
  when: 'A confirmation names a scope that differs from the requested one.',
  message: (d: Refusal & { given: string; asked: string }) =>
    `the confirmed scope is ${d.given}, but the requested scope is ${d.asked}; read the request again before you confirm it`,
})

export const sourceModeNotAllowed = defineFault('source_mode_not_allowed', 'conflict', {
  when: 'A resume names a source, but the run is not bound to an issue.',
  message: (_: Refusal) => 'the run is not bound to an issue; resume it without a source',
})

export const sourceModeRequired = defineFault('source_mode_required', 'conflict', {
  when: 'A resume of an issue-bound run does not say which source to use.',
  message: (_: Refusal) =>
    'the run is bound to an issue; pass the current issue with --source-file, or keep the pinned one with --use-pinned-source',
})

export const sourceModeConflict = defineFault('source_mode_conflict', 'conflict', {
  when: 'A resume names more than one of a new source, the pinned source and a source choice.',
  message: (_: EarlyRefusal) => 'use only one of --source-file, --use-pinned-source and --source-choice',
})

export const sourceCandidatePending = defineFault('source_candidate_pending', 'conflict', {
  when: 'The run is waiting for a choice between the pinned and the changed issue, but the resume request asks for something else.',
  message: (_: Refusal) => 'the run is waiting for a choice between its pinned source and the candidate; choose first',
})

export const sourceChoiceRequired = defineFault('source_choice_required', 'conflict', {
  when: 'The run is waiting for a choice between the pinned and the changed issue, but the resume request lacks the choice or the candidate.',
  message: (_: Refusal) => 'the run is waiting for a source choice; pass both --source-choice and --candidate',
})

export const sourceChoiceRequiresCandidate = defineFault('source_choice_requires_candidate', 'conflict', {
  when: 'Only one of `--source-choice` and `--candidate` was given.',
  message: (_: EarlyRefusal) => '--source-choice and --candidate must be used together; pass both or neither',
})

export const sourceChoiceConflict = defineFault('source_choice_conflict', 'conflict', {
  when: 'A different choice about the changed issue was already made.',
  message: (d: Refusal & { candidate_id: string; choice: string }) =>
    `the choice about ${d.candidate_id} was "${d.choice}" and cannot be changed; continue from the current state of the run`,
})

export const staleSourceCandidate = defineFault('stale_source_candidate', 'conflict', {
  when: 'The choice names a candidate other than the one that the run is waiting for a decision on.',
  message: (d: Refusal & { candidate_id: string }) =>
    `the candidate ${d.candidate_id} is not waiting for a choice; continue from the current state of the run`,
})

export const invalidSourceChoice = defineFault('invalid_source_choice', 'usage', {
  when: 'A source choice is neither `pinned` nor `adopt`.',
  message: (d: EarlyRefusal & { given: string }) => `a source choice is "pinned" or "adopt", not "${d.given}"`,
})

export const invalidSourceCandidateChoice = defineFault('invalid_source_candidate_choice', 'conflict', {
  when: 'The changed version of the issue that was to be adopted is invalid.',
  message: (d: Refusal & { problem: string }) =>
    `the candidate cannot be adopted: ${d.problem}; keep the pinned source, fix the issue and refresh it`,
})

export const sourceIssueMismatch = defineFault('source_issue_mismatch', 'conflict', {
  when: 'The refreshed source belongs to another issue.',
  message: (d: Refusal & { pinned_issue_id: string; refreshed_issue_id: string }) =>
    `the run is bound to the issue ${d.pinned_issue_id}, not ${d.refreshed_issue_id}; start a run for the other issue`,
})

export const sourceAliasLimit = defineFault('source_alias_limit', 'conflict', {
  when: 'The issue was transferred more times than a run can record.',
  message: (d: Refusal & { limit: number }) =>
    `the issue has more than ${d.limit} earlier URLs; start a new run for it`,
})

export const sourceHistoryInPlaceEdit = defineFault('source_history_in_place_edit', 'conflict', {
  when: 'A pinned comment was edited: its text, key, role, title or id differs.',
  message: (d: Refusal & { comment_node_id: string; section: string }) =>
    `the comment ${d.comment_node_id} of section ${d.section} was edited after it was pinned; undo the edit and amend the section in a new comment`,
})

export const sourceHistoryFork = defineFault('source_history_fork', 'conflict', {
  when: 'The manifest amends requirements that are not the pinned ones.',
  message: (d: Refusal & { pinned: string; parent: string | undefined }) =>
    `the manifest amends ${d.parent ?? 'nothing'}, but the run has pinned ${d.pinned}; start a new run for these requirements`,
})

export const sourceIntegrityMismatch = defineFault('source_integrity_mismatch', 'conflict', {
  when: 'The manifest is unchanged but the requirements differ, which should be impossible.',
  message: (_: Refusal) => 'the requirements differ although the manifest is unchanged; fetch the issue again',
})

export const materialSectionInvalid = defineFault('material_section_invalid', 'invalid', {
  when: 'The given section key is malformed.',
  message: (d: { key: string }) => `${JSON.stringify(d.key)} is not a section key; use a key that the action lists`,
})

export const materialActionNotFound = defineFault('material_action_not_found', 'not_found', {
  when: 'The run has no action with that id.',
  message: (d: { action_id: string }) => `the run has no action ${d.action_id}; use the id of its current action`,
})

export const materialActionStale = defineFault('material_action_stale', 'conflict', {
  when: 'A section was requested for an action that is not the current one.',
  message: (d: Refusal & { action_id: string }) =>
    `the action ${d.action_id} is not current and may not read sections; continue from the current state of the run`,
})

export const materialUnavailable = defineFault('material_unavailable', 'not_found', {
  when: 'The run is not bound to an issue, or the text of the section is missing or unreadable.',
  message: (d: { key: string; problem: string }) => `the section ${d.key} cannot be read: ${d.problem}`,
})

export const materialSectionNotFound = defineFault('material_section_not_found', 'not_found', {
  when: 'The pinned source has no section with that key.',
  message: (d: { key: string; known: readonly string[] }) =>
    `no section ${d.key}; the pinned source has ${d.known.join(', ')}`,
})
