import type { ResumeResult } from '../../contract/resume-result.shape.ts'
import type { SourceCandidate } from '../../contract/source-candidate.shape.ts'
import { type Decided, decide, type Facts } from '../decision.ts'
import {
  runAlreadyEnded,
  runNotResumable,
  sourceCandidatePending,
  sourceChoiceConflict,
  sourceChoiceRequired,
  sourceChoiceRequiresCandidate,
  sourceModeConflict,
  sourceModeNotAllowed,
  sourceModeRequired,
  staleSourceCandidate,
} from '../faults.ts'
import { nextHint, noHint } from '../next-hint.ts'
import { refuse, refuseResume } from '../refusal.ts'
import { type BoundRun, isBound, type Run } from '../state/run.ts'
import { BRIEFS } from '../texts/compose-brief.ts'
import { checkBudget } from './budget.ts'
import { chooseSource, type RevisionOf, type SourceChoice, toResult } from './choose-source.ts'
import { continueRun } from './issue-action.ts'
import { refreshSource } from './refresh-source.ts'

/** The options of the caller, which may conflict. */
export type RequestedResume = {
  readonly budget?: number
  /** The issue as it is now, as the candidate that it becomes if a person must choose. */
  readonly refreshed?: SourceCandidate
  readonly usePinnedSource?: boolean
  readonly choice?: SourceChoice
  readonly candidateId?: string
}

export type ResumeFacts = Facts & { readonly revisionOf: RevisionOf }

/** Resumes an interrupted run with the requested source. The order of the checks is part of the contract. */
export function resume(run: Run, request: RequestedResume, facts: ResumeFacts): Decided {
  const { budget } = request
  if (budget !== undefined) checkBudget(budget, { next: noHint(run.workspace_identity) })
  const repeated = findRepeated(run, request)
  if (repeated !== undefined) return { is: 'unchanged', run, resumed: repeated }
  if (run.state === 'ended') throw runAlreadyEnded(refuse(run))
  if (nextHint(run).operation !== 'resume') throw runNotResumable(refuse(run))
  if (!isBound(run)) return resumeAdHoc(run, request, facts)
  return run.source_candidate === undefined
    ? resumeWithSource(run, request, facts)
    : resumeByChoice(run, request, { ...facts, candidate: run.source_candidate })
}

/** Repeating an earlier choice changes nothing, whatever happened since. */
function findRepeated(run: Run, { choice, candidateId, refreshed, usePinnedSource }: RequestedResume) {
  const isChoiceAlone = choice !== undefined && refreshed === undefined && usePinnedSource !== true
  if (run.source_candidate !== undefined || !isChoiceAlone) return undefined
  const made = run.source_choices.find(({ candidate_id }) => candidate_id === candidateId)
  if (made === undefined) return undefined
  if (made.choice !== choice) throw sourceChoiceConflict({ ...refuseResume(run), ...made })
  return toResult(made)
}

function resumeAdHoc(run: Run, request: RequestedResume, facts: Facts): Decided {
  const { budget, refreshed, usePinnedSource, choice, candidateId } = request
  const isSourceNamed = [refreshed, choice, candidateId].some((each) => each !== undefined) || usePinnedSource === true
  if (isSourceNamed) throw sourceModeNotAllowed(refuseResume(run))
  const result: ResumeResult = { operation: 'ad_hoc_resumed', budget_applied: true }
  const draft = continueRun(run, run, { brief: BRIEFS.resumed, result, budget, facts })
  return decide(run, { type: 'run_resumed', draft, now: facts.now })
}

function resumeByChoice(
  run: BoundRun,
  request: RequestedResume,
  facts: ResumeFacts & { readonly candidate: SourceCandidate },
): Decided {
  const { budget, refreshed, usePinnedSource, choice, candidateId } = request
  if (refreshed !== undefined || usePinnedSource === true) throw sourceCandidatePending(refuseResume(run))
  if (choice === undefined || candidateId === undefined) throw sourceChoiceRequired(refuseResume(run))
  if (candidateId !== facts.candidate.candidate_id) {
    throw staleSourceCandidate({ ...refuse(run), candidate_id: candidateId })
  }
  return chooseSource(run, { choice, budget }, facts)
}

function resumeWithSource(run: BoundRun, request: RequestedResume, facts: Facts): Decided {
  const { budget, refreshed, usePinnedSource, choice, candidateId } = request
  if ((choice === undefined) !== (candidateId === undefined)) throw sourceChoiceRequiresCandidate(refuseResume(run))
  if (candidateId !== undefined) throw staleSourceCandidate({ ...refuse(run), candidate_id: candidateId })
  if (refreshed !== undefined && usePinnedSource === true) throw sourceModeConflict(refuseResume(run))
  if (refreshed !== undefined) return refreshSource(run, { refreshed, budget }, facts)
  if (usePinnedSource !== true) throw sourceModeRequired(refuseResume(run))
  const result: ResumeResult = { operation: 'source_refresh_skipped', budget_applied: true }
  const token = result.operation
  const draft = continueRun(run, run, { brief: BRIEFS.sourceKept, result, token, budget, facts })
  return decide(run, { type: 'source_refresh_skipped', draft, now: facts.now })
}
