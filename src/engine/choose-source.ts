import type { PinnedSource } from '../contract/pinned-source.shape.ts'
import type { ResumeResult, SourceChoiceReceipt } from '../contract/resume-result.shape.ts'
import type { SourceCandidate } from '../contract/source-candidate.shape.ts'
import { BRIEFS } from './briefs.ts'
import { continueRun } from './continue-run.ts'
import { type Decided, decide } from './decision.ts'
import type { Facts } from './facts.ts'
import { invalidSourceCandidateChoice, invalidSourceChoice } from './faults.ts'
import { type EarlyRefusal, refuseResume } from './refusal.ts'
import { type BoundRun, pinSource, type Run } from './run.ts'
import { supersede } from './supersede.ts'
import { withoutUndefined } from './without-undefined.ts'

export type SourceChoice = SourceChoiceReceipt['choice']

/** The source revision that belongs to the content of a source. */
export type RevisionOf = (source: PinnedSource) => string

/** `candidate` is the one of the run. */
type ChoiceFacts = Facts & { readonly revisionOf: RevisionOf; readonly candidate: SourceCandidate }

export type Choosing = { readonly choice: SourceChoice; readonly budget: number | undefined }

/** The choice that a caller named, if it is one. */
export function parseSourceChoice(text: string, refusal: EarlyRefusal = {}): SourceChoice {
  if (text === 'pinned' || text === 'adopt') return text
  throw invalidSourceChoice({ ...refusal, given: text })
}

/** What a choice did, as the answer to a resume says it. */
export function toResult({ choice, candidate_id }: Pick<SourceChoiceReceipt, 'choice' | 'candidate_id'>): ResumeResult {
  const operation = choice === 'adopt' ? 'source_amended' : 'source_pinned'
  return { operation, budget_applied: true, candidate_id }
}

/** Goes on with the requirements that a person chose, of those that are pinned and those of the candidate. */
export function chooseSource(run: BoundRun, { choice, budget }: Choosing, facts: ChoiceFacts): Decided {
  const { candidate } = facts
  const { candidate_id } = candidate
  const chosen = choice === 'adopt' ? adopt(run, candidate) : keep(run, candidate, facts.revisionOf)
  const receipt = { candidate_id, choice, resulting_action_id: facts.actionId, at: facts.now }
  const settled: Run = {
    ...chosen,
    source_candidate: undefined,
    source_choices: [...run.source_choices, receipt],
  }
  const result = toResult(receipt)
  const type = choice === 'adopt' ? 'source_amended' : 'source_pinned'
  const draft = continueRun(run, settled, { words: BRIEFS.sourceChosen, result, token: type, budget, facts })
  return decide(run, { type, draft, now: facts.now })
}

/** Every decision that holds was made for the requirements that were pinned; with other ones it holds no longer. */
function adopt(run: BoundRun, candidate: SourceCandidate): Run {
  if (!candidate.valid) {
    throw invalidSourceCandidateChoice({ ...refuseResume(run), problem: candidate.classification_error })
  }
  const { snapshot } = candidate
  const adopted = pinSource(run, snapshot)
  if (snapshot.requirements_revision === run.pinned_source.requirements_revision) return adopted
  return supersede(adopted, ({ active }) => active, `requirements:${snapshot.requirements_revision}`)
}

/** The content stays; where the issue is now, and what it belongs to, is taken over. */
function keep(run: BoundRun, candidate: SourceCandidate, revisionOf: RevisionOf): Run {
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
