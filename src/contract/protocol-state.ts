import { checker, type Problem, type Rule, within } from '../kit/schema.ts'
import { actionRules } from './action.ts'
import { nextRules } from './next.ts'
import { pinnedSourceRules } from './pinned-source.ts'
import type { ProtocolState } from './protocol-state.shape.ts'
import { validateProtocolState } from './runs.generated.js'
import { sourceCandidateRules } from './source-candidate.ts'

/** As in `resumeResult`. */
function budgetFollowsTheResume({ resume_operation, budget_applied }: ProtocolState): Problem[] {
  if (resume_operation === undefined) return []
  const expected = resume_operation !== 'source_candidate_created'
  return budget_applied === expected
    ? []
    : [{ path: '$.budget_applied', rule: `must be ${expected} with ${resume_operation}` }]
}

const rules: readonly Rule<ProtocolState>[] = [
  budgetFollowsTheResume,
  within('action', actionRules),
  within('next', nextRules),
  within('pinned_source', pinnedSourceRules),
  within('source_candidate', sourceCandidateRules),
]

export const checkProtocolState = checker<ProtocolState>('protocolState', validateProtocolState, rules)
