import { checker, type Rule, within } from '../kit/schema.ts'
import { aliasesAreOtherUrls, urlHasTheIssueNumber } from './issue-url.ts'
import { pinnedSourceRules } from './pinned-source.ts'
import { validateSourceCandidate } from './source.generated.js'
import type { SourceCandidate } from './source-candidate.shape.ts'

export const sourceCandidateRules: readonly Rule<SourceCandidate>[] = [
  urlHasTheIssueNumber,
  aliasesAreOtherUrls,
  within('snapshot', pinnedSourceRules),
]

export const checkSourceCandidate = checker<SourceCandidate>(
  'sourceCandidate',
  validateSourceCandidate,
  sourceCandidateRules,
)
