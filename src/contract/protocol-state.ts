import { checker, type Rule, within } from '../kit/schema.ts'
import { actionRules } from './action.ts'
import { nextRules } from './next.ts'
import { pinnedSourceRules } from './pinned-source.ts'
import type { ProtocolState } from './protocol-state.shape.ts'
import { validateProtocolState } from './runs.generated.js'
import { sourceCandidateRules } from './source-candidate.ts'

const rules: readonly Rule<ProtocolState>[] = [
  within('action', actionRules),
  within('next', nextRules),
  within('pinned_source', pinnedSourceRules),
  within('source_candidate', sourceCandidateRules),
]

export const checkProtocolState = checker<ProtocolState>('protocolState', validateProtocolState, rules)
