import { ACTION_RULES } from './action-rules.ts'
import { ANSWER_RULES } from './answer-rules.ts'
import { PAUSE_RULES } from './pause-rules.ts'
import { SOURCE_RULES } from './source-rules.ts'
import { STATE_RULES } from './state-rules.ts'
import type { Transition, TransitionRule } from './transition.ts'

const RULES: readonly TransitionRule[] = [
  ...PAUSE_RULES,
  ...STATE_RULES,
  ...ACTION_RULES,
  ...ANSWER_RULES,
  ...SOURCE_RULES,
]

/** The message of the first rule that an event breaks. */
export function findBrokenRule(transition: Transition): string | undefined {
  return RULES.find(({ holds }) => !holds(transition))?.says
}
