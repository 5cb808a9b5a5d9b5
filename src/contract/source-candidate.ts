import { checker, type Problem, type Rule, within } from '../kit/schema.ts'
import { aliasesAreOtherUrls, urlHasTheIssueNumber } from './issue-url.ts'
import { pinnedSourceRules } from './pinned-source.ts'
import { validateSourceCandidate } from './source.generated.js'
import type { SourceCandidate } from './source-candidate.shape.ts'

const SHARED = [
  'repository_id',
  'issue_id',
  'issue_number',
  'canonical_url',
  'title',
  'source_revision',
  'requirements_revision',
] as const

function snapshotIsOfTheCandidate(candidate: SourceCandidate): Problem[] {
  if (!candidate.valid) return []
  const { snapshot } = candidate
  return SHARED.filter((field) => snapshot[field] !== candidate[field]).map((field) => ({
    path: `$.snapshot.${field}`,
    rule: `must be that of the candidate, ${candidate[field]}`,
  }))
}

export const sourceCandidateRules: readonly Rule<SourceCandidate>[] = [
  urlHasTheIssueNumber,
  aliasesAreOtherUrls,
  snapshotIsOfTheCandidate,
  within('snapshot', pinnedSourceRules),
]

export const checkSourceCandidate = checker<SourceCandidate>(
  'sourceCandidate',
  validateSourceCandidate,
  sourceCandidateRules,
)
