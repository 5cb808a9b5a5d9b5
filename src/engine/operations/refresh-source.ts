import { LIMITS } from '../../contract/limits.ts'
import type { PinnedSource } from '../../contract/pinned-source.shape.ts'
import type { ResumeResult } from '../../contract/resume-result.shape.ts'
import type { SourceCandidate } from '../../contract/source-candidate.shape.ts'
import { type Decided, decide, type Facts } from '../decision.ts'
import {
  sourceAliasLimit,
  sourceHistoryFork,
  sourceHistoryInPlaceEdit,
  sourceIntegrityMismatch,
  sourceIssueMismatch,
} from '../faults.ts'
import { startAfresh } from '../next-hint.ts'
import { refusedState, refuseResume } from '../refusal.ts'
import { isSameValue } from '../state/diff-runs.ts'
import { type BoundRun, pause, pinSource, type Run } from '../state/run.ts'
import { BRIEFS } from '../texts/compose-brief.ts'
import { addNotes } from '../texts/notes.ts'
import { continueRun, interrupt } from './issue-action.ts'

export type Refresh = { readonly refreshed: SourceCandidate; readonly budget: number | undefined }

type ValidCandidate = SourceCandidate & { valid: true }

/** Resumes with the issue as it is now. If its requirements changed or are invalid, a person must choose first. */
export function refreshSource(run: BoundRun, { refreshed, budget }: Refresh, facts: Facts): Decided {
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
