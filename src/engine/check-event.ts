import { actionRules } from '../contract/action.ts'
import { gitObservationRules } from '../contract/git-observation.ts'
import { outcomeRules } from '../contract/outcome.ts'
import { pinnedSourceRules } from '../contract/pinned-source.ts'
import { sourceCandidateRules } from '../contract/source-candidate.ts'
import { checker, type Rule, within } from '../kit/schema.ts'
import { validateRunEvent } from './checks.generated.js'
import type { RunDelta, RunEvent, RunSeed } from './state/run-event.shape.ts'

const seedRules: readonly Rule<RunSeed>[] = [
  within('initial_git', gitObservationRules),
  within('pinned_source', pinnedSourceRules),
]

const deltaRules: readonly Rule<RunDelta>[] = [
  within('initialize', seedRules),
  within('current_git', gitObservationRules),
  within('action_update', [within('outcome', outcomeRules)]),
  within('current_action', actionRules),
  within('pinned_source', pinnedSourceRules),
  within('source_candidate', sourceCandidateRules),
]

/** Every event that is read from a journal is checked with this. */
export const checkRunEvent = checker<RunEvent>('runEvent', validateRunEvent, [within('data', deltaRules)])
