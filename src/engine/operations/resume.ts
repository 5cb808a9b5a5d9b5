import { LIMITS } from '../../contract/limits.ts'
import type { PinnedSource } from '../../contract/pinned-source.shape.ts'
import type { ResumeResult } from '../../contract/resume-result.shape.ts'
import type { SourceCandidate } from '../../contract/source-candidate.shape.ts'
import { type Decided, decide, type Facts } from '../decision.ts'
import {
  runAlreadyEnded,
  runNotResumable,
  sourceAliasLimit,
  sourceCandidatePending,
  sourceChoiceConflict,
  sourceChoiceRequired,
  sourceChoiceRequiresCandidate,
  sourceHistoryFork,
  sourceHistoryInPlaceEdit,
  sourceIntegrityMismatch,
  sourceIssueMismatch,
  sourceModeConflict,
  sourceModeNotAllowed,
  sourceModeRequired,
  staleSourceCandidate,
} from '../faults.ts'
import { nextHint, noHint, refuse, refusedState, refuseResume, startAfresh } from '../next-hint.ts'
import { isSameValue } from '../state/diff-runs.ts'
import { type BoundRun, isBound, pause, pinSource, type Run } from '../state/run.ts'
import { BRIEFS } from '../texts/compose-brief.ts'
import { addNotes } from '../texts/notes.ts'
import { checkBudget } from './budget.ts'
import { chooseSource, type RevisionOf, type SourceChoice, toResult } from './choose-source.ts'
import { continueRun, interrupt } from './issue-action.ts'

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

type Refresh = { readonly refreshed: SourceCandidate; readonly budget: number | undefined }

type ValidCandidate = SourceCandidate & { valid: true }

/** Resumes with the issue as it is now. If its requirements changed or are invalid, a person must choose first. */
function refreshSource(run: BoundRun, { refreshed, budget }: Refresh, facts: Facts): Decided {
  const pinned = run.pinned_source
  refuseOtherIssue(run, refreshed)
  const candidate = withAliases(refreshed, mergeAliases(run, refreshed))
  if (!candidate.valid) return waitForChoice(run, candidate, { token: 'source_candidate_invalid', facts })
  refuseEdits(run, candidate)
  const { snapshot } = candidate
  if (snapshot.manifest_revision !== pinned.manifest_revision) {
    refuseFork(run, snapshot)
    return waitForChoice(run, candidate, { token: 'source_amendment_candidate', facts })
  }
  if (snapshot.requirements_revision !== pinned.requirements_revision) throw sourceIntegrityMismatch(refuseResume(run))
  const result: ResumeResult = { operation: 'source_refreshed', budget_applied: true }
  const token = findDrift(pinned, snapshot)
  const continuation = { brief: BRIEFS.sourceRefreshed, result, token, budget, facts }
  const draft = continueRun(run, pinSource(run, snapshot), continuation)
  return decide(run, { type: 'source_refreshed', draft, now: facts.now })
}

function refuseOtherIssue(run: BoundRun, { issue_id }: SourceCandidate): void {
  const pinned = run.pinned_source.issue_id
  if (issue_id === pinned) return
  const ids = { pinned_issue_id: pinned, refreshed_issue_id: issue_id }
  throw sourceIssueMismatch({ next: startAfresh(run), details: { ...refusedState(run), ...ids }, ...ids })
}

/** The earlier URLs of an issue that moved, which still identify it. */
function mergeAliases(run: BoundRun, { canonical_url }: SourceCandidate): readonly string[] {
  const pinned = run.pinned_source
  const earlier = new Set([...pinned.url_aliases, pinned.canonical_url])
  earlier.delete(canonical_url)
  if (earlier.size > LIMITS.urlAliases) {
    throw sourceAliasLimit({ next: startAfresh(run), details: refusedState(run), limit: LIMITS.urlAliases })
  }
  return [...earlier]
}

function withAliases(candidate: SourceCandidate, url_aliases: readonly string[]): SourceCandidate {
  return candidate.valid
    ? { ...candidate, url_aliases, snapshot: { ...candidate.snapshot, url_aliases } }
    : { ...candidate, url_aliases }
}

/** A pinned comment must not change: a section is amended by a new comment, never by editing the old one. */
function refuseEdits(run: Run, { snapshot }: ValidCandidate): void {
  for (const section of snapshot.sections) {
    const { comment_node_id: node, comment_database_id: number } = section.provenance
    const accepted = run.accepted_sections.find(
      ({ provenance }) => provenance.comment_node_id === node || provenance.comment_database_id === number,
    )
    if (accepted === undefined || isSameSection(accepted, section)) continue
    throw sourceHistoryInPlaceEdit({ ...refuseResume(run), comment_node_id: node, section: section.key })
  }
}

type Section = PinnedSource['sections'][number]

function isSameSection(one: Section, other: Section): boolean {
  const identity = ({ provenance, ...content }: Section) => ({
    ...content,
    node: provenance.comment_node_id,
    number: provenance.comment_database_id,
  })
  return isSameValue(identity(one), identity(other))
}

function refuseFork(run: BoundRun, { parent_requirements_revision: parent }: PinnedSource): void {
  const pinned = run.pinned_source.requirements_revision
  if (parent === pinned) return
  const refusal = { next: startAfresh(run), details: refusedState(run) }
  throw sourceHistoryFork({ ...refusal, pinned, parent })
}

function findDrift(pinned: PinnedSource, snapshot: PinnedSource): string {
  if (pinned.source_revision !== snapshot.source_revision) return 'source_refreshed_non_material'
  const fields = ['repository_id', 'issue_number', 'canonical_url', 'parent'] as const
  const hasMoved = fields.some((field) => !isSameValue(pinned[field], snapshot[field]))
  return hasMoved ? 'source_projection_drift' : 'source_refreshed_unchanged'
}

/** Leaves the pinned source and the budget unchanged until the choice is made. */
function waitForChoice(
  run: Run,
  candidate: SourceCandidate,
  { token, facts }: { token: string; facts: Facts },
): Decided {
  const { candidate_id } = candidate
  const waiting: Run = {
    ...addNotes(interrupt(run), 'observations', [token]),
    source_candidate: candidate,
    last_resume_result: { operation: 'source_candidate_created', budget_applied: false, candidate_id },
  }
  const draft = pause(waiting, 'decision_required')
  return decide(run, { type: 'source_candidate_created', draft, now: facts.now })
}
