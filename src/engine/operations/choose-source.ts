import type { PinnedSource } from '../../contract/pinned-source.shape.ts'
import type { ResumeResult, SourceChoiceReceipt } from '../../contract/resume-result.shape.ts'
import type { SourceCandidate } from '../../contract/source-candidate.shape.ts'
import { withoutUndefined } from '../../kit/json-value.ts'
import { type Decided, decide, type Facts } from '../decision.ts'
import { invalidSourceCandidateChoice, invalidSourceChoice } from '../faults.ts'
import { type EarlyRefusal, refuseResume } from '../next-hint.ts'
import { type BoundRun, pinSource, type Run } from '../state/run.ts'
import { BRIEFS } from '../texts/compose-brief.ts'
import { supersedeAnswers } from './answer.ts'
import { continueRun } from './issue-action.ts'

export type SourceChoice = SourceChoiceReceipt['choice']

/** Computes the source revision of a source. */
export type RevisionOf = (source: PinnedSource) => string

/** `candidate` is the pending one of the run. */
type ChoiceFacts = Facts & { readonly revisionOf: RevisionOf; readonly candidate: SourceCandidate }

export type ChoiceRequest = { readonly choice: SourceChoice; readonly budget: number | undefined }

/** Parses the value of `--source-choice`. */
export function parseSourceChoice(text: string, refusal: EarlyRefusal = {}): SourceChoice {
  if (text === 'pinned' || text === 'adopt') return text
  throw invalidSourceChoice({ ...refusal, given: text })
}

/** The resume result of a choice. */
export function toResult({ choice, candidate_id }: Pick<SourceChoiceReceipt, 'choice' | 'candidate_id'>): ResumeResult {
  const operation = choice === 'adopt' ? 'source_amended' : 'source_pinned'
  return { operation, budget_applied: true, candidate_id }
}

/** Continues the run with the pinned source or with the candidate, as a person chose. */
export function chooseSource(run: BoundRun, { choice, budget }: ChoiceRequest, facts: ChoiceFacts): Decided {
  const { candidate } = facts
  const { candidate_id } = candidate
  const chosen = choice === 'adopt' ? adopt(run, candidate) : keepPinned(run, candidate, facts.revisionOf)
  const receipt = { candidate_id, choice, resulting_action_id: facts.actionId, at: facts.now }
  const resolved: Run = {
    ...chosen,
    source_candidate: undefined,
    source_choices: [...run.source_choices, receipt],
  }
  const result = toResult(receipt)
  const type = choice === 'adopt' ? 'source_amended' : 'source_pinned'
  const draft = continueRun(run, resolved, { brief: BRIEFS.sourceChosen, result, token: type, budget, facts })
  return decide(run, { type, draft, now: facts.now })
}

/** New requirements supersede every active decision, since it was made for the old ones. */
function adopt(run: BoundRun, candidate: SourceCandidate): Run {
  if (!candidate.valid) {
    throw invalidSourceCandidateChoice({ ...refuseResume(run), problem: candidate.classification_error })
  }
  const { snapshot } = candidate
  const adopted = pinSource(run, snapshot)
  if (snapshot.requirements_revision === run.pinned_source.requirements_revision) return adopted
  return supersedeAnswers(adopted, ({ active }) => active, `requirements:${snapshot.requirements_revision}`)
}

/** Keeps the pinned content, but takes the location and parent of the issue from the candidate. */
function keepPinned(run: BoundRun, candidate: SourceCandidate, revisionOf: RevisionOf): Run {
  const { repository_id, issue_number, canonical_url, url_aliases, parent } = candidate
  const moved: PinnedSource = withoutUndefined({
    ...run.pinned_source,
    repository_id,
    issue_number,
    canonical_url,
    url_aliases,
    parent,
  })
  return pinSource(run, { ...moved, source_revision: revisionOf(moved) })
}
